// RUN: posenc-opt %s --posenc-attention --canonicalize --cse | FileCheck %s

!heads = memref<?x?x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>
!table = memref<?x?xf32>
!flags = memref<?x?xi1>
!ids = memref<?xi32>
!buckets = memref<32xf32>

// Rows are lanes: a table that is contiguous in keys is transposed a block at a
// time, here bytes, masked where keys end.
//
// CHECK-LABEL: func @dense_mask
//       CHECK:   %[[TILE:.*]] = memref.alloc() {{.*}} : memref<64x64xf32>
//       CHECK:   llvm.intr.masked.load {{.*}} -> vector<16xi8>
//       CHECK:   vector.shuffle
//       CHECK:   vector.load %{{.*}} : memref<64x64xf32>, vector<64xf32>
//   CHECK-NOT:   gather
func.func @dense_mask(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %m: !flags, %scale: f32) {
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
      mask(%b, %h, %i, %j) {
        %visible = memref.load %m[%i, %j] : !flags
        posenc.yield %visible : i1
      }
  return
}

// A read by row is contiguous, and hoisted out of the loop over keys; a read by
// key is a scalar; rows that do not exist are not read.
//
// CHECK-LABEL: func @documents
//       CHECK:   vector.maskedload {{.*}} : memref<?xi32>
//       CHECK:   scf.for
//       CHECK:   memref.load {{.*}} : memref<?xi32>
//       CHECK:   arith.cmpi eq, {{.*}} : vector<64xi32>
func.func @documents(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %ids: !ids, %scale: f32) {
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
      mask(%b, %h, %i, %j) {
        %row = memref.load %ids[%i] : !ids
        %key = memref.load %ids[%j] : !ids
        %same = arith.cmpi eq, %row, %key : i32
        posenc.yield %same : i1
      }
  return
}

// Keys are lanes of decode: the same table is a vector load, and what a lane
// computes an index for a gather.
//
// CHECK-LABEL: func @decode
//       CHECK:   vector.load {{.*}} : memref<?x?xf32>, vector<16xf32>
//       CHECK:   vector.gather {{.*}} : memref<2147483647xf32, strided<[1], offset: ?>>, vector<16xi64>
func.func @decode(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %t: !table, %w: !buckets, %scale: f32) {
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_decode<key_block = 64, rows = 4, split = 1>)
      score(%x, %b, %h, %i, %j) {
        %c31 = arith.constant 31 : index
        %bias = memref.load %t[%i, %j] : !table
        %distance = arith.subi %i, %j : index
        %bucket = arith.minsi %distance, %c31 : index
        %zero = arith.constant 0 : index
        %at = arith.maxsi %bucket, %zero : index
        %weight = memref.load %w[%at] : !buckets
        %sum = arith.addf %bias, %weight : f32
        %y = arith.addf %x, %sum : f32
        posenc.yield %y : f32
      }
  return
}

// A formula's loop of many trips stays a loop over vectors; what it reads is a
// scalar a trip, and what does not depend on the trip is before it.
//
// CHECK-LABEL: func @perceptron
//       CHECK:   %[[X:.*]] = arith.mulf {{.*}} : vector<64xf32>
//       CHECK:   scf.for %[[K:.*]] = %c0{{.*}} to %c32{{.*}} iter_args({{.*}}) -> (vector<64xf32>) {
//       CHECK:     memref.load %{{.*}}[%[[K]]] : memref<32xf32>
//       CHECK:     vector.broadcast
//       CHECK:     arith.mulf %{{.*}}, %[[X]] : vector<64xf32>
//       CHECK:     scf.yield {{.*}} : vector<64xf32>
func.func @perceptron(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %weights: !buckets, %scale: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads) scale(%scale)
      outs(%o : !heads)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
      score(%x, %b, %h, %i, %j) {
        %i32 = arith.index_cast %i : index to i32
        %j32 = arith.index_cast %j : index to i32
        %row = arith.sitofp %i32 : i32 to f32
        %key = arith.sitofp %j32 : i32 to f32
        %sum = scf.for %n = %c0 to %c32 step %c1 iter_args(%s = %zero) -> (f32) {
          %p = arith.mulf %row, %key : f32
          %w = memref.load %weights[%n] : !buckets
          %u = arith.mulf %w, %p : f32
          %next = arith.addf %s, %u : f32
          scf.yield %next : f32
        }
        %y = arith.addf %x, %sum : f32
        posenc.yield %y : f32
      }
  return
}
