// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @disentangled_c1(%p: tensor<16x8xf32>) {
  // expected-error @+1 {{must have 'query' with 'pos_key', 'key' with 'pos_query', or both}}
  %x = posenc.disentangled pos_key(%p : tensor<16x8xf32>) buckets(<identity>) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @disentangled_c1_sizes(%q: tensor<2x4x5x8xf32>, %p: tensor<16x8xf32>) {
  // expected-error @+1 {{'query' is 'tensor<2x4x5x8xf32>' for a result 'tensor<1x4x5x7xf32>'}}
  %x = posenc.disentangled query(%q : tensor<2x4x5x8xf32>) pos_key(%p : tensor<16x8xf32>) buckets(<identity>) : tensor<1x4x5x7xf32>
  return
}

// -----

func.func @disentangled_c2(%q: tensor<2x4x5x8xf32>, %p: tensor<16x6xf32>) {
  // expected-error @+1 {{'pos_key' is 'tensor<16x6xf32>' for tokens of width 8}}
  %x = posenc.disentangled query(%q : tensor<2x4x5x8xf32>) pos_key(%p : tensor<16x6xf32>) buckets(<identity>) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @disentangled_c2_odd(%q: tensor<2x4x5x8xf32>, %p: tensor<15x8xf32>) {
  // expected-error @+1 {{'pos_key' has 15 rows; tables must have twice the span, an even number, and as many each}}
  %x = posenc.disentangled query(%q : tensor<2x4x5x8xf32>) pos_key(%p : tensor<15x8xf32>) buckets(<identity>) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @disentangled_c2_differ(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %p: tensor<16x8xf32>, %r: tensor<8x8xf32>) {
  // expected-error @+1 {{'pos_query' has 8 rows}}
  %x = posenc.disentangled query(%q : tensor<2x4x5x8xf32>) pos_key(%p : tensor<16x8xf32>) key(%k : tensor<2x4x7x8xf32>) pos_query(%r : tensor<8x8xf32>) buckets(<identity>) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @disentangled_c3(%q: tensor<2x4x5x8xf32>, %p: tensor<16x8xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<2x4x5x?xf32>' has 1 dynamic dimensions}}
  %x = posenc.disentangled query(%q : tensor<2x4x5x8xf32>) pos_key(%p : tensor<16x8xf32>) buckets(<identity>) : tensor<2x4x5x?xf32>
  return
}

// -----

func.func @disentangled_c4_identity(%q: tensor<2x4x5x8xf32>, %p: tensor<16x8xf32>) {
  // expected-error @+1 {{'bucket_size' and 'max_position' are of logarithmic buckets; drop them}}
  %x = posenc.disentangled query(%q : tensor<2x4x5x8xf32>) pos_key(%p : tensor<16x8xf32>) buckets(<identity>) {bucket_size = 8} : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @disentangled_c4_missing(%q: tensor<2x4x5x8xf32>, %p: tensor<16x8xf32>) {
  // expected-error @+1 {{has logarithmic buckets; give it 'bucket_size' and 'max_position'}}
  %x = posenc.disentangled query(%q : tensor<2x4x5x8xf32>) pos_key(%p : tensor<16x8xf32>) buckets(<logarithmic>) {bucket_size = 8} : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @disentangled_c4_rows(%q: tensor<2x4x5x8xf32>, %p: tensor<16x8xf32>) {
  // expected-error @+1 {{'bucket_size' is 6 and 'max_position' 16 for a table of 16 rows; the first must be even, at least 4, half of the rows or more, the second no less and at most 65536}}
  %x = posenc.disentangled query(%q : tensor<2x4x5x8xf32>) pos_key(%p : tensor<16x8xf32>) buckets(<logarithmic>) {bucket_size = 6, max_position = 16} : tensor<2x4x5x7xf32>
  return
}
