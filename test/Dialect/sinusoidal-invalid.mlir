// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @sinusoidal_c1(%d: index) {
  // expected-error @+1 {{result is 'tensor<3x?xf32>'; its last dimension must be static and at least 1, since every column has its own frequency}}
  %pe = posenc.sinusoidal sizes(%d) order(<interleaved>) exponents(<model_dim>) : tensor<3x?xf32>
  return
}

// -----

func.func @sinusoidal_c2() {
  // expected-error @+1 {{has 7 columns; say what an odd number does: 'odd(<zero_column>)' or 'odd(<extra_sine>)'}}
  %pe = posenc.sinusoidal order(<interleaved>) exponents(<model_dim>) : tensor<3x7xf32>
  return
}

// -----

func.func @sinusoidal_c3(%m: tensor<2x3xi64>) {
  // expected-error @+1 {{'positions' is 'tensor<2x3xi64>' for a result 'tensor<3x8xf32>'; it must be [L], or with a batch [B or 1, L]}}
  %pe = posenc.sinusoidal positions(%m : tensor<2x3xi64>) order(<interleaved>) exponents(<model_dim>) : tensor<3x8xf32>
  return
}

// -----

func.func @sinusoidal_c3_batch(%m: tensor<2x3xi64>) {
  // expected-error @+1 {{'positions' is 'tensor<2x3xi64>' for a result 'tensor<4x3x8xf32>'; it must be [L], or with a batch [B or 1, L]}}
  %pe = posenc.sinusoidal positions(%m : tensor<2x3xi64>) order(<interleaved>) exponents(<model_dim>) : tensor<4x3x8xf32>
  return
}

// -----

func.func @sinusoidal_c3_length(%m: tensor<4xi64>) {
  // expected-error @+1 {{'positions' is 'tensor<4xi64>' for a result 'tensor<3x8xf32>'; it must be [L], or with a batch [B or 1, L]}}
  %pe = posenc.sinusoidal positions(%m : tensor<4xi64>) order(<interleaved>) exponents(<model_dim>) : tensor<3x8xf32>
  return
}

// -----

func.func @sinusoidal_c4() {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<?x8xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %pe = posenc.sinusoidal order(<interleaved>) exponents(<model_dim>) : tensor<?x8xf32>
  return
}

// -----

func.func @sinusoidal_c5(%m: tensor<3xi64>, %offset: index) {
  // expected-error @+1 {{'offset' numbers the rows only where 'positions' do not; drop one}}
  %pe = posenc.sinusoidal positions(%m : tensor<3xi64>) offset(%offset) order(<interleaved>) exponents(<model_dim>) : tensor<3x8xf32>
  return
}

// -----

func.func @sinusoidal_c6() {
  // expected-error @+1 {{'base' is -1.000000e+00, 'angle_scale' 1.000000e+00 and 'scale' 1.000000e+00; all must be finite and the first two positive}}
  %pe = posenc.sinusoidal order(<interleaved>) exponents(<model_dim>) {base = -1.0} : tensor<3x8xf32>
  return
}

// -----

func.func @sinusoidal_c6_scale() {
  // expected-error @+1 {{and 'scale' INF; all must be finite and the first two positive}}
  %pe = posenc.sinusoidal order(<interleaved>) exponents(<model_dim>) {scale = 0x7FF0000000000000 : f64} : tensor<3x8xf32>
  return
}

// -----

func.func @sinusoidal_c7() {
  // expected-error @+1 {{'shift' goes with exponents(<half_dim>); give both or neither}}
  %pe = posenc.sinusoidal order(<interleaved>) exponents(<half_dim>) : tensor<3x8xf32>
  return
}

// -----

func.func @sinusoidal_c7_model_dim() {
  // expected-error @+1 {{'shift' goes with exponents(<half_dim>); give both or neither}}
  %pe = posenc.sinusoidal order(<interleaved>) exponents(<model_dim>) {shift = 1.0} : tensor<3x8xf32>
  return
}

// -----

func.func @sinusoidal_c7_span() {
  // expected-error @+1 {{'shift' is 4.000000e+00 for 8 columns; it must be below 4.000000e+00, half of them}}
  %pe = posenc.sinusoidal order(<interleaved>) exponents(<half_dim>) {shift = 4.0} : tensor<3x8xf32>
  return
}

// -----

func.func @sinusoidal_c8(%times: tensor<3xf32>) {
  // expected-error @+1 {{'padding_position' needs integer positions, these are real; drop it}}
  %pe = posenc.sinusoidal positions(%times : tensor<3xf32>) order(<interleaved>) exponents(<model_dim>) {padding_position = 1} : tensor<3x8xf32>
  return
}
