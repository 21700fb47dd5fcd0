// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @pope_c1(%x: tensor<1x4x3x8xf32>) {
  // expected-error @+1 {{result is 'tensor<1x4x3x8xf32>' for an input 'tensor<1x4x3x8xf32>'; it must be twice as wide and the same otherwise, of a static head size}}
  %y = posenc.pope %x frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x3x8xf32> -> tensor<1x4x3x8xf32>
  return
}

// -----

func.func @pope_c1_type(%x: tensor<1x4x3x8xf32>) {
  // expected-error @+1 {{it must be twice as wide and the same otherwise}}
  %y = posenc.pope %x frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x3x8xf32> -> tensor<1x4x3x16xf16>
  return
}

// -----

func.func @pope_c2(%x: tensor<1x4x3x8xf32>, %m: tensor<1x4xi64>) {
  // expected-error @+1 {{'positions' is 'tensor<1x4xi64>' for an input 'tensor<1x4x3x8xf32>'; it must be [batch or 1, length] or [length], without 'offset'}}
  %y = posenc.pope %x positions(%m : tensor<1x4xi64>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x3x8xf32> -> tensor<1x4x3x16xf32>
  return
}

// -----

func.func @pope_c2_offset(%x: tensor<1x4x3x8xf32>, %m: tensor<1x3xi64>, %o: index) {
  // expected-error @+1 {{without 'offset'}}
  %y = posenc.pope %x positions(%m : tensor<1x3xi64>) offset(%o) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x3x8xf32> -> tensor<1x4x3x16xf32>
  return
}

// -----

func.func @pope_c3(%x: tensor<1x4x3x8xf32>, %p: tensor<3x8xf32>) {
  // expected-error @+1 {{'phase' is 'tensor<3x8xf32>' for an input 'tensor<1x4x3x8xf32>'; it must be [heads or 1, 8]}}
  %y = posenc.pope %x phase(%p : tensor<3x8xf32>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x3x8xf32> -> tensor<1x4x3x16xf32>
  return
}

// -----

func.func @pope_c4(%x: tensor<1x4x3x8xf32>) {
  // expected-error @+1 {{has 2 frequencies for 8 pairs of lanes; one each is needed}}
  %y = posenc.pope %x frequencies(#posenc.explicit_frequencies<[1.0, 0.5], attention_factor = 1.0>) : tensor<1x4x3x8xf32> -> tensor<1x4x3x16xf32>
  return
}

// -----

func.func @pope_c5(%x: tensor<1x4x3x8xf32>, %n: index) {
  // expected-error @+1 {{'length' is for frequencies that depend on it, and these do not; drop it}}
  %y = posenc.pope %x length(%n) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x3x8xf32> -> tensor<1x4x3x16xf32>
  return
}
