// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @add_c1(%x: tensor<2x3x8xf32>, %pe: tensor<4x8xf32>) {
  // expected-error @+1 {{'encoding' is 'tensor<4x8xf32>' for embeddings 'tensor<2x3x8xf32>'; it must be [L, d] or [B or 1, L, d]}}
  %y = posenc.add %x, %pe : tensor<2x3x8xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @add_c1_batch(%x: tensor<2x3x8xf32>, %pe: tensor<3x3x8xf32>) {
  // expected-error @+1 {{'encoding' is 'tensor<3x3x8xf32>' for embeddings 'tensor<2x3x8xf32>'; it must be [L, d] or [B or 1, L, d]}}
  %y = posenc.add %x, %pe : tensor<2x3x8xf32>, tensor<3x3x8xf32>
  return
}

// -----

func.func @add_c2(%x: tensor<2x3x8xf32>, %pe: tensor<3x8xf32>) {
  // expected-error @+1 {{'embedding_scale' is nan; it must be finite}}
  %y = posenc.add %x, %pe {embedding_scale = 0x7FF8000000000000 : f64} : tensor<2x3x8xf32>, tensor<3x8xf32>
  return
}
