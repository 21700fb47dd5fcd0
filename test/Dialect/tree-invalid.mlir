// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @tree_c1(%a: tensor<1x5x5xi1>, %c: tensor<2xi64>) {
  // expected-error @+1 {{result is 'tensor<2x8x5x9xi1>'; a tree is the same for every head, so it must be [B, 1, Lq, Lk]}}
  %mask = posenc.tree ancestors(%a : tensor<1x5x5xi1>) cached(%c : tensor<2xi64>) : tensor<2x8x5x9xi1>
  return
}

// -----

func.func @tree_c2(%a: tensor<1x5x5xi1>, %c: tensor<3xi64>) {
  // expected-error @+1 {{has 3 'cached' for a batch of 2; one each is needed}}
  %mask = posenc.tree ancestors(%a : tensor<1x5x5xi1>) cached(%c : tensor<3xi64>) : tensor<2x1x5x9xi1>
  return
}

// -----

func.func @tree_c3(%a: tensor<1x5x1xi1>, %c: tensor<2xi64>) {
  // expected-error @+1 {{'ancestors' is 'tensor<1x5x1xi1>' for a result 'tensor<2x1x5x9xi1>'; it must be [B or 1, Lq, Lq] of i1, or [B or 1, Lq, ceil(Lq / 32)] of i32}}
  %mask = posenc.tree ancestors(%a : tensor<1x5x1xi1>) cached(%c : tensor<2xi64>) : tensor<2x1x5x9xi1>
  return
}

// -----

func.func @tree_c3_words(%a: tensor<1x33x1xi32>, %c: tensor<2xi64>) {
  // expected-error @+1 {{'ancestors' is 'tensor<1x33x1xi32>' for a result 'tensor<2x1x33x99xi1>'}}
  %mask = posenc.tree ancestors(%a : tensor<1x33x1xi32>) cached(%c : tensor<2xi64>) : tensor<2x1x33x99xi1>
  return
}

// -----

func.func @tree_c4(%a: tensor<1x5x5xi1>, %c: tensor<2xi64>) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<2x1x5x?xi1>' has 1 dynamic dimensions; give one size for each, in order}}
  %mask = posenc.tree ancestors(%a : tensor<1x5x5xi1>) cached(%c : tensor<2xi64>) : tensor<2x1x5x?xi1>
  return
}
