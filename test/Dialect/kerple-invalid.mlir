// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @kerple_c1(%p: tensor<8xf32>, %a: tensor<8xf32>) {
  // expected-error @+1 {{result is 'tensor<2x8x3x5xf32>'; the bias is the same for every batch, so it must be [1, Hq, Lq, Lk]}}
  %r = posenc.kerple %p, %a kernel(<log>) later_keys(<zero>) : tensor<8xf32>, tensor<8xf32> -> tensor<2x8x3x5xf32>
  return
}

// -----

func.func @kerple_c2_p(%p: tensor<4xf32>, %a: tensor<8xf32>) {
  // expected-error @+1 {{has 4 'p' for 8 heads; they belong to query heads, one each}}
  %r = posenc.kerple %p, %a kernel(<log>) later_keys(<zero>) : tensor<4xf32>, tensor<8xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @kerple_c2_a(%p: tensor<8xf32>, %a: tensor<9xf32>) {
  // expected-error @+1 {{has 9 'a' for 8 heads; they belong to query heads, one each}}
  %r = posenc.kerple %p, %a kernel(<log>) later_keys(<zero>) : tensor<8xf32>, tensor<9xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @kerple_c3(%p: tensor<8xf32>, %a: tensor<8xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x8x?x5xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %r = posenc.kerple %p, %a kernel(<log>) later_keys(<zero>) : tensor<8xf32>, tensor<8xf32> -> tensor<1x8x?x5xf32>
  return
}
