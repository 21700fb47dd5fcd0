// RUN: posenc-opt %s --posenc-lower-concat | FileCheck %s

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
