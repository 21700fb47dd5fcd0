// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @document_c1(%ids: tensor<2x5xi32>) {
  // expected-error @+1 {{result is 'tensor<2x8x5x5xi1>'; documents are the same for every head, so it must be [B, 1, Lq, Lk]}}
  %mask = posenc.document query_ids(%ids : tensor<2x5xi32>) key_ids(%ids : tensor<2x5xi32>) : tensor<2x8x5x5xi1>
  return
}

// -----

func.func @document_c2(%q: tensor<2x5xi32>, %k: tensor<2x5xi64>) {
  // expected-error @+1 {{'query_ids' is 'tensor<2x5xi32>' and 'key_ids' 'tensor<2x5xi64>' for a result 'tensor<2x1x5x5xi1>'; they must be [B or 1, Lq] and [B or 1, Lk] of one type}}
  %mask = posenc.document query_ids(%q : tensor<2x5xi32>) key_ids(%k : tensor<2x5xi64>) : tensor<2x1x5x5xi1>
  return
}

// -----

func.func @document_c2_batch(%ids: tensor<2x5xi32>) {
  // expected-error @+1 {{'query_ids' is 'tensor<2x5xi32>' and 'key_ids' 'tensor<2x5xi32>' for a result 'tensor<3x1x5x5xi1>'}}
  %mask = posenc.document query_ids(%ids : tensor<2x5xi32>) key_ids(%ids : tensor<2x5xi32>) : tensor<3x1x5x5xi1>
  return
}

// -----

func.func @document_c2_keys(%ids: tensor<2x5xi32>) {
  // expected-error @+1 {{'query_ids' is 'tensor<2x5xi32>' and 'key_ids' 'tensor<2x5xi32>' for a result 'tensor<2x1x5x6xi1>'}}
  %mask = posenc.document query_ids(%ids : tensor<2x5xi32>) key_ids(%ids : tensor<2x5xi32>) : tensor<2x1x5x6xi1>
  return
}

// -----

func.func @document_c3(%ids: tensor<2x5xi32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<2x1x?x5xi1>' has 1 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.document query_ids(%ids : tensor<2x5xi32>) key_ids(%ids : tensor<2x5xi32>) : tensor<2x1x?x5xi1>
  return
}
