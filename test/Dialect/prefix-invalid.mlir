// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @prefix_c1(%n: tensor<2xi64>) {
  // expected-error @+1 {{result is 'tensor<2x8x5x5xi1>'; prefixes are the same for every head, so it must be [B, 1, Lq, Lk]}}
  %mask = posenc.prefix lengths(%n : tensor<2xi64>) : tensor<2x8x5x5xi1>
  return
}

// -----

func.func @prefix_c2() {
  // expected-error @+1 {{takes either 'lengths' or both of 'query_blocks' and 'key_blocks'; give one of the two forms}}
  %mask = posenc.prefix : tensor<1x1x5x5xi1>
  return
}

// -----

func.func @prefix_c2_half(%i: tensor<1x5xi64>) {
  // expected-error @+1 {{takes either 'lengths' or both of 'query_blocks' and 'key_blocks'}}
  %mask = posenc.prefix query_blocks(%i : tensor<1x5xi64>) : tensor<1x1x5x5xi1>
  return
}

// -----

func.func @prefix_c2_both(%n: tensor<1xi64>, %i: tensor<1x5xi64>) {
  // expected-error @+1 {{takes either 'lengths' or both of 'query_blocks' and 'key_blocks'}}
  %mask = posenc.prefix lengths(%n : tensor<1xi64>) key_blocks(%i : tensor<1x5xi64>) : tensor<1x1x5x5xi1>
  return
}

// -----

func.func @prefix_c3(%n: tensor<3xi64>) {
  // expected-error @+1 {{has 3 'lengths' for a batch of 2; one each is needed}}
  %mask = posenc.prefix lengths(%n : tensor<3xi64>) : tensor<2x1x5x5xi1>
  return
}

// -----

func.func @prefix_c4(%q: tensor<2x5xi32>, %k: tensor<2x5xi64>) {
  // expected-error @+1 {{'query_blocks' is 'tensor<2x5xi32>' and 'key_blocks' 'tensor<2x5xi64>' for a result 'tensor<2x1x5x5xi1>'; they must be [B or 1, Lq] and [B or 1, Lk] of one type}}
  %mask = posenc.prefix query_blocks(%q : tensor<2x5xi32>) key_blocks(%k : tensor<2x5xi64>) : tensor<2x1x5x5xi1>
  return
}

// -----

func.func @prefix_c4_keys(%i: tensor<2x5xi32>) {
  // expected-error @+1 {{'query_blocks' is 'tensor<2x5xi32>' and 'key_blocks' 'tensor<2x5xi32>' for a result 'tensor<2x1x5x6xi1>'}}
  %mask = posenc.prefix query_blocks(%i : tensor<2x5xi32>) key_blocks(%i : tensor<2x5xi32>) : tensor<2x1x5x6xi1>
  return
}

// -----

func.func @prefix_c5(%n: tensor<2xi64>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<2x1x?x5xi1>' has 1 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.prefix lengths(%n : tensor<2xi64>) : tensor<2x1x?x5xi1>
  return
}
