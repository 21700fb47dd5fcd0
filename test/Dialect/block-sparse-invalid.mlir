// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @block_sparse_c1(%m: tensor<1x4x2x2xi1>) {
  // expected-error @+1 {{result is 'tensor<1x8x128x128xi1>' for 'blocks' 'tensor<1x4x2x2xi1>'; batch and heads must be those of 'blocks'}}
  %mask = posenc.block_sparse blocks(%m : tensor<1x4x2x2xi1>) {query_block = 64 : i64, key_block = 64 : i64} : tensor<1x8x128x128xi1>
  return
}

// -----

func.func @block_sparse_c2(%m: tensor<1x1x2x2xi1>) {
  // expected-error @+1 {{'query_block' is 0 and 'key_block' 64; a block has at least one row and key}}
  %mask = posenc.block_sparse blocks(%m : tensor<1x1x2x2xi1>) {query_block = 0 : i64, key_block = 64 : i64} : tensor<1x1x128x128xi1>
  return
}

// -----

func.func @block_sparse_c3(%m: tensor<1x1x2x2xi1>) {
  // expected-error @+1 {{'blocks' is 'tensor<1x1x2x2xi1>' for a result 'tensor<1x1x129x128xi1>'; dimension 2 needs a block for each 64 of 129, and at least one}}
  %mask = posenc.block_sparse blocks(%m : tensor<1x1x2x2xi1>) {query_block = 64 : i64, key_block = 64 : i64} : tensor<1x1x129x128xi1>
  return
}

// -----

func.func @block_sparse_c3_keys(%m: tensor<1x1x2x2xi1>) {
  // expected-error @+1 {{'blocks' is 'tensor<1x1x2x2xi1>' for a result 'tensor<1x1x128x129xi1>'; dimension 3 needs a block for each 64 of 129, and at least one}}
  %mask = posenc.block_sparse blocks(%m : tensor<1x1x2x2xi1>) {query_block = 64 : i64, key_block = 64 : i64} : tensor<1x1x128x129xi1>
  return
}

// -----

func.func @block_sparse_c4(%m: tensor<1x1x2x2xi1>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x1x?x128xi1>' has 1 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.block_sparse blocks(%m : tensor<1x1x2x2xi1>) {query_block = 64 : i64, key_block = 64 : i64} : tensor<1x1x?x128xi1>
  return
}
