// RUN: posenc-opt %s --posenc-inline-elements --canonicalize --cse --split-input-file | FileCheck %s

// An encoding's element is computed from the indices; the bias tensor is gone.

// CHECK-LABEL: func @alibi
//   CHECK-NOT:   posenc.alibi
//       CHECK:   posenc.attention
//       CHECK:     score(%[[X:[a-z0-9]+]], %{{.*}}, %[[H:[a-z0-9]+]], %[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) {
//       CHECK:       %[[SLOPE:.*]] = tensor.extract %{{.*}}[%[[H]]] : tensor<8xf32>
//       CHECK:       arith.subi %[[J]], %[[I]]
//       CHECK:       %[[BIAS:.*]] = arith.mulf %[[SLOPE]]
//       CHECK:       arith.addf %[[X]], %[[BIAS]]
func.func @alibi(%q: tensor<1x8x?x16xf32>, %k: tensor<1x8x?x16xf32>, %lq: index, %lk: index, %scale: f32,
                 %init: tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32> {
  %bias = posenc.alibi sizes(%lq, %lk) : tensor<1x8x?x?xf32>
  %o = posenc.attention query(%q : tensor<1x8x?x16xf32>) key(%k : tensor<1x8x?x16xf32>)
      value(%k : tensor<1x8x?x16xf32>) scale(%scale) outs(%init : tensor<1x8x?x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %e = tensor.extract %bias[%c0, %h, %i, %j] : tensor<1x8x?x?xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      } -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}

// -----

// Primitive ops fuse like encodings: a broadcast comparison of position tensors, through
// reshapes, down to the argument.

// CHECK-LABEL: func @positions
//  CHECK-SAME:   %[[P:[a-z0-9]+]]: tensor<2x?xi64>
//   CHECK-NOT:   linalg.generic
//       CHECK:   mask(%[[B:[a-z0-9]+]], %{{.*}}, %[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) {
//   CHECK-DAG:     %[[PI:.*]] = tensor.extract %[[P]][%[[B]], %[[I]]]
//   CHECK-DAG:     %[[PJ:.*]] = tensor.extract %[[P]][%[[B]], %[[J]]]
//       CHECK:     arith.cmpi sle, %[[PJ]], %[[PI]] : i64
func.func @positions(%q: tensor<2x8x?x16xf32>, %positions: tensor<2x?xi64>, %l: index, %scale: f32,
                     %init: tensor<2x8x?x16xf32>) -> tensor<2x8x?x16xf32> {
  %rows = tensor.expand_shape %positions [[0], [1, 2]] output_shape [2, %l, 1] : tensor<2x?xi64> into tensor<2x?x1xi64>
  %keys = tensor.expand_shape %positions [[0], [1, 2]] output_shape [2, 1, %l] : tensor<2x?xi64> into tensor<2x1x?xi64>
  %empty = tensor.empty(%l, %l) : tensor<2x?x?xi1>
  %m = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i, 0)>, affine_map<(b, i, j) -> (b, 0, j)>, affine_map<(b, i, j) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%rows, %keys : tensor<2x?x1xi64>, tensor<2x1x?xi64>) outs(%empty : tensor<2x?x?xi1>) {
    ^bb0(%i: i64, %j: i64, %out: i1):
      %c = arith.cmpi sle, %j, %i : i64
      linalg.yield %c : i1
    } -> tensor<2x?x?xi1>
  %o = posenc.attention query(%q : tensor<2x8x?x16xf32>) key(%q : tensor<2x8x?x16xf32>)
      value(%q : tensor<2x8x?x16xf32>) scale(%scale) outs(%init : tensor<2x8x?x16xf32>)
      mask(%b, %h, %i, %j) {
        %e = tensor.extract %m[%b, %i, %j] : tensor<2x?x?xi1>
        posenc.yield %e : i1
      } -> tensor<2x8x?x16xf32>
  return %o : tensor<2x8x?x16xf32>
}

// -----

// A table of one long axis with expensive elements is computed once and read; the same
// elements over rows and keys are not.

// CHECK-LABEL: func @table_stays
//       CHECK:   %[[TABLE:.*]] = linalg.generic
//       CHECK:     math.cos
//       CHECK:   score
//       CHECK:     tensor.extract %[[TABLE]]
//       CHECK:     math.exp
func.func @table_stays(%q: tensor<1x8x?x16xf32>, %angles: tensor<?x4xf32>, %bias: tensor<?x?xf32>, %l: index, %scale: f32,
                       %init: tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32> {
  %te = tensor.empty(%l) : tensor<?x4xf32>
  %table = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i, d)>, affine_map<(i, d) -> (i, d)>],
      iterator_types = ["parallel", "parallel"]} ins(%angles : tensor<?x4xf32>) outs(%te : tensor<?x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = math.cos %in : f32
      linalg.yield %c : f32
    } -> tensor<?x4xf32>
  %be = tensor.empty(%l, %l) : tensor<?x?xf32>
  %whole = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<?x?xf32>) outs(%be : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = math.exp %in : f32
      linalg.yield %c : f32
    } -> tensor<?x?xf32>
  %o = posenc.attention query(%q : tensor<1x8x?x16xf32>) key(%q : tensor<1x8x?x16xf32>)
      value(%q : tensor<1x8x?x16xf32>) scale(%scale) outs(%init : tensor<1x8x?x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %c0 = arith.constant 0 : index
        %t = tensor.extract %table[%j, %c0] : tensor<?x4xf32>
        %w = tensor.extract %whole[%i, %j] : tensor<?x?xf32>
        %y = arith.addf %x, %t : f32
        %z = arith.addf %y, %w : f32
        posenc.yield %z : f32
      } -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}

// Of a gather from a table with expensive elements the table stays.

// CHECK-LABEL: func @gathered_table
//       CHECK:   %[[TABLE:.*]] = linalg.generic
//       CHECK:     math.exp
//   CHECK-NOT:   posenc.relative_bias_2d
//       CHECK:   score(%{{.*}}, %{{.*}}, %[[H:.*]], %{{.*}}, %{{.*}}) {
//   CHECK-NOT:     math.exp
//       CHECK:     tensor.extract %[[TABLE]][%{{.*}}, %[[H]]]
func.func @gathered_table(%q: tensor<3x8x?x16xf32>, %weights: tensor<15x8xf32>, %scale: f32,
                          %init: tensor<3x8x?x16xf32>) -> tensor<3x8x?x16xf32> {
  %zero = arith.constant 0 : index
  %te = tensor.empty() : tensor<15x8xf32>
  %table = linalg.generic {indexing_maps = [affine_map<(i, d) -> (i, d)>, affine_map<(i, d) -> (i, d)>],
      iterator_types = ["parallel", "parallel"]} ins(%weights : tensor<15x8xf32>) outs(%te : tensor<15x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %e = math.exp %in : f32
      linalg.yield %e : f32
    } -> tensor<15x8xf32>
  %bias = posenc.relative_bias_2d %table {window = array<i64: 2, 3>} : tensor<15x8xf32> -> tensor<1x8x6x6xf32>
  %o = posenc.attention query(%q : tensor<3x8x?x16xf32>) key(%q : tensor<3x8x?x16xf32>)
      value(%q : tensor<3x8x?x16xf32>) scale(%scale) outs(%init : tensor<3x8x?x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %e = tensor.extract %bias[%zero, %h, %i, %j] : tensor<1x8x6x6xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      } -> tensor<3x8x?x16xf32>
  return %o : tensor<3x8x?x16xf32>
}
