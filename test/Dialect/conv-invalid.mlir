// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @conv_c1(%x: tensor<5x8xf32>, %w: tensor<8x4x3xf32>) {
  // expected-error @+1 {{operand #0 must be 3D/4D tensor of}}
  %0 = posenc.conv %x weight(%w : tensor<8x4x3xf32>) : tensor<5x8xf32>
  return
}

// -----

func.func @conv_c2_groups(%x: tensor<1x?x8xf32>, %w: tensor<8x3x5xf32>) {
  // expected-error @+1 {{weight is 'tensor<8x3x5xf32>' for an input 'tensor<1x?x8xf32>'; it must be static, [C, C / G, K] for [B, L, C] or [C, C / G, K, K'] for [B, H, W, C]}}
  %0 = posenc.conv %x weight(%w : tensor<8x3x5xf32>) : tensor<1x?x8xf32>
  return
}

// -----

func.func @conv_c2_axes(%x: tensor<1x?x8xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{weight is 'tensor<8x4x3x3xf32>'}}
  %0 = posenc.conv %x weight(%w : tensor<8x4x3x3xf32>) : tensor<1x?x8xf32>
  return
}

// -----

func.func @conv_c3(%x: tensor<1x?x8xf32>, %w: tensor<8x4x3xf32>, %z: tensor<7xf32>) {
  // expected-error @+1 {{bias is 'tensor<7xf32>' for 8 channels; it must be [C]}}
  %0 = posenc.conv %x weight(%w : tensor<8x4x3xf32>) bias(%z : tensor<7xf32>) : tensor<1x?x8xf32>
  return
}
