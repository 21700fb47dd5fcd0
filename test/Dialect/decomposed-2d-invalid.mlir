// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @decomposed_2d_c1(%q: tensor<2x4x6x8xf32>, %h: tensor<3x8xf32>, %w: tensor<5x8xf32>) {
  // expected-error @+1 {{'query' is 'tensor<2x4x6x8xf32>' for a result 'tensor<2x3x6x6xf32>'}}
  %x = posenc.decomposed_2d query(%q : tensor<2x4x6x8xf32>) rel_h(%h : tensor<3x8xf32>) rel_w(%w : tensor<5x8xf32>) query_grid([2, 3]) key_grid([2, 3]) : tensor<2x3x6x6xf32>
  return
}

// -----

func.func @decomposed_2d_c2(%q: tensor<2x4x6x8xf32>, %h: tensor<3x8xf32>, %w: tensor<5x8xf32>) {
  // expected-error @+1 {{'query_grid' is [2, 2] for a result 'tensor<2x4x6x6xf32>'; it must be two positive sizes below 32768, with the class token as many tokens as the result has}}
  %x = posenc.decomposed_2d query(%q : tensor<2x4x6x8xf32>) rel_h(%h : tensor<3x8xf32>) rel_w(%w : tensor<5x8xf32>) query_grid([2, 2]) key_grid([2, 3]) : tensor<2x4x6x6xf32>
  return
}

// -----

func.func @decomposed_2d_c2_class(%q: tensor<2x4x6x8xf32>, %h: tensor<3x8xf32>, %w: tensor<5x8xf32>) {
  // expected-error @+1 {{'query_grid' is [2, 3] for a result}}
  %x = posenc.decomposed_2d query(%q : tensor<2x4x6x8xf32>) rel_h(%h : tensor<3x8xf32>) rel_w(%w : tensor<5x8xf32>) query_grid([2, 3]) key_grid([2, 3]) class_token : tensor<2x4x6x6xf32>
  return
}

// -----

func.func @decomposed_2d_c2_key(%q: tensor<2x4x6x8xf32>, %h: tensor<3x8xf32>, %w: tensor<5x8xf32>) {
  // expected-error @+1 {{'key_grid' is [6] for a result}}
  %x = posenc.decomposed_2d query(%q : tensor<2x4x6x8xf32>) rel_h(%h : tensor<3x8xf32>) rel_w(%w : tensor<5x8xf32>) query_grid([2, 3]) key_grid([6]) : tensor<2x4x6x6xf32>
  return
}

// -----

func.func @decomposed_2d_c3(%q: tensor<2x4x6x8xf32>, %h: tensor<3x8xf32>, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{'rel_w' has 4 rows; grids of 3 and 3 need 5, resize it to that}}
  %x = posenc.decomposed_2d query(%q : tensor<2x4x6x8xf32>) rel_h(%h : tensor<3x8xf32>) rel_w(%w : tensor<4x8xf32>) query_grid([2, 3]) key_grid([2, 3]) : tensor<2x4x6x6xf32>
  return
}

// -----

func.func @decomposed_2d_c3_width(%q: tensor<2x4x6x8xf32>, %h: tensor<3x6xf32>, %w: tensor<5x8xf32>) {
  // expected-error @+1 {{'rel_h' is 'tensor<3x6xf32>' for tokens of width 8}}
  %x = posenc.decomposed_2d query(%q : tensor<2x4x6x8xf32>) rel_h(%h : tensor<3x6xf32>) rel_w(%w : tensor<5x8xf32>) query_grid([2, 3]) key_grid([2, 3]) : tensor<2x4x6x6xf32>
  return
}

// -----

func.func @decomposed_2d_c4(%q: tensor<?x4x6x8xf32>, %h: tensor<3x8xf32>, %w: tensor<5x8xf32>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<?x4x6x6xf32>' has 1 dynamic dimensions}}
  %x = posenc.decomposed_2d query(%q : tensor<?x4x6x8xf32>) rel_h(%h : tensor<3x8xf32>) rel_w(%w : tensor<5x8xf32>) query_grid([2, 3]) key_grid([2, 3]) : tensor<?x4x6x6xf32>
  return
}
