// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @sinusoidal_2d_c1() {
  // expected-error @+1 {{result is 'tensor<2x3x6xf32>'; its last dimension must be static and a multiple of 4: sines and cosines of two axes}}
  %0 = posenc.sinusoidal_2d first(<row>) order(<interleaved>)  : tensor<2x3x6xf32>
  return
}

// -----

func.func @sinusoidal_2d_c2_base() {
  // expected-error @+1 {{'base' is -1.000000e+00; it must be finite and positive}}
  %0 = posenc.sinusoidal_2d first(<row>) order(<interleaved>) {base = -1.0 : f64} : tensor<2x3x8xf32>
  return
}

// -----

func.func @sinusoidal_2d_c2_scale() {
  // expected-error @+1 {{it must be two finite and positive numbers}}
  %0 = posenc.sinusoidal_2d first(<row>) order(<interleaved>) {axis_scale = array<f64: 1.0>} : tensor<2x3x8xf32>
  return
}

// -----

func.func @sinusoidal_2d_c3() {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<?x3x8xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %0 = posenc.sinusoidal_2d first(<row>) order(<interleaved>)  : tensor<?x3x8xf32>
  return
}
