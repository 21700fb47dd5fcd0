// RUN: posenc-opt %s --posenc-check-ranges --split-input-file --verify-diagnostics

func.func @learned_with_a_constant_offset(%table: tensor<512x8xf32>) -> tensor<8x8xf32> {
  %offset = arith.constant 505 : index
  // expected-error @+1 {{cannot be computed: the rows of a learned encoding end after the last row of their table; shorten the sequence, lengthen the table, or ask for 'out_of_range(<clamp>)'}}
  %pe = posenc.learned %table offset(%offset) out_of_range(<error>) : tensor<512x8xf32> -> tensor<8x8xf32>
  return %pe : tensor<8x8xf32>
}

// -----

func.func @learned_with_a_negative_offset(%table: tensor<512x8xf32>) -> tensor<8x8xf32> {
  %offset = arith.constant -3 : index
  // expected-error @+1 {{cannot be computed: the rows of a learned encoding start before the first row of their table}}
  %pe = posenc.learned %table offset(%offset) out_of_range(<error>) {row_offset = 2} : tensor<512x8xf32> -> tensor<8x8xf32>
  return %pe : tensor<8x8xf32>
}

// -----

func.func @rotary_with_a_short_cache(%x: tensor<1x8x5x8xf32>, %c: tensor<4x4xf32>) -> tensor<1x8x5x8xf32> {
  // expected-error @+1 {{cannot be computed: the positions of a rotary encoding end after the last row of their table; shorten the sequence, or lengthen its cos and sin caches}}
  %y = posenc.rotary %x cos(%c : tensor<4x4xf32>) sin(%c : tensor<4x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<1x8x5x8xf32>
  return %y : tensor<1x8x5x8xf32>
}

// -----

func.func @rotary_with_an_empty_cache(%x: tensor<1x8x5x8xf32>, %c: tensor<0x4xf32>, %p: tensor<1x5xi64>) -> tensor<1x8x5x8xf32> {
  // expected-error @+1 {{cannot be computed: the cos and sin cache of a rotary encoding has no row to read; give it at least one}}
  %y = posenc.rotary %x positions(%p : tensor<1x5xi64>) cos(%c : tensor<0x4xf32>) sin(%c : tensor<0x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<1x8x5x8xf32>
  return %y : tensor<1x8x5x8xf32>
}

// -----

func.func @relative_positions_before(%q: tensor<1x2x6x8xf32>, %table: tensor<11x8xf32>) -> tensor<1x2x6x6xf32> {
  %offset = arith.constant 1 : index
  // expected-error @+1 {{cannot be computed: keys before their query are farther away than the table of relative positions has rows for; shorten the sequence, lengthen the table, or ask for 'outside(<clip>)'}}
  %bias = posenc.shaw query(%q : tensor<1x2x6x8xf32>) table(%table : tensor<11x8xf32>) offset(%offset)
      relative(<query_minus_key>) outside(<error>) {left = 5 : i64} : tensor<1x2x6x6xf32>
  return %bias : tensor<1x2x6x6xf32>
}

// -----

func.func @relative_positions_after(%q: tensor<1x2x6x8xf32>, %table: tensor<10x8xf32>) -> tensor<1x2x6x6xf32> {
  // expected-error @+1 {{cannot be computed: keys after their query are farther away}}
  %bias = posenc.shaw query(%q : tensor<1x2x6x8xf32>) table(%table : tensor<10x8xf32>)
      relative(<key_minus_query>) outside(<error>) {left = 5 : i64} : tensor<1x2x6x6xf32>
  return %bias : tensor<1x2x6x6xf32>
}
