// RUN: posenc-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

// Every dimension of a result is that of an operand or a size: no op is needed to know it.

// CHECK-LABEL: func @scores
//  CHECK-SAME:   %[[LQ:.*]]: index, %[[LK:.*]]: index, %{{.*}}: tensor<32x8xf32>
//       CHECK:   return %[[LQ]], %[[LK]], %[[LQ]], %[[LK]], %[[LQ]], %[[LK]], %[[LQ]], %[[LK]]
func.func @scores(%lq: index, %lk: index, %table: tensor<32x8xf32>)
    -> (index, index, index, index, index, index, index, index) {
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %0 = posenc.alibi sizes(%lq, %lk) : tensor<1x8x?x?xf32>
  %1 = posenc.bucketed_bias %table sizes(%lq, %lk) {max_distance = 128} : tensor<32x8xf32> -> tensor<1x8x?x?xf32>
  %2 = posenc.causal sizes(%lq, %lk) : tensor<1x1x?x?xi1>
  %3 = posenc.window sizes(%lq, %lk) left(%lq) : tensor<1x1x?x?xi1>
  %4 = tensor.dim %0, %two : tensor<1x8x?x?xf32>
  %5 = tensor.dim %0, %three : tensor<1x8x?x?xf32>
  %6 = tensor.dim %1, %two : tensor<1x8x?x?xf32>
  %7 = tensor.dim %1, %three : tensor<1x8x?x?xf32>
  %8 = tensor.dim %2, %two : tensor<1x1x?x?xi1>
  %9 = tensor.dim %2, %three : tensor<1x1x?x?xi1>
  %10 = tensor.dim %3, %two : tensor<1x1x?x?xi1>
  %11 = tensor.dim %3, %three : tensor<1x1x?x?xi1>
  return %4, %5, %6, %7, %8, %9, %10, %11 : index, index, index, index, index, index, index, index
}

// CHECK-LABEL: func @batched_masks
//  CHECK-SAME:   %[[B:.*]]: index, %[[LQ:.*]]: index, %[[LK:.*]]: index,
//       CHECK:   return %[[B]], %[[LK]], %[[B]], %[[LQ]], %[[LK]]
func.func @batched_masks(%b: index, %lq: index, %lk: index, %lengths: tensor<?xi64>,
                         %q: tensor<?x?xi32>, %k: tensor<?x?xi32>) -> (index, index, index, index, index) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %0 = posenc.padding lengths(%lengths : tensor<?xi64>) sizes(%b, %lk) : tensor<?x1x1x?xi1>
  %1 = posenc.document query_ids(%q : tensor<?x?xi32>) key_ids(%k : tensor<?x?xi32>)
      sizes(%b, %lq, %lk) : tensor<?x1x?x?xi1>
  %2 = tensor.dim %0, %zero : tensor<?x1x1x?xi1>
  %3 = tensor.dim %0, %three : tensor<?x1x1x?xi1>
  %4 = tensor.dim %1, %zero : tensor<?x1x?x?xi1>
  %5 = tensor.dim %1, %two : tensor<?x1x?x?xi1>
  %6 = tensor.dim %1, %three : tensor<?x1x?x?xi1>
  return %2, %3, %4, %5, %6 : index, index, index, index, index
}

// CHECK-LABEL: func @absolute
//  CHECK-SAME:   %[[B:.*]]: index, %[[L:.*]]: index, %{{.*}}: tensor<512x8xf32>, %[[X:.*]]: tensor<?x?x8xf32>
//       CHECK:   %[[ROWS:.*]] = tensor.dim %[[X]], %c1
//       CHECK:   return %[[B]], %[[L]], %[[L]], %[[ROWS]]
func.func @absolute(%b: index, %l: index, %table: tensor<512x8xf32>, %x: tensor<?x?x8xf32>)
    -> (index, index, index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = posenc.sinusoidal sizes(%b, %l) order(<interleaved>) exponents(<model_dim>) : tensor<?x?x8xf32>
  %1 = posenc.learned %table sizes(%l) out_of_range(<clamp>) : tensor<512x8xf32> -> tensor<?x8xf32>
  %2 = posenc.add %x, %1 : tensor<?x?x8xf32>, tensor<?x8xf32>
  %3 = tensor.dim %0, %zero : tensor<?x?x8xf32>
  %4 = tensor.dim %0, %one : tensor<?x?x8xf32>
  %5 = tensor.dim %1, %zero : tensor<?x8xf32>
  %6 = tensor.dim %2, %one : tensor<?x?x8xf32>
  return %3, %4, %5, %6 : index, index, index, index
}

// CHECK-LABEL: func @rotary_and_attention
//  CHECK-SAME:   %[[X:.*]]: tensor<?x8x?x8xf32>, %{{.*}}: f32, %[[INIT:.*]]: tensor<?x8x?x8xf32>
//   CHECK-DAG:   %[[ROWS:.*]] = tensor.dim %[[X]], %c2
//   CHECK-DAG:   %[[BATCH:.*]] = tensor.dim %[[INIT]], %c0
//       CHECK:   return %[[ROWS]], %[[BATCH]]
func.func @rotary_and_attention(%x: tensor<?x8x?x8xf32>, %scale: f32,
                                %init: tensor<?x8x?x8xf32>) -> (index, index) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %q = posenc.rotary %x lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<?x8x?x8xf32>
  %o = posenc.attention query(%q : tensor<?x8x?x8xf32>) key(%q : tensor<?x8x?x8xf32>)
      value(%x : tensor<?x8x?x8xf32>) scale(%scale) outs(%init : tensor<?x8x?x8xf32>) -> tensor<?x8x?x8xf32>
  %rows = tensor.dim %q, %two : tensor<?x8x?x8xf32>
  %batch = tensor.dim %o, %zero : tensor<?x8x?x8xf32>
  return %rows, %batch : index, index
}
