// RUN: posenc-opt %s --posenc-group --verify-diagnostics

// expected-error @below {{the module does not say what CPU it is for; run posenc-attach-target before}}
func.func @no_target(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
