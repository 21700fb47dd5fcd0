// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @learned_2d_c1(%t: tensor<17x8xf32>) {
  // expected-error @+1 {{'grid' is [4], 'new_grid' [6, 5] and 'prefix_tokens' 1; give two positive numbers for each grid, and no fewer than 0 tokens}}
  %0 = posenc.learned_2d %t interpolation(<bicubic>) {grid = array<i64: 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<17x8xf32> -> tensor<31x8xf32>
  return
}

// -----

func.func @learned_2d_c1_prefix(%t: tensor<17x8xf32>) {
  // expected-error @+1 {{and 'prefix_tokens' -1}}
  %0 = posenc.learned_2d %t interpolation(<bicubic>) {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = -1 : i64} : tensor<17x8xf32> -> tensor<31x8xf32>
  return
}

// -----

func.func @learned_2d_c2(%t: tensor<16x8xf32>) {
  // expected-error @+1 {{table is 'tensor<16x8xf32>'; 1 tokens and a grid of 4 by 4 are 17 rows}}
  %0 = posenc.learned_2d %t interpolation(<bicubic>) {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<16x8xf32> -> tensor<31x8xf32>
  return
}

// -----

func.func @learned_2d_c3(%t: tensor<17x8xf32>) {
  // expected-error @+1 {{result is 'tensor<30x8xf32>'; it must be [31, d] of f32 or the table's type, with the table's d}}
  %0 = posenc.learned_2d %t interpolation(<bicubic>) {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<17x8xf32> -> tensor<30x8xf32>
  return
}

// -----

func.func @learned_2d_c3_type(%t: tensor<17x8xf32>) {
  // expected-error @+1 {{result is 'tensor<31x8xf16>'}}
  %0 = posenc.learned_2d %t interpolation(<bicubic>) {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<17x8xf32> -> tensor<31x8xf16>
  return
}

// -----

func.func @learned_2d_c4(%t: tensor<17x8xf32>) {
  // expected-error @+1 {{aligns corners and is antialiased; drop one}}
  %0 = posenc.learned_2d %t interpolation(<bicubic>) antialias align_corners {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<17x8xf32> -> tensor<31x8xf32>
  return
}

// -----

func.func @learned_2d_c5(%t: tensor<4096x8xf32>) {
  // expected-error @+1 {{rows for one; shrink the grid in steps, or without 'antialias'}}
  %0 = posenc.learned_2d %t interpolation(<bicubic>) antialias {grid = array<i64: 64, 64>, new_grid = array<i64: 1, 1>, prefix_tokens = 0 : i64} : tensor<4096x8xf32> -> tensor<1x8xf32>
  return
}

// -----

func.func @learned_2d_c6(%t: tensor<17x8xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<?x8xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %0 = posenc.learned_2d %t interpolation(<bicubic>) {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<17x8xf32> -> tensor<?x8xf32>
  return
}
