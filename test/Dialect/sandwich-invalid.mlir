// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @sandwich_c1() {
  // expected-error @+1 {{result is 'tensor<2x8x3x5xf32>'; the bias is the same for every batch, so it must be [1, Hq, Lq, Lk]}}
  %r = posenc.sandwich {width = 128 : i64} : tensor<2x8x3x5xf32>
  return
}

// -----

func.func @sandwich_c1_heads(%h: index) {
  // expected-error @+1 {{cannot compute ratios for an unknown number of heads; give a static head dimension or 'ratios'}}
  %r = posenc.sandwich sizes(%h) {width = 128 : i64} : tensor<1x?x3x5xf32>
  return
}

// -----

func.func @sandwich_c2(%ratios: tensor<4xf32>) {
  // expected-error @+1 {{has 4 'ratios' for 8 heads; they belong to query heads, one each}}
  %r = posenc.sandwich ratios(%ratios : tensor<4xf32>) {width = 128 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @sandwich_c3() {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x8x?x5xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %r = posenc.sandwich {width = 128 : i64} : tensor<1x8x?x5xf32>
  return
}

// -----

func.func @sandwich_c4_odd() {
  // expected-error @+1 {{'width' is 127; sinusoids come in pairs, so it must be even, from 2 to 2048}}
  %r = posenc.sandwich {width = 127 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @sandwich_c4_wide() {
  // expected-error @+1 {{'width' is 2050; sinusoids come in pairs}}
  %r = posenc.sandwich {width = 2050 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @sandwich_c5_base() {
  // expected-error @+1 {{'base' is 0.000000e+00; it must be finite and positive}}
  %r = posenc.sandwich {base = 0.0, width = 128 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @sandwich_c5_ratio() {
  // expected-error @+1 {{'max_ratio' is -1.000000e+00; it must be finite and positive}}
  %r = posenc.sandwich {max_ratio = -1.0, width = 128 : i64} : tensor<1x8x3x5xf32>
  return
}
