// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @document_ids_c1(%c: tensor<3xi64>) {
  // expected-error @+1 {{result is 'tensor<1x9xi32>' for boundaries 'tensor<3xi64>'; it must be [1, L] of their element type}}
  %mask = posenc.document_ids %c number(<id>) : tensor<3xi64> -> tensor<1x9xi32>
  return
}

// -----

func.func @document_ids_c2(%c: tensor<0xi64>) {
  // expected-error @+1 {{has no boundary; give at least the first, 0}}
  %mask = posenc.document_ids %c number(<id>) : tensor<0xi64> -> tensor<1x9xi64>
  return
}

// -----

func.func @document_ids_c3(%c: tensor<3xi64>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x?xi64>' has 1 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.document_ids %c number(<id>) : tensor<3xi64> -> tensor<1x?xi64>
  return
}
