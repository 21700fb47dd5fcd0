// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @shaw_c1(%t: tensor<9x8xf32>) {
  // expected-error @+1 {{has neither 'query' nor 'key'; give it one or both}}
  %x = posenc.shaw table(%t : tensor<9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4} : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @shaw_c1_query(%q: tensor<2x4x5x8xf32>, %t: tensor<9x8xf32>) {
  // expected-error @+1 {{'query' is 'tensor<2x4x5x8xf32>' for a result 'tensor<2x4x6x7xf32>'; it must be [B, Hq, Lq, D] for a bias [B, Hq, Lq, Lk]}}
  %x = posenc.shaw query(%q : tensor<2x4x5x8xf32>) table(%t : tensor<9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4} : tensor<2x4x6x7xf32>
  return
}

// -----

func.func @shaw_c1_key(%k: tensor<2x3x7x8xf32>, %t: tensor<9x8xf32>) {
  // expected-error @+1 {{'key' is 'tensor<2x3x7x8xf32>' for a result 'tensor<2x4x5x7xf32>'; it must be [B, Hkv, Lk, D], Hkv a divisor of Hq, for a bias [B, Hq, Lq, Lk]}}
  %x = posenc.shaw key(%k : tensor<2x3x7x8xf32>) table(%t : tensor<9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4} : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @shaw_c2(%q: tensor<2x4x5x8xf32>, %t: tensor<9x6xf32>) {
  // expected-error @+1 {{'table' is 'tensor<9x6xf32>' for tokens of width 8 and a result 'tensor<2x4x5x7xf32>'; it must be [rows, D] or [Hq, rows, D], with a static number of rows and a static D from 1 to 1024}}
  %x = posenc.shaw query(%q : tensor<2x4x5x8xf32>) table(%t : tensor<9x6xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4} : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @shaw_c2_heads(%q: tensor<2x4x5x8xf32>, %t: tensor<2x9x8xf32>) {
  // expected-error @+1 {{'table' is 'tensor<2x9x8xf32>' for tokens}}
  %x = posenc.shaw query(%q : tensor<2x4x5x8xf32>) table(%t : tensor<2x9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4} : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @shaw_c2_rows(%q: tensor<2x4x5x8xf32>, %t: tensor<?x8xf32>) {
  // expected-error @+1 {{'table' is 'tensor<?x8xf32>' for tokens}}
  %x = posenc.shaw query(%q : tensor<2x4x5x8xf32>) table(%t : tensor<?x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4} : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @shaw_c3(%q: tensor<2x4x5x8xf32>, %t: tensor<9x8xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<2x4x5x?xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %x = posenc.shaw query(%q : tensor<2x4x5x8xf32>) table(%t : tensor<9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4} : tensor<2x4x5x?xf32>
  return
}

// -----

func.func @shaw_c4(%q: tensor<2x4x5x8xf32>, %t: tensor<9x8xf32>) {
  // expected-error @+1 {{'left' is 9; it must be one of the 9 rows of the table, that of relative position 0}}
  %x = posenc.shaw query(%q : tensor<2x4x5x8xf32>) table(%t : tensor<9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 9} : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @shaw_values_c1(%p: tensor<2x4x5x7xf32>, %t: tensor<3x9x8xf32>) {
  // expected-error @+1 {{'table' is 'tensor<3x9x8xf32>' for a result 'tensor<2x4x5x8xf32>'; it must be [rows, Dv] or [Hq, rows, Dv], with a static number of rows}}
  %x = posenc.shaw_values %p table(%t : tensor<3x9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4} : tensor<2x4x5x7xf32> -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @shaw_values_c2(%p: tensor<2x4x5x7xf32>, %t: tensor<9x8xf32>) {
  // expected-error @+1 {{result is 'tensor<2x4x5x9xf32>' for probabilities 'tensor<2x4x5x7xf32>' and a table 'tensor<9x8xf32>'; it must be [B, Hq, Lq, Dv]}}
  %x = posenc.shaw_values %p table(%t : tensor<9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4} : tensor<2x4x5x7xf32> -> tensor<2x4x5x9xf32>
  return
}

// -----

func.func @shaw_values_c3(%p: tensor<2x4x5x7xf32>, %t: tensor<9x8xf32>) {
  // expected-error @+1 {{'left' is -1; it must be one of the 9 rows}}
  %x = posenc.shaw_values %p table(%t : tensor<9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = -1} : tensor<2x4x5x7xf32> -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @shaw_values_c4(%p: tensor<2x4x5x7xf32>, %t: tensor<9x8xf32>) {
  // expected-error @+1 {{'outside' is 'error', which nothing checks here}}
  %x = posenc.shaw_values %p table(%t : tensor<9x8xf32>) relative(<key_minus_query>) outside(<error>) {left = 4} : tensor<2x4x5x7xf32> -> tensor<2x4x5x8xf32>
  return
}
