// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @forgetting_c1(%sums: tensor<2x8x5xf32>) {
  // expected-error @+1 {{result #0 must be 4D tensor of 32-bit float values, but got 'tensor<2x8x3xf32>'}}
  %r = posenc.forgetting %sums : tensor<2x8x5xf32> -> tensor<2x8x3xf32>
  return
}

// -----

func.func @forgetting_c2(%sums: tensor<2x8x4xf32>) {
  // expected-error @+1 {{'sums' are 'tensor<2x8x4xf32>' for a result 'tensor<2x8x3x5xf32>'; they must be [B, Hq, Lk], a sum for each key}}
  %r = posenc.forgetting %sums : tensor<2x8x4xf32> -> tensor<2x8x3x5xf32>
  return
}

// -----

func.func @forgetting_c2_backward(%sums: tensor<2x8x5xf32>, %backward: tensor<1x8x5xf32>) {
  // expected-error @+1 {{'backward' is 'tensor<1x8x5xf32>' for a result 'tensor<2x8x3x5xf32>'; it must be [B, Hq, Lk], a sum for each key}}
  %r = posenc.forgetting %sums backward(%backward : tensor<1x8x5xf32>) : tensor<2x8x5xf32> -> tensor<2x8x3x5xf32>
  return
}

// -----

func.func @forgetting_c3(%sums: tensor<1x8x5xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x8x?x5xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %r = posenc.forgetting %sums : tensor<1x8x5xf32> -> tensor<1x8x?x5xf32>
  return
}
