// RUN: posenc-opt %s --posenc-simplify-indices --canonicalize --split-input-file | FileCheck %s

// A causal window in i64, and a padding mask gathered as exporters gather.

// CHECK-LABEL: func @gathered_padding
//  CHECK-SAME:   %[[PAD:[a-z0-9]+]]: tensor<3x?xi64>
//       CHECK:   mask(%[[B:[a-z0-9]+]], %{{.*}}, %[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) {
//  CHECK-NEXT:     %[[FIRST:.*]] = arith.subi %[[I]], %c4 : index
//  CHECK-NEXT:     %[[WINDOW:.*]] = arith.cmpi sgt, %[[J]], %[[FIRST]] : index
//  CHECK-NEXT:     %[[P:.*]] = tensor.extract %[[PAD]][%[[B]], %[[J]]]
//  CHECK-NEXT:     %[[KEEP:.*]] = arith.cmpi ne, %[[P]]
//  CHECK-NEXT:     arith.andi %[[WINDOW]], %[[KEEP]]
func.func @gathered_padding(%q: tensor<3x4x?x16xf32>, %k: tensor<3x4x?x16xf32>, %padding: tensor<3x?xi64>, %scale: f32) -> tensor<3x4x?x16xf32> {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %k, %c2 : tensor<3x4x?x16xf32>
  %batches = arith.constant dense<[[0], [1], [2]]> : tensor<3x1xi64>
  %o = posenc.attention query(%q : tensor<3x4x?x16xf32>) key(%k : tensor<3x4x?x16xf32>)
      value(%k : tensor<3x4x?x16xf32>) scale(%scale) outs(%q : tensor<3x4x?x16xf32>)
      mask(%b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %zero = arith.constant 0 : i64
        %four = arith.constant 4 : i64
        %i64 = arith.index_cast %i : index to i64
        %j64 = arith.index_cast %j : index to i64
        %first = arith.subi %i64, %four : i64
        %window = arith.cmpi sgt, %j64, %first : i64
        %b64 = tensor.extract %batches[%b, %c0] : tensor<3x1xi64>
        %bi = arith.index_cast %b64 : i64 to index
        %b2 = arith.constant 2 : index
        %bc = arith.minsi %bi, %b2 : index
        %negative = arith.cmpi slt, %j, %c0 : index
        %fromEnd = arith.addi %j, %n : index
        %at = arith.select %negative, %fromEnd, %j : index
        %last = arith.subi %n, %c1 : index
        %below = arith.minsi %at, %last : index
        %within = arith.maxsi %below, %c0 : index
        %p = tensor.extract %padding[%bc, %within] : tensor<3x?xi64>
        %keep = arith.cmpi ne, %p, %zero : i64
        %m = arith.andi %window, %keep : i1
        posenc.yield %m : i1
      } -> tensor<3x4x?x16xf32>
  return %o : tensor<3x4x?x16xf32>
}

// -----

// A clamp to another length stays, and so does a comparison of what may be negative.

// CHECK-LABEL: func @stays
//       CHECK:     arith.minsi
//       CHECK:     arith.cmpi sge
func.func @stays(%q: tensor<3x4x?x16xf32>, %table: tensor<?xi1>, %scale: f32) -> tensor<3x4x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %table, %c0 : tensor<?xi1>
  %last = arith.subi %n, %c1 : index
  %o = posenc.attention query(%q : tensor<3x4x?x16xf32>) key(%q : tensor<3x4x?x16xf32>)
      value(%q : tensor<3x4x?x16xf32>) scale(%scale) outs(%q : tensor<3x4x?x16xf32>)
      mask(%b, %h, %i, %j) {
        %at = arith.minsi %j, %last : index
        %e = tensor.extract %table[%at] : tensor<?xi1>
        %distance = arith.subi %i, %j : index
        %past = arith.cmpi sge, %distance, %c0 : index
        %m = arith.andi %e, %past : i1
        posenc.yield %m : i1
      } -> tensor<3x4x?x16xf32>
  return %o : tensor<3x4x?x16xf32>
}

// -----

// A mask of positions that are never negative is no mask.

// CHECK-LABEL: func @always
//   CHECK-NOT:   mask
func.func @always(%q: tensor<3x4x?x16xf32>, %scale: f32) -> tensor<3x4x?x16xf32> {
  %o = posenc.attention query(%q : tensor<3x4x?x16xf32>) key(%q : tensor<3x4x?x16xf32>)
      value(%q : tensor<3x4x?x16xf32>) scale(%scale) outs(%q : tensor<3x4x?x16xf32>)
      mask(%b, %h, %i, %j) {
        %zero = arith.constant 0 : i64
        %i64 = arith.index_cast %i : index to i64
        %m = arith.cmpi sge, %i64, %zero : i64
        posenc.yield %m : i1
      } -> tensor<3x4x?x16xf32>
  return %o : tensor<3x4x?x16xf32>
}

// -----

// A table of pairs (batch, key), as a gather of several axes is given.

// CHECK-LABEL: func @table_of_pairs
//       CHECK:   mask(%[[B:[a-z0-9]+]], %{{.*}}, %{{.*}}, %[[J:[a-z0-9]+]]) {
//  CHECK-NEXT:     tensor.extract %{{.*}}[%[[B]], %[[J]]]
func.func @table_of_pairs(%q: tensor<2x4x3x16xf32>, %keep: tensor<2x3xi1>, %scale: f32) -> tensor<2x4x3x16xf32> {
  %pairs = arith.constant dense<[[[0, 0], [0, 1], [0, 2]], [[1, 0], [1, 1], [1, 2]]]> : tensor<2x3x2xi64>
  %o = posenc.attention query(%q : tensor<2x4x3x16xf32>) key(%q : tensor<2x4x3x16xf32>)
      value(%q : tensor<2x4x3x16xf32>) scale(%scale) outs(%q : tensor<2x4x3x16xf32>)
      mask(%b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %first = tensor.extract %pairs[%b, %j, %c0] : tensor<2x3x2xi64>
        %second = tensor.extract %pairs[%b, %j, %c1] : tensor<2x3x2xi64>
        %batch = arith.index_cast %first : i64 to index
        %key = arith.index_cast %second : i64 to index
        %low = arith.maxsi %key, %c0 : index
        %clamped = arith.minsi %low, %c2 : index
        %m = tensor.extract %keep[%batch, %clamped] : tensor<2x3xi1>
        posenc.yield %m : i1
      } -> tensor<2x4x3x16xf32>
  return %o : tensor<2x4x3x16xf32>
}

// -----

// A cast to few bits may be negative, and a product of i32 wraps.

// CHECK-LABEL: func @few_bits
//       CHECK:     arith.maxsi %{{.*}} : i8
//       CHECK:     arith.muli %{{.*}} : i32
func.func @few_bits(%q: tensor<2x4x300x16xf32>, %scale: f32) -> tensor<2x4x300x16xf32> {
  %o = posenc.attention query(%q : tensor<2x4x300x16xf32>) key(%q : tensor<2x4x300x16xf32>)
      value(%q : tensor<2x4x300x16xf32>) scale(%scale) outs(%q : tensor<2x4x300x16xf32>)
      mask(%b, %h, %i, %j) {
        %c0 = arith.constant 0 : i8
        %byte = arith.index_cast %j : index to i8
        %low = arith.maxsi %byte, %c0 : i8
        %wide = arith.extui %low : i8 to i32
        %i32 = arith.index_cast %i : index to i32
        %j32 = arith.index_cast %j : index to i32
        %product = arith.muli %i32, %j32 : i32
        %m = arith.cmpi sle, %wide, %product : i32
        posenc.yield %m : i1
      } -> tensor<2x4x300x16xf32>
  return %o : tensor<2x4x300x16xf32>
}
