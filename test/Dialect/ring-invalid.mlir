// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @ring_c1(%n: tensor<2xi32>) {
  // expected-error @+1 {{result is 'tensor<2x4x3x8xi1>'; a ring is the same for every head, so it must be [B, 1, Lq, Lk]}}
  %0 = posenc.ring lengths(%n : tensor<2xi32>) : tensor<2x4x3x8xi1>
  return
}

// -----

func.func @ring_c2(%n: tensor<3xi32>) {
  // expected-error @+1 {{has 3 'lengths' for a batch of 2; one each is needed}}
  %0 = posenc.ring lengths(%n : tensor<3xi32>) : tensor<2x1x3x8xi1>
  return
}

// -----

func.func @ring_c3(%n: tensor<2xi32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<2x1x?x8xi1>' has 1 dynamic dimensions; give one size for each, in order}}
  %0 = posenc.ring lengths(%n : tensor<2xi32>) : tensor<2x1x?x8xi1>
  return
}
