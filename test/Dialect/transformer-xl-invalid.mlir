// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @transformer_xl_c1(%q: tensor<2x4x5x8xf32>, %r: tensor<7x8xf32>) {
  // expected-error @+1 {{'query' is 'tensor<2x4x5x8xf32>' for a result 'tensor<2x4x6x7xf32>'}}
  %x = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%r : tensor<7x8xf32>) rows(<transformer_xl>) : tensor<2x4x6x7xf32>
  return
}

// -----

func.func @transformer_xl_c2(%q: tensor<2x4x5x8xf32>, %r: tensor<7x6xf32>) {
  // expected-error @+1 {{'relative' is 'tensor<7x6xf32>' for tokens of width 8 and a result 'tensor<2x4x5x7xf32>'; it must be [rows, D] or [Hq, rows, D], with at least one row and a static D from 1 to 1024}}
  %x = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%r : tensor<7x6xf32>) rows(<transformer_xl>) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @transformer_xl_c3(%q: tensor<2x4x5x8xf32>, %r: tensor<7x8xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<2x4x5x?xf32>' has 1 dynamic dimensions}}
  %x = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%r : tensor<7x8xf32>) rows(<transformer_xl>) : tensor<2x4x5x?xf32>
  return
}

// -----

func.func @transformer_xl_c4(%q: tensor<2x4x5x8xf32>, %r: tensor<7x8xf32>, %v: tensor<4x6xf32>) {
  // expected-error @+1 {{'query_bias' is 'tensor<4x6xf32>' for a result 'tensor<2x4x5x7xf32>'; it must be [Hq, D]}}
  %x = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) query_bias(%v : tensor<4x6xf32>) relative(%r : tensor<7x8xf32>) rows(<transformer_xl>) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @transformer_xl_c5(%q: tensor<2x4x5x8xf32>, %r: tensor<8x8xf32>) {
  // expected-error @+1 {{'relative' has 8 rows for a result 'tensor<2x4x5x7xf32>'; these 'rows' are Lk rows}}
  %x = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%r : tensor<8x8xf32>) rows(<transformer_xl>) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @transformer_xl_c5_xlnet(%q: tensor<2x4x5x8xf32>, %r: tensor<7x8xf32>) {
  // expected-error @+1 {{these 'rows' are Lk + 1 or Lk + Lq rows}}
  %x = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%r : tensor<7x8xf32>) rows(<xlnet>) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @transformer_xl_c5_conformer(%q: tensor<2x4x5x8xf32>, %r: tensor<7x8xf32>) {
  // expected-error @+1 {{these 'rows' are 2 Lk - 1 rows, and as many queries as keys}}
  %x = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%r : tensor<7x8xf32>) rows(<conformer>) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @transformer_xl_c6(%q: tensor<2x4x5x8xf32>, %r: tensor<9x8xf32>, %o: index) {
  // expected-error @+1 {{'offset' shifts queries against keys, but those of a conformer are the same; drop it}}
  %x = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%r : tensor<9x8xf32>) offset(%o) rows(<conformer>) : tensor<2x4x5x5xf32>
  return
}
