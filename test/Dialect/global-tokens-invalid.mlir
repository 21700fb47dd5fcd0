// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @global_tokens_c1(%g: tensor<2x5xi1>) {
  // expected-error @+1 {{result is 'tensor<2x8x5x5xi1>'; global tokens are the same for every head, so it must be [B, 1, Lq, Lk]}}
  %mask = posenc.global_tokens key_global(%g : tensor<2x5xi1>) : tensor<2x8x5x5xi1>
  return
}

// -----

func.func @global_tokens_c2() {
  // expected-error @+1 {{has no global tokens; give 'query_global', 'key_global' or both, or drop the mask}}
  %mask = posenc.global_tokens : tensor<2x1x5x5xi1>
  return
}

// -----

func.func @global_tokens_c3(%g: tensor<2x5xi1>) {
  // expected-error @+1 {{'query_global' is 'tensor<2x5xi1>' for a result 'tensor<2x1x6x5xi1>'; it must be [B or 1, Lq]}}
  %mask = posenc.global_tokens query_global(%g : tensor<2x5xi1>) : tensor<2x1x6x5xi1>
  return
}

// -----

func.func @global_tokens_c3_keys(%g: tensor<2x5xi1>) {
  // expected-error @+1 {{'key_global' is 'tensor<2x5xi1>' for a result 'tensor<3x1x5x5xi1>'; it must be [B or 1, Lk]}}
  %mask = posenc.global_tokens key_global(%g : tensor<2x5xi1>) : tensor<3x1x5x5xi1>
  return
}

// -----

func.func @global_tokens_c4(%g: tensor<2x5xi1>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<2x1x?x5xi1>' has 1 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.global_tokens key_global(%g : tensor<2x5xi1>) : tensor<2x1x?x5xi1>
  return
}
