// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @window_c1(%left: index) {
  // expected-error @+1 {{result is 'tensor<1x8x3x5xi1>'; a window is the same for every batch and head, so it must be [1, 1, Lq, Lk]}}
  %mask = posenc.window left(%left) : tensor<1x8x3x5xi1>
  return
}

// -----

func.func @window_c2(%left: index) {
  // expected-error @+1 {{has 1 'sizes' but 'tensor<1x1x3x5xi1>' has 0 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.window sizes(%left) left(%left) : tensor<1x1x3x5xi1>
  return
}

// -----

func.func @window_c3() {
  // expected-error @+1 {{bounds neither side; give 'left', 'right' or both, or drop the mask}}
  %mask = posenc.window : tensor<1x1x3x5xi1>
  return
}

// -----

func.func @window_c4(%left: index) {
  // expected-error @+1 {{'dilation' is 0; it is 1 where a row sees every key of its window}}
  %mask = posenc.window left(%left) {dilation = 0 : i64} : tensor<1x1x5x5xi1>
  return
}
