// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @causal_c1() {
  // expected-error @+1 {{result is 'tensor<2x1x3x5xi1>'; a causal mask is the same for every batch and head, so it must be [1, 1, Lq, Lk]}}
  %mask = posenc.causal : tensor<2x1x3x5xi1>
  return
}

// -----

func.func @causal_c2(%lq: index) {
  // expected-error @+1 {{has 1 'sizes' but 'tensor<1x1x?x?xi1>' has 2 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.causal sizes(%lq) : tensor<1x1x?x?xi1>
  return
}
