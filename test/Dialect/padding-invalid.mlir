// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @padding_c1(%lengths: tensor<2xi64>) {
  // expected-error @+1 {{result is 'tensor<2x1x3x5xi1>'; padding is the same for every head and row, so it must be [B, 1, 1, Lk]}}
  %mask = posenc.padding lengths(%lengths : tensor<2xi64>) : tensor<2x1x3x5xi1>
  return
}

// -----

func.func @padding_c2(%lengths: tensor<2xi64>) {
  // expected-error @+1 {{has 2 'lengths' for a batch of 3; one each is needed}}
  %mask = posenc.padding lengths(%lengths : tensor<2xi64>) : tensor<3x1x1x5xi1>
  return
}

// -----

func.func @padding_c3(%lengths: tensor<2xi64>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<2x1x1x?xi1>' has 1 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.padding lengths(%lengths : tensor<2xi64>) : tensor<2x1x1x?xi1>
  return
}
