// RUN: posenc-opt %s --posenc-attach-target="cpu=x86-64-v4" --posenc-dispatch | FileCheck %s

!dynamic = memref<1x?x8x64xf32>
!static = memref<1x16x8x64xf32>

// CHECK-LABEL: func @query_rows
//  CHECK-SAME:   %[[Q:[a-z0-9]+]]: memref<1x?x8x64xf32>
//       CHECK:   %[[ROWS:.*]] = memref.dim %[[Q]], %c1
//       CHECK:   %[[FEW:.*]] = arith.cmpi ule, %[[ROWS]], %c4
//       CHECK:   scf.if %[[FEW]] {
//       CHECK:     posenc.attention {{.*}} schedule(#posenc.cpu_decode<
//       CHECK:       mask
//       CHECK:   } else {
//       CHECK:     posenc.attention {{.*}} schedule(#posenc.cpu_prefill<
//       CHECK:       mask
func.func @query_rows(%q: !dynamic, %k: !dynamic, %o: !dynamic, %scale: f32) {
  posenc.attention query(%q : !dynamic) key(%k : !dynamic) value(%k : !dynamic) scale(%scale) outs(%o : !dynamic)
    layouts(blhd, blhd, blhd, blhd)
    mask(%b, %h, %i, %j) {
      %visible = arith.cmpi sle, %j, %i : index
      posenc.yield %visible : i1
    }
  return
}

// CHECK-LABEL: func @known_rows
//   CHECK-NOT:   scf.if
func.func @known_rows(%q: !static, %k: !dynamic, %o: !static, %scale: f32) {
  posenc.attention query(%q : !static) key(%k : !dynamic) value(%k : !dynamic) scale(%scale) outs(%o : !static)
    layouts(blhd, blhd, blhd, blhd)
  return
}

// CHECK-LABEL: func @scheduled_by_the_user
//   CHECK-NOT:   scf.if
func.func @scheduled_by_the_user(%q: !dynamic, %k: !dynamic, %o: !dynamic, %scale: f32) {
  posenc.attention query(%q : !dynamic) key(%k : !dynamic) value(%k : !dynamic) scale(%scale) outs(%o : !dynamic)
    layouts(blhd, blhd, blhd, blhd)
    schedule(#posenc.cpu_prefill<query_block = 32, key_block = 32, lanes = 32, rows = 4>)
  return
}
