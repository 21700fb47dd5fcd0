// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @token_positions_c1(%m: tensor<2x9xi1>) {
  // expected-error @+1 {{result is 'tensor<1x9xi64>' for a mask 'tensor<2x9xi1>'; it must be [B, L] with the mask's B}}
  %0 = posenc.token_positions %m {first = 0 : i64, padding = -1 : i64} : tensor<2x9xi1> -> tensor<1x9xi64>
  return
}

// -----

func.func @token_positions_c2(%m: tensor<2x9xi1>, %l: index) {
  // expected-error @+1 {{has a 'length', but 'tensor<2x4xi64>' has a static one; drop it}}
  %0 = posenc.token_positions %m length(%l) {first = 0 : i64, padding = -1 : i64} : tensor<2x9xi1> -> tensor<2x4xi64>
  return
}

// -----

func.func @token_positions_c2_missing(%m: tensor<2x9xi1>) {
  // expected-error @+1 {{result is 'tensor<2x?xi64>' for a mask of 9 tokens; give its 'length'}}
  %0 = posenc.token_positions %m {first = 0 : i64, padding = -1 : i64} : tensor<2x9xi1> -> tensor<2x?xi64>
  return
}

// -----

func.func @token_positions_c3(%m: tensor<2x9xi1>) {
  // expected-error @+1 {{numbers the last 10 tokens of 9; number no more than there are}}
  %0 = posenc.token_positions %m {first = 0 : i64, padding = -1 : i64} : tensor<2x9xi1> -> tensor<2x10xi64>
  return
}
