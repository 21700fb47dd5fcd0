// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @rotary_c4_axes(%x: tensor<1x8x3x8xf32>, %m: tensor<2x1x3xi64>) {
  // expected-error @+1 {{'positions' is 'tensor<2x1x3xi64>' for an input 'tensor<1x8x3x8xf32>'; with 'sections' it must be [3, batch or 1, length]}}
  %y = posenc.rotary %x positions(%m : tensor<2x1x3xi64>) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) sections(<chunked, [2, 1, 1], ordinary>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c4_no_axes(%x: tensor<1x8x3x8xf32>, %m: tensor<1x3xi64>) {
  // expected-error @+1 {{with 'sections' it must be [3, batch or 1, length]}}
  %y = posenc.rotary %x positions(%m : tensor<1x3xi64>) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) sections(<chunked, [2, 1, 1], ordinary>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c4_no_sections(%x: tensor<1x8x3x8xf32>, %m: tensor<1x1x3xi64>) {
  // expected-error @+1 {{it must be [batch or 1, length] or [length]}}
  %y = posenc.rotary %x positions(%m : tensor<1x1x3xi64>) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>)  : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c6_ntk(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{scales the base for 2 rotary lanes by the exponent r / (r - 2); it takes at least 4 lanes}}
  %y = posenc.rotary %x  lanes(<half, first = 0, count = 2>)
      frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.ntk<alpha = 2.0>>)  : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c6_dynamic_ntk(%x: tensor<1x8x3x8xf32>, %n: index) {
  // expected-error @+1 {{it takes at least 4 lanes}}
  %y = posenc.rotary %x length(%n) lanes(<half, first = 0, count = 2>)
      frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original_length = 8>>)  : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c6_yarn(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{tells pairs by their wavelengths, which do not grow with 'base' 1.000000e+00; it must be greater than 1}}
  %y = posenc.rotary %x  lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 1.0, scaling = #posenc.yarn<factor = 4.0, original_length = 4096, beta_fast = 32.0, beta_slow = 1.0, truncate = true>>)  : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c6_longrope(%x: tensor<1x8x3x8xf32>, %n: index) {
  // expected-error @+1 {{has lists of 2 divisors for 4 pairs of lanes; one each is needed}}
  %y = posenc.rotary %x length(%n) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.longrope<short_factor = [1.0, 2.0], long_factor = [1.0, 4.0], original_length = 4096, factor = 32.0>>)  : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c6_sections(%x: tensor<1x8x3x8xf32>, %m: tensor<2x1x3xi64>) {
  // expected-error @+1 {{has 4 frequencies for 2 pairs of lanes; one each is needed}}
  %y = posenc.rotary %x positions(%m : tensor<2x1x3xi64>) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.explicit_frequencies<[1.0, 0.5, 0.25, 0.125], attention_factor = 1.0>) sections(<chunked, [2, 2], restarting>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c7(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{has frequencies that depend on the length of the call; give it as 'length'}}
  %y = posenc.rotary %x  lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original_length = 8>>)  : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c7_unused(%x: tensor<1x8x3x8xf32>, %n: index) {
  // expected-error @+1 {{'length' is for frequencies that depend on it, and these do not; drop it}}
  %y = posenc.rotary %x length(%n) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>)  : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c8(%x: tensor<1x8x3x8xf32>, %m: tensor<2x1x3xi64>) {
  // expected-error @+1 {{has sections of 3 pairs for 4; they must be as many, and come with 'frequencies' and 'positions'}}
  %y = posenc.rotary %x positions(%m : tensor<2x1x3xi64>) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) sections(<chunked, [2, 1], ordinary>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c8_no_positions(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{and come with 'frequencies' and 'positions'}}
  %y = posenc.rotary %x  lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) sections(<chunked, [2, 2], ordinary>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c9(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{takes 'decay' and 'centre' together, with 'frequencies' and not with 'inverse'}}
  %y = posenc.rotary %x  lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) decay(<query, scale_base = 512.0>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c9_centre(%x: tensor<1x8x3x8xf32>, %n: index) {
  // expected-error @+1 {{takes 'decay' and 'centre' together}}
  %y = posenc.rotary %x centre(%n) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>)  : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c9_inverse(%x: tensor<1x8x3x8xf32>, %n: index) {
  // expected-error @+1 {{takes 'decay' and 'centre' together}}
  %y = posenc.rotary %x centre(%n) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) decay(<query, scale_base = 512.0>) inverse : tensor<1x8x3x8xf32>
  return
}
