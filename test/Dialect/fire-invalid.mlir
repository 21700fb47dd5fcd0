// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @fire_c1(%w0: tensor<32xf32>, %b0: tensor<32xf32>, %w1: tensor<8x32xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{result is 'tensor<2x8x3x5xf32>'; the bias is the same for every batch, so it must be [1, Hq, Lq, Lk]}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<32xf32>) output(%w1, %b1 : tensor<8x32xf32>, tensor<8xf32>) scale(%c) threshold(%t) {first_position = 1 : i64} : tensor<2x8x3x5xf32>
  return
}

// -----

func.func @fire_c2(%w0: tensor<32xf32>, %b0: tensor<31xf32>, %w1: tensor<8x32xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{'hidden' is 'tensor<32xf32>' and 'tensor<31xf32>'; both must be [W], with a static W from 1 to 1024}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<31xf32>) output(%w1, %b1 : tensor<8x32xf32>, tensor<8xf32>) scale(%c) threshold(%t) {first_position = 1 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @fire_c2_dynamic(%w0: tensor<?xf32>, %b0: tensor<?xf32>, %w1: tensor<8x32xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{'hidden' is 'tensor<?xf32>' and 'tensor<?xf32>'; both must be}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<?xf32>, tensor<?xf32>) output(%w1, %b1 : tensor<8x32xf32>, tensor<8xf32>) scale(%c) threshold(%t) {first_position = 1 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @fire_c2_wide(%w0: tensor<1025xf32>, %b0: tensor<1025xf32>, %w1: tensor<8x1025xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{'hidden' is 'tensor<1025xf32>' and}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<1025xf32>, tensor<1025xf32>) output(%w1, %b1 : tensor<8x1025xf32>, tensor<8xf32>) scale(%c) threshold(%t) {first_position = 1 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @fire_c3_units(%w0: tensor<32xf32>, %b0: tensor<32xf32>, %w1: tensor<8x31xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{'output' weight is 'tensor<8x31xf32>' for 8 heads and 32 hidden units; it must be [Hq, W]}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<32xf32>) output(%w1, %b1 : tensor<8x31xf32>, tensor<8xf32>) scale(%c) threshold(%t) {first_position = 1 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @fire_c3_heads(%w0: tensor<32xf32>, %b0: tensor<32xf32>, %w1: tensor<4x32xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{'output' weight is 'tensor<4x32xf32>' for 8 heads and 32 hidden units}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<32xf32>) output(%w1, %b1 : tensor<4x32xf32>, tensor<8xf32>) scale(%c) threshold(%t) {first_position = 1 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @fire_c3_bias(%w0: tensor<32xf32>, %b0: tensor<32xf32>, %w1: tensor<8x32xf32>, %b1: tensor<4xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{has 4 'output bias' for 8 heads; they belong to query heads, one each}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<32xf32>) output(%w1, %b1 : tensor<8x32xf32>, tensor<4xf32>) scale(%c) threshold(%t) {first_position = 1 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @fire_c4(%w0: tensor<32xf32>, %b0: tensor<32xf32>, %w1: tensor<8x32xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x8x?x5xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<32xf32>) output(%w1, %b1 : tensor<8x32xf32>, tensor<8xf32>) scale(%c) threshold(%t) {first_position = 1 : i64} : tensor<1x8x?x5xf32>
  return
}

// -----

func.func @fire_c5(%w0: tensor<32xf32>, %b0: tensor<32xf32>, %w1: tensor<8x32xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{'first_position' is 2; positions count from 0 or from 1}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<32xf32>) output(%w1, %b1 : tensor<8x32xf32>, tensor<8xf32>) scale(%c) threshold(%t) {first_position = 2 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @fire_c6(%w0: tensor<32xf32>, %b0: tensor<32xf32>, %w1: tensor<8x32xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) {
  // expected-error @+1 {{'epsilon' is 0.000000e+00; it must be finite and positive}}
  %r = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<32xf32>) output(%w1, %b1 : tensor<8x32xf32>, tensor<8xf32>) scale(%c) threshold(%t) {epsilon = 0.0, first_position = 1 : i64} : tensor<1x8x3x5xf32>
  return
}
