// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @alibi_c1() {
  // expected-error @+1 {{result is 'tensor<2x8x3x5xf32>'; the bias is the same for every batch, so it must be [1, Hq, Lq, Lk]}}
  %bias = posenc.alibi : tensor<2x8x3x5xf32>
  return
}

// -----

func.func @alibi_c1_heads(%h: index) {
  // expected-error @+1 {{cannot compute slopes for an unknown number of heads; give a static head dimension, 'slopes' or 'total_heads'}}
  %bias = posenc.alibi sizes(%h) : tensor<1x?x3x5xf32>
  return
}

// -----

func.func @alibi_c2(%slopes: tensor<4xf32>) {
  // expected-error @+1 {{has 4 'slopes' for 8 heads; they belong to query heads, one each}}
  %bias = posenc.alibi slopes(%slopes : tensor<4xf32>) : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c3() {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x8x?x5xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %bias = posenc.alibi : tensor<1x8x?x5xf32>
  return
}

// -----

func.func @alibi_c4() {
  // expected-error @+1 {{'max_bias' is 0.000000e+00; it must be finite and positive}}
  %bias = posenc.alibi {max_bias = 0.0} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c2_later(%s: tensor<8xf32>, %l: tensor<4xf32>) {
  // expected-error @+1 {{has 4 'later_slopes' for 8 heads; they belong to query heads, one each}}
  %bias = posenc.alibi slopes(%s : tensor<8xf32>) later_slopes(%l : tensor<4xf32>) : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c5(%s: tensor<8xf32>) {
  // expected-error @+1 {{'later_slopes' are those of keys after the query; give those before it as 'slopes', and drop 'symmetric'}}
  %bias = posenc.alibi later_slopes(%s : tensor<8xf32>) : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c5_symmetric(%s: tensor<8xf32>) {
  // expected-error @+1 {{'later_slopes' are those of keys after the query}}
  %bias = posenc.alibi slopes(%s : tensor<8xf32>) later_slopes(%s : tensor<8xf32>) symmetric : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c6(%first: index) {
  // expected-error @+1 {{'first_head' and 'total_heads' say together which slopes of the rule a shard has; give both, or 'slopes' alone}}
  %bias = posenc.alibi first_head(%first) : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c6_slopes(%first: index, %s: tensor<8xf32>) {
  // expected-error @+1 {{'first_head' and 'total_heads' say together}}
  %bias = posenc.alibi slopes(%s : tensor<8xf32>) first_head(%first) {total_heads = 16 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c6_total(%first: index) {
  // expected-error @+1 {{'total_heads' is 65537; it must be from 1 to 65536}}
  %bias = posenc.alibi first_head(%first) {total_heads = 65537 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c6_heads(%first: index) {
  // expected-error @+1 {{has 8 heads, of 'total_heads' 4; a shard has only heads of the whole model}}
  %bias = posenc.alibi first_head(%first) {total_heads = 4 : i64} : tensor<1x8x3x5xf32>
  return
}

// -----

func.func @alibi_c6_first() {
  %first = arith.constant 12 : index
  // expected-error @+1 {{has 8 heads from head 12 on, of 'total_heads' 16; a shard has only heads of the whole model}}
  %bias = posenc.alibi first_head(%first) {total_heads = 16 : i64} : tensor<1x8x3x5xf32>
  return
}
