// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @bucketed_bias_c1(%table: tensor<32x8xf32>) {
  // expected-error @+1 {{result is 'tensor<2x8x3x5xf32>'; the bias is the same for every batch, so it must be [1, Hq, Lq, Lk]}}
  %bias = posenc.bucketed_bias %table {max_distance = 128} : tensor<32x8xf32> -> tensor<2x8x3x5xf32>
  return
}

// -----

func.func @bucketed_bias_c2_heads(%table: tensor<32x4xf32>) {
  // expected-error @+1 {{table is 'tensor<32x4xf32>' for a result 'tensor<1x8x3x5xf32>'; it must be [buckets, Hq], with a static number of buckets, at least two a direction and as many for either}}
  %bias = posenc.bucketed_bias %table {max_distance = 128} : tensor<32x4xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @bucketed_bias_c2_dynamic(%table: tensor<?x8xf32>) {
  // expected-error @+1 {{table is 'tensor<?x8xf32>' for a result}}
  %bias = posenc.bucketed_bias %table {max_distance = 128} : tensor<?x8xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @bucketed_bias_c2_odd(%table: tensor<31x8xf32>) {
  // expected-error @+1 {{table is 'tensor<31x8xf32>' for a result}}
  %bias = posenc.bucketed_bias %table bidirectional {max_distance = 128} : tensor<31x8xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @bucketed_bias_c2_few(%table: tensor<2x8xf32>) {
  // expected-error @+1 {{table is 'tensor<2x8xf32>' for a result}}
  %bias = posenc.bucketed_bias %table bidirectional {max_distance = 128} : tensor<2x8xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @bucketed_bias_c3(%table: tensor<32x8xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x8x?x5xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %bias = posenc.bucketed_bias %table {max_distance = 128} : tensor<32x8xf32> -> tensor<1x8x?x5xf32>
  return
}

// -----

func.func @bucketed_bias_c4(%table: tensor<32x8xf32>) {
  // expected-error @+1 {{'max_distance' is 16; it must be greater than 16, the number of distances with a bucket of their own, and at most 65536}}
  %bias = posenc.bucketed_bias %table {max_distance = 16} : tensor<32x8xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @bucketed_bias_c4_far(%table: tensor<32x8xf32>) {
  // expected-error @+1 {{'max_distance' is 65537; it must be greater than 8}}
  %bias = posenc.bucketed_bias %table bidirectional {max_distance = 65537} : tensor<32x8xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @bucketed_bias_c5(%table: tensor<32x8xf32>, %gate: tensor<2x8x4xf32>) {
  // expected-error @+1 {{'gate' is 'tensor<2x8x4xf32>' for a result 'tensor<2x8x3x5xf32>'; it must be [B, Hq, Lq], one for each row}}
  %bias = posenc.bucketed_bias %table gate(%gate : tensor<2x8x4xf32>) {max_distance = 128} : tensor<32x8xf32> -> tensor<2x8x3x5xf32>
  return
}
