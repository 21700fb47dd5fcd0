// RUN: posenc-opt %s --posenc-separate-destinations | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func @halves
//  CHECK-SAME:   %[[WHOLE:[a-z0-9]+]]: tensor<4x16xf32>
//       CHECK:   %[[LEFT:.*]] = tensor.extract_slice %[[WHOLE]][0, 0]
//       CHECK:   %[[SUM:.*]] = linalg.generic {{.*}} outs(%[[LEFT]] :
//       CHECK:   %[[FIRST:.*]] = tensor.insert_slice %[[SUM]] into %[[WHOLE]]
//       CHECK:   %[[RIGHT:.*]] = tensor.extract_slice %[[FIRST]][0, 8]
//       CHECK:   %[[DIFFERENCE:.*]] = linalg.generic {{.*}} outs(%[[RIGHT]] :
//       CHECK:   tensor.insert_slice %[[DIFFERENCE]] into %[[FIRST]]
func.func @halves(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %part: tensor<4x8xf32>, %whole: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %parts:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%part, %part : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32):
    %sum = arith.addf %a, %b : f32
    %difference = arith.subf %a, %b : f32
    linalg.yield %sum, %difference : f32, f32
  } -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %first = tensor.insert_slice %parts#0 into %whole[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  %second = tensor.insert_slice %parts#1 into %first[0, 8] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  return %second : tensor<4x16xf32>
}

// Results that are used otherwise stay together.

// CHECK-LABEL: func @returned
//       CHECK:   } -> (tensor<4x8xf32>, tensor<4x8xf32>)
func.func @returned(%x: tensor<4x8xf32>, %part: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %parts:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%part, %part : tensor<4x8xf32>, tensor<4x8xf32>) {
  ^bb0(%a: f32, %o0: f32, %o1: f32):
    %c = math.cos %a : f32
    %s = math.sin %a : f32
    linalg.yield %c, %s : f32, f32
  } -> (tensor<4x8xf32>, tensor<4x8xf32>)
  return %parts#0, %parts#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// An empty tensor a destination.

// CHECK-LABEL: func @shared
//       CHECK:   %[[A:.*]] = tensor.empty
//       CHECK:   %[[B:.*]] = tensor.empty
//   CHECK-NOT:   tensor.empty
//       CHECK:   linalg.exp {{.*}} outs(%[[B]] :
//       CHECK:   linalg.abs {{.*}} outs(%[[A]] :
func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %init = tensor.empty() : tensor<4xf32>
  %e = linalg.exp ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.abs ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) -> tensor<4xf32>
  return %e, %a : tensor<4xf32>, tensor<4xf32>
}
