// RUN: posenc-opt %s --posenc-normalize-shapes --split-input-file | FileCheck %s

// CHECK-LABEL: func @reshape_to_heads
//  CHECK-SAME:   (%[[X:.*]]: tensor<1x?x64xf32>)
//       CHECK:   %[[L:.*]] = tensor.dim %[[X]]
//   CHECK-NOT:   cf.assert
//       CHECK:   tensor.expand_shape %[[X]] {{\[}}[0], [1], [2, 3]] output_shape [1, %[[L]], 4, 16]
func.func @reshape_to_heads(%x: tensor<1x?x64xf32>) -> tensor<1x?x4x16xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %axis = arith.constant 1 : index
  %dim = tensor.dim %x, %axis : tensor<1x?x64xf32>
  %length = arith.index_cast %dim : index to i64
  %valid = arith.cmpi sge, %length, %c0 : i64
  cf.assert %valid, "negative length"
  %inferred = arith.cmpi slt, %length, %c0 : i64
  %divisor = arith.select %inferred, %c1, %length : i64
  %total = arith.muli %length, %c64 : i64
  %known = arith.muli %divisor, %c16 : i64
  %heads = arith.divsi %total, %known : i64
  %shape = tensor.from_elements %c1, %length, %heads, %c16 : tensor<4xi64>
  %y = tensor.reshape %x(%shape) : (tensor<1x?x64xf32>, tensor<4xi64>) -> tensor<1x?x4x16xf32>
  return %y : tensor<1x?x4x16xf32>
}

// -----

// CHECK-LABEL: func @reshape_unknown
//       CHECK:   tensor.reshape
func.func @reshape_unknown(%x: tensor<?x64xf32>, %n: i64) -> tensor<?x32xf32> {
  %c32 = arith.constant 32 : i64
  %shape = tensor.from_elements %n, %c32 : tensor<2xi64>
  %y = tensor.reshape %x(%shape) : (tensor<?x64xf32>, tensor<2xi64>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// -----

// Arguments of one symbol have one extent, so their comparison is decided.

// CHECK-LABEL: func @same_symbol
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @same_symbol(%x: tensor<?xf32> {posenc.symbols = ["S"]},
                       %y: tensor<?xf32> {posenc.symbols = ["S"]}) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %equal = arith.cmpi eq, %m, %n : index
  cf.assert %equal, "mismatched size for broadcast"
  return
}

// -----

// CHECK-LABEL: func @two_symbols
//       CHECK:   cf.assert
func.func @two_symbols(%x: tensor<?xf32> {posenc.symbols = ["S"]},
                       %y: tensor<?xf32> {posenc.symbols = ["T"]}) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %equal = arith.cmpi eq, %m, %n : index
  cf.assert %equal, "mismatched size for broadcast"
  return
}

// -----

// A broadcast to the extents that a tensor has already is no op.

// CHECK-LABEL: func @broadcast_to_itself
//  CHECK-SAME:   (%[[X:.*]]: tensor<1x?xf32>)
//       CHECK:   return %[[X]]
func.func @broadcast_to_itself(%x: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %x, %c1 : tensor<1x?xf32>
  %init = tensor.empty(%dim) : tensor<1x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%init : tensor<1x?xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 1 : index
    %isOne = arith.cmpi eq, %dim, %c1 : index
    %at = arith.select %isOne, %c0, %j : index
    %element = tensor.extract %x[%c0, %at] : tensor<1x?xf32>
    linalg.yield %element : f32
  } -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}

// -----

// CHECK-LABEL: func @broadcast_to_more
//       CHECK:   arith.select
func.func @broadcast_to_more(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %x, %c0 : tensor<?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%init : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %isOne = arith.cmpi eq, %dim, %c1 : index
    %at = arith.select %isOne, %c0, %i : index
    %element = tensor.extract %x[%at] : tensor<?xf32>
    linalg.yield %element : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// The verifier accepts an axis that there is not; it is left alone.
// CHECK-LABEL: func @extent_of_no_axis
// CHECK-COUNT-2: tensor.dim
func.func @extent_of_no_axis(%x: tensor<?xf32>) -> (tensor<1xi1>, tensor<1xi1>) {
  %below = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  %dim0 = tensor.dim %x, %below : tensor<?xf32>
  %dim1 = tensor.dim %x, %c1 : tensor<?xf32>
  %isOne0 = arith.cmpi eq, %dim0, %c1 : index
  %isOne1 = arith.cmpi eq, %dim1, %c1 : index
  %r0 = tensor.from_elements %isOne0 : tensor<1xi1>
  %r1 = tensor.from_elements %isOne1 : tensor<1xi1>
  return %r0, %r1 : tensor<1xi1>, tensor<1xi1>
}
