// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @learned_c1(%table: tensor<9x8xf16>) {
  // expected-error @+1 {{result is 'tensor<3x6xf16>' for a table 'tensor<9x8xf16>'; it must be [L, d] or [B, L, d] of f32 or the table's type, with the table's d}}
  %pe = posenc.learned %table out_of_range(<clamp>) : tensor<9x8xf16> -> tensor<3x6xf16>
  return
}

// -----

func.func @learned_c1_type(%table: tensor<9x8xf16>) {
  // expected-error @+1 {{result is 'tensor<3x8xbf16>' for a table 'tensor<9x8xf16>'}}
  %pe = posenc.learned %table out_of_range(<clamp>) : tensor<9x8xf16> -> tensor<3x8xbf16>
  return
}

// -----

func.func @learned_c2(%table: tensor<0x8xf16>) {
  // expected-error @+1 {{table is 'tensor<0x8xf16>'; it must have at least one row}}
  %pe = posenc.learned %table out_of_range(<clamp>) : tensor<0x8xf16> -> tensor<3x8xf16>
  return
}

// -----

func.func @learned_c3(%table: tensor<9x8xf32>, %m: tensor<2x4xi32>) {
  // expected-error @+1 {{'positions' is 'tensor<2x4xi32>' for a result 'tensor<2x3x8xf32>'; it must be [L], or with a batch [B or 1, L]}}
  %pe = posenc.learned %table positions(%m : tensor<2x4xi32>) out_of_range(<clamp>) : tensor<9x8xf32> -> tensor<2x3x8xf32>
  return
}

// -----

func.func @learned_c4(%table: tensor<9x8xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<?x8xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %pe = posenc.learned %table out_of_range(<clamp>) : tensor<9x8xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @learned_c5(%table: tensor<9x8xf32>, %m: tensor<3xi32>, %offset: index) {
  // expected-error @+1 {{'offset' numbers the rows only where 'positions' do not; drop one}}
  %pe = posenc.learned %table positions(%m : tensor<3xi32>) offset(%offset) out_of_range(<clamp>) : tensor<9x8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @learned_c6(%table: tensor<9x8xf32>) {
  // expected-error @+1 {{reads 8 rows from row 2 on of a table of 9 rows; shorten the sequence, lengthen the table, or ask for 'out_of_range(<clamp>)'}}
  %pe = posenc.learned %table out_of_range(<error>) {row_offset = 2} : tensor<9x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @learned_c6_negative(%table: tensor<9x8xf32>) {
  // expected-error @+1 {{reads 3 rows from row -1 on of a table of 9 rows}}
  %pe = posenc.learned %table out_of_range(<error>) {row_offset = -1} : tensor<9x8xf32> -> tensor<3x8xf32>
  return
}
