// RUN: posenc-opt %s --posenc-decompose-aggregates | FileCheck %s

// CHECK-LABEL: func @cache
//  CHECK-SAME:   %[[PAST:.*]]: tensor<1x?x8xf32>, %[[NEW:.*]]: tensor<1x4x8xf32>
//   CHECK-NOT:   tensor.concat
//       CHECK:   %[[ALL:.*]] = tensor.empty
//       CHECK:   %[[FIRST:.*]] = tensor.insert_slice %[[PAST]] into %[[ALL]]
//       CHECK:   tensor.insert_slice %[[NEW]] into %[[FIRST]]
func.func @cache(%past: tensor<1x?x8xf32>, %new: tensor<1x4x8xf32>) -> tensor<1x?x8xf32> {
  %all = tensor.concat dim(1) %past, %new : (tensor<1x?x8xf32>, tensor<1x4x8xf32>) -> tensor<1x?x8xf32>
  return %all : tensor<1x?x8xf32>
}

// CHECK-LABEL: func @softmax
//   CHECK-NOT:   linalg.softmax
//       CHECK:   math.exp
func.func @softmax(%x: tensor<4x?xf32>, %init: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %p = linalg.softmax dimension(1) ins(%x : tensor<4x?xf32>) outs(%init : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %p : tensor<4x?xf32>
}

// Attention stays whole.

// CHECK-LABEL: func @attention
//       CHECK:   posenc.attention
func.func @attention(%x: tensor<1x8x4x64xf32>, %scale: f32) -> tensor<1x8x4x64xf32> {
  %r = posenc.attention query(%x : tensor<1x8x4x64xf32>) key(%x : tensor<1x8x4x64xf32>) value(%x : tensor<1x8x4x64xf32>)
    scale(%scale) outs(%x : tensor<1x8x4x64xf32>) -> tensor<1x8x4x64xf32>
  return %r : tensor<1x8x4x64xf32>
}
