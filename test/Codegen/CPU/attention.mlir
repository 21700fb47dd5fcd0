// RUN: posenc-opt %s --posenc-attention --canonicalize --cse | FileCheck %s

!heads = memref<?x?x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>
!slopes = memref<?xf32>

// One unit is a block of rows of one head; a block of keys is full or not, and
// either way two register tiles: scores, values. What the slope needs is read
// once a unit, and the score's inner loop reads keys and queries only.
//
// CHECK-LABEL: func @prefill
//       CHECK:   scf.forall
//       CHECK:     vector.shuffle
//       CHECK:     memref.load %{{.*}} : memref<?xf32>
//       CHECK:     scf.for
//       CHECK:       scf.if
//       CHECK:         scf.for {{.*}} step %c6
//       CHECK:           scf.for {{.*}} -> (vector<6x64xf32>)
//   CHECK-NOT:             scf.for
// CHECK-COUNT-6:           memref.load
//       CHECK:             vector.outerproduct
//       CHECK:           arith.sitofp {{.*}} : vector<64xi32> to vector<64xf32>
//   CHECK-NOT:           arith.cmpi sle, {{.*}} : vector<64xi32>
//       CHECK:       } else {
//       CHECK:         vector.outerproduct
//       CHECK:         arith.cmpi sle, {{.*}} : vector<64xi32>
//   CHECK-NOT: posenc.attention
func.func @prefill(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %slopes: !slopes, %scale: f32) {
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
      score(%x, %b, %h, %i, %j) {
        %slope = memref.load %slopes[%h] : !slopes
        %distance = arith.subi %j, %i : index
        %d32 = arith.index_cast %distance : index to i32
        %d = arith.sitofp %d32 : i32 to f32
        %bias = arith.mulf %slope, %d : f32
        %y = arith.addf %x, %bias : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %visible = arith.cmpi sle, %j, %i : index
        posenc.yield %visible : i1
      }
      bounds(%b, %h, %i0, %i1) {
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %full = arith.addi %i0, %one : index
        posenc.yield %zero, %zero, %full, %i1 : index, index, index, index
      }
  return
}

// Two panels of rows share a block of keys.
//
// CHECK-LABEL: func @panels
//       CHECK:   memref.alloc() {alignment = 64 : i64} : memref<128x16xf32>
//       CHECK:   vector.outerproduct {{.*}} : vector<6xf32>, vector<16xf32>
func.func @panels(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %scale: f32) {
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_prefill<query_block = 32, key_block = 64, lanes = 16, rows = 6>)
  return
}

// With several ranges of keys a second loop combines what they leave.
//
// CHECK-LABEL: func @decode
//       CHECK:   %[[PARTS:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x64xf32>
//       CHECK:   scf.forall
//   CHECK-NOT:     vector.outerproduct
//       CHECK:     vector.shuffle
//       CHECK:     vector.store %{{.*}}, %[[PARTS]]
//       CHECK:   scf.forall
//       CHECK:     vector.load %[[PARTS]]
//       CHECK:   memref.dealloc %[[PARTS]]
func.func @decode(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %scale: f32) {
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_decode<key_block = 64, rows = 4, split = 4>)
  return
}

// A block of keys asks the tile region for each row of the pack, by 64 keys, and
// is left out where no row sees any.
//
// CHECK-LABEL: func @decode_asks
//       CHECK:   scf.forall
//       CHECK:     scf.for
//       CHECK:       %[[SAID:.*]]:2 = scf.if
//       CHECK:         scf.for {{.*}} step %c64 iter_args
// CHECK-COUNT-2:         memref.load %{{.*}} : memref<?xi1>
//       CHECK:         scf.yield
//       CHECK:       scf.if %[[SAID]]#0
//       CHECK:         vector.shuffle
func.func @decode_asks(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %scale: f32,
                       %blocks: memref<?xi1>) {
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_decode<key_block = 256, rows = 2, split = 1>)
      mask(%b, %h, %i, %j) {
        %c64 = arith.constant 64 : index
        %block = arith.divsi %j, %c64 : index
        %visible = memref.load %blocks[%block] : memref<?xi1>
        posenc.yield %visible : i1
      }
      tile(%b, %h, %i0, %i1, %j0, %j1) {
        %c64 = arith.constant 64 : index
        %no = arith.constant false
        %block = arith.divsi %j0, %c64 : index
        %row = arith.addi %block, %i0 : index
        %visible = memref.load %blocks[%row] : memref<?xi1>
        posenc.yield %visible, %no : i1, i1
      }
  return
}
