// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @cope_c1(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %t: tensor<6x8xf32>, %s: f32) {
  // expected-error @+1 {{'key' is 'tensor<2x4x7x8xf32>' for a result 'tensor<2x4x5x6xf32>'}}
  %x = posenc.cope query(%q : tensor<2x4x5x8xf32>) key(%k : tensor<2x4x7x8xf32>) table(%t : tensor<6x8xf32>) scale(%s) : tensor<2x4x5x6xf32>
  return
}

// -----

func.func @cope_c2(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %t: tensor<?x8xf32>, %s: f32) {
  // expected-error @+1 {{'table' is 'tensor<?x8xf32>' for tokens of width 8}}
  %x = posenc.cope query(%q : tensor<2x4x5x8xf32>) key(%k : tensor<2x4x7x8xf32>) table(%t : tensor<?x8xf32>) scale(%s) : tensor<2x4x5x7xf32>
  return
}

// -----

func.func @cope_c3(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %t: tensor<6x8xf32>, %s: f32, %m: tensor<1x1x5x6xi1>) {
  // expected-error @+1 {{'mask' is 'tensor<1x1x5x6xi1>' for a result 'tensor<2x4x5x7xf32>'; each of its extents must be 1 or the result's}}
  %x = posenc.cope query(%q : tensor<2x4x5x8xf32>) key(%k : tensor<2x4x7x8xf32>) table(%t : tensor<6x8xf32>) scale(%s) mask(%m : tensor<1x1x5x6xi1>) : tensor<2x4x5x7xf32>
  return
}
