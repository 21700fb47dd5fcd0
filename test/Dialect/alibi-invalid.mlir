// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @alibi_c1() {
  // expected-error @+1 {{result is 'tensor<2x8x3x5xf32>'; a linear bias is the same for every batch, so it must be [1, Hq, Lq, Lk]}}
  %bias = posenc.alibi : tensor<2x8x3x5xf32>
  return
}

// -----

func.func @alibi_c1_heads(%h: index) {
  // expected-error @+1 {{cannot compute slopes for an unknown number of heads; give a static head dimension or 'slopes'}}
  %bias = posenc.alibi sizes(%h) : tensor<1x?x3x5xf32>
  return
}

// -----

func.func @alibi_c2(%slopes: tensor<4xf32>) {
  // expected-error @+1 {{has 4 'slopes' for 8 heads; slopes belong to query heads, one each}}
  %bias = posenc.alibi slopes(%slopes : tensor<4xf32>) : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c3() {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x8x?x5xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %bias = posenc.alibi : tensor<1x8x?x5xf32>
  return
}

// -----

func.func @alibi_c4() {
  // expected-error @+1 {{'max_bias' is 0.000000e+00; it must be finite and positive}}
  %bias = posenc.alibi {max_bias = 0.0} : tensor<1x8x3x5xf32>
  return
}
