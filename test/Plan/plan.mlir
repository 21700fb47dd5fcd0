// RUN: posenc-opt %s --posenc-plan="cpu=x86-64-v4" | FileCheck %s

// A step of decoding: the new rows go into the donated cache in place, attention
// reads the cache and writes the output; no buffer of rows by keys exists.

!q = tensor<?x8x?x64xf32>
!kv = tensor<?x2x?x64xf32>

// CHECK: module attributes {dlti.target_system_spec = {{.*}}, posenc.functions = [{inputs = [{donated = false, name = "q"
// CHECK-LABEL: func @step__shapes(
//       CHECK:   cf.assert %{{.*}}, "'k' has more rows than 'keys'"
//       CHECK:   memref.store

// CHECK-LABEL: func @step(
//  CHECK-SAME:   %[[Q:[a-z0-9]+]]: memref<?x8x?x64xf32, strided<[?, ?, ?, 1]>> {posenc.name = "q"
//  CHECK-SAME:   %[[K:[a-z0-9]+]]: memref<?x2x?x64xf32, strided<[?, ?, ?, 1]>> {posenc.name = "k"
//  CHECK-SAME:   %[[V:[a-z0-9]+]]: memref<?x2x?x64xf32, strided<[?, ?, ?, 1]>> {posenc.name = "values"
//  CHECK-SAME:   %[[KEYS:[a-z0-9]+]]: memref<?x2x?x64xf32, strided<[?, ?, ?, 1]>> {posenc.donated = 1
//  CHECK-SAME:   %[[OUT:[a-z0-9]+]]: memref<?x8x?x64xf32, strided<[?, ?, ?, 1]>> {posenc.name = "output"
//   CHECK-NOT:   cf.assert
//   CHECK-NOT:   memref.alloc
//       CHECK:   %[[ROWS:.*]] = memref.subview %[[KEYS]]
//       CHECK:   memref.copy %[[K]], %[[ROWS]]
//       CHECK:   scf.if
//       CHECK:     posenc.attention query(%[[Q]] : {{.*}}) key(%[[KEYS]] : {{.*}}) value(%[[V]] : {{.*}}) scale(%{{.*}}) outs(%[[OUT]] : {{.*}}) schedule(#posenc.cpu_decode<
//       CHECK:     mask
//       CHECK:     bounds
//       CHECK:   } else {
//       CHECK:     posenc.attention {{.*}} schedule(#posenc.cpu_prefill<
//       CHECK:     bounds
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @step(%q: !q {posenc.name = "q", posenc.symbols = ["B", "", "S", ""]},
                %k: !kv {posenc.name = "k", posenc.symbols = ["B", "", "S", ""]},
                %v: !kv {posenc.name = "values", posenc.symbols = ["B", "", "C", ""]},
                %cache: !kv {posenc.name = "keys", posenc.symbols = ["B", "", "C", ""], posenc.donated = 1})
    -> (!q {posenc.name = "output"}, !kv {posenc.name = "new_keys"}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.125 : f32
  %batch = tensor.dim %q, %c0 : !q
  %lq = tensor.dim %q, %c2 : !q
  %lk = tensor.dim %k, %c2 : !kv
  %room = tensor.dim %cache, %c2 : !kv
  %fits = arith.cmpi sle, %lk, %room : index
  cf.assert %fits, "'k' has more rows than 'keys'"
  %keys = tensor.insert_slice %k into %cache[0, 0, 0, 0] [%batch, 2, %lk, 64] [1, 1, 1, 1] : !kv into !kv
  %init = tensor.empty(%batch, %lq) : !q
  %o = posenc.attention query(%q : !q) key(%keys : !kv) value(%v : !kv) scale(%scale) outs(%init : !q)
    mask(%b, %h, %i, %j) {
      %visible = arith.cmpi sle, %j, %i : index
      posenc.yield %visible : i1
    } -> !q
  return %o, %keys : !q, !kv
}
