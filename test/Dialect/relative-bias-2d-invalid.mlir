// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @relative_bias_2d_c1(%table: tensor<15x8xf32>) {
  // expected-error @+1 {{'window' is [2]; it must be [Wh, Ww], both positive, with at most 65536 places}}
  %r = posenc.relative_bias_2d %table {window = array<i64: 2>} : tensor<15x8xf32> -> tensor<1x8x6x6xf32>
  return
}

// -----

func.func @relative_bias_2d_c1_positive(%table: tensor<15x8xf32>) {
  // expected-error @+1 {{'window' is [0, 3]; it must be [Wh, Ww], both positive}}
  %r = posenc.relative_bias_2d %table {window = array<i64: 0, 3>} : tensor<15x8xf32> -> tensor<1x8x6x6xf32>
  return
}

// -----

func.func @relative_bias_2d_c1_large(%table: tensor<15x8xf32>) {
  // expected-error @+1 {{'window' is [257, 256]; it must be}}
  %r = posenc.relative_bias_2d %table {window = array<i64: 257, 256>} : tensor<15x8xf32> -> tensor<1x8x6x6xf32>
  return
}

// -----

func.func @relative_bias_2d_c2(%table: tensor<15x8xf32>) {
  // expected-error @+1 {{result is 'tensor<1x8x7x7xf32>' for 6 tokens; it must be [1, Hq, 6, 6]}}
  %r = posenc.relative_bias_2d %table {window = array<i64: 2, 3>} : tensor<15x8xf32> -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @relative_bias_2d_c2_batch(%table: tensor<18x8xf32>) {
  // expected-error @+1 {{result is 'tensor<2x8x7x7xf32>' for 7 tokens; it must be [1, Hq, 7, 7]}}
  %r = posenc.relative_bias_2d %table class_token {window = array<i64: 2, 3>} : tensor<18x8xf32> -> tensor<2x8x7x7xf32>
  return
}

// -----

func.func @relative_bias_2d_c3(%table: tensor<15x8xf32>) {
  // expected-error @+1 {{table is 'tensor<15x8xf32>' for a result 'tensor<1x8x7x7xf32>'; it must be [18, Hq], a row for each distance between places and 3 of the class token}}
  %r = posenc.relative_bias_2d %table class_token {window = array<i64: 2, 3>} : tensor<15x8xf32> -> tensor<1x8x7x7xf32>
  return
}

// -----

func.func @relative_bias_2d_c3_heads(%table: tensor<15x4xf32>) {
  // expected-error @+1 {{table is 'tensor<15x4xf32>' for a result 'tensor<1x8x6x6xf32>'; it must be [15, Hq], a row for each distance between places}}
  %r = posenc.relative_bias_2d %table {window = array<i64: 2, 3>} : tensor<15x4xf32> -> tensor<1x8x6x6xf32>
  return
}

// -----

func.func @relative_bias_2d_c4(%table: tensor<15x8xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x?x6x6xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %r = posenc.relative_bias_2d %table {window = array<i64: 2, 3>} : tensor<15x8xf32> -> tensor<1x?x6x6xf32>
  return
}
