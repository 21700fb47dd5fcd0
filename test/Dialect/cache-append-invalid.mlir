// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @cache_append_c1_element(%r: tensor<2x4x3x8xf16>, %n: tensor<2xi32>, %c: tensor<2x4x9x8xf32>) {
  // expected-error @+1 {{new rows are 'tensor<2x4x3x8xf16>' for a cache 'tensor<2x4x9x8xf32>'; they must differ in dimension 2, that of tokens, only}}
  %0 = posenc.cache_append %r at(%n : tensor<2xi32>) layout(<bhld>) outs(%c : tensor<2x4x9x8xf32>) : tensor<2x4x3x8xf16>
  return
}

// -----

func.func @cache_append_c1_heads(%r: tensor<2x3x4x8xf32>, %n: tensor<2xi32>, %c: tensor<2x9x2x8xf32>) {
  // expected-error @+1 {{they must differ in dimension 1, that of tokens, only}}
  %0 = posenc.cache_append %r at(%n : tensor<2xi32>) layout(<blhd>) outs(%c : tensor<2x9x2x8xf32>) : tensor<2x3x4x8xf32>
  return
}

// -----

func.func @cache_append_c2(%r: tensor<2x4x3x8xf32>, %n: tensor<3xi32>, %c: tensor<2x4x9x8xf32>) {
  // expected-error @+1 {{has 3 lengths for a batch of 2; one each is needed}}
  %0 = posenc.cache_append %r at(%n : tensor<3xi32>) layout(<bhld>) outs(%c : tensor<2x4x9x8xf32>) : tensor<2x4x3x8xf32>
  return
}

// -----

func.func @cache_append_c3(%r: tensor<2x4x10x8xf32>, %n: tensor<2xi32>, %c: tensor<2x4x9x8xf32>) {
  // expected-error @+1 {{appends 10 rows to a cache of 9; append fewer, or lengthen the cache}}
  %0 = posenc.cache_append %r at(%n : tensor<2xi32>) layout(<bhld>) ring outs(%c : tensor<2x4x9x8xf32>) : tensor<2x4x10x8xf32>
  return
}
