// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @chunked_c1() {
  // expected-error @+1 {{result is 'tensor<1x8x5x5xi1>'; chunks are the same for every head, and without 'starts' for every batch, so it must be [1, 1, Lq, Lk]}}
  %mask = posenc.chunked {chunk = 3 : i64} : tensor<1x8x5x5xi1>
  return
}

// -----

func.func @chunked_c1_batch() {
  // expected-error @+1 {{result is 'tensor<2x1x5x5xi1>'; chunks are the same for every head, and without 'starts' for every batch}}
  %mask = posenc.chunked {chunk = 3 : i64} : tensor<2x1x5x5xi1>
  return
}

// -----

func.func @chunked_c2(%s: tensor<3xi64>) {
  // expected-error @+1 {{has 3 'starts' for a batch of 2; one each is needed}}
  %mask = posenc.chunked starts(%s : tensor<3xi64>) {chunk = 3 : i64} : tensor<2x1x5x5xi1>
  return
}

// -----

func.func @chunked_c3() {
  // expected-error @+1 {{'chunk' is 0; a chunk has at least one token}}
  %mask = posenc.chunked {chunk = 0 : i64} : tensor<1x1x5x5xi1>
  return
}

// -----

func.func @chunked_c4() {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x1x?x5xi1>' has 1 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.chunked {chunk = 3 : i64} : tensor<1x1x?x5xi1>
  return
}
