// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @relative_bias_c1(%table: tensor<33x8xf32>, %o: index) {
  // expected-error @+1 {{result is 'tensor<2x8x3x5xf32>'; the bias is the same for every batch, so it must be [1, Hq, Lq, Lk]}}
  %r = posenc.relative_bias %table origin(%o) sign(<key_minus_query>) outside(<clip>) : tensor<33x8xf32> -> tensor<2x8x3x5xf32>
  return
}

// -----

func.func @relative_bias_c2(%table: tensor<33x4xf32>, %o: index) {
  // expected-error @+1 {{table is 'tensor<33x4xf32>' for a result 'tensor<1x8x3x5xf32>'; it must be [N, Hq], with at least one row}}
  %r = posenc.relative_bias %table origin(%o) sign(<key_minus_query>) outside(<clip>) : tensor<33x4xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @relative_bias_c2_empty(%table: tensor<0x8xf32>, %o: index) {
  // expected-error @+1 {{table is 'tensor<0x8xf32>' for a result}}
  %r = posenc.relative_bias %table origin(%o) sign(<key_minus_query>) outside(<clip>) : tensor<0x8xf32> -> tensor<1x8x3x5xf32>
  return
}

// -----

func.func @relative_bias_c3(%table: tensor<33x8xf32>, %o: index) {
  // expected-error @+1 {{has 0 'sizes' but 'tensor<1x8x?x5xf32>' has 1 dynamic dimensions; give one size for each, in order}}
  %r = posenc.relative_bias %table origin(%o) sign(<key_minus_query>) outside(<clip>) : tensor<33x8xf32> -> tensor<1x8x?x5xf32>
  return
}
