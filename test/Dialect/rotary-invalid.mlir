// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @rotary_c1(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{takes either 'frequencies' or both 'cos' and 'sin'}}
  %y = posenc.rotary %x lanes(<half, first = 0, count = 8>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c1_one_cache(%x: tensor<1x8x3x8xf32>, %c: tensor<3x4xf32>) {
  // expected-error @+1 {{takes either 'frequencies' or both 'cos' and 'sin'}}
  %y = posenc.rotary %x cos(%c : tensor<3x4xf32>) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c1_both(%x: tensor<1x8x3x8xf32>, %c: tensor<3x4xf32>) {
  // expected-error @+1 {{takes either 'frequencies' or both 'cos' and 'sin'}}
  %y = posenc.rotary %x cos(%c : tensor<3x4xf32>) sin(%c : tensor<3x4xf32>) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c2(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{rotates 8 lanes from lane 4 on of a head of size 8; the head size must be static and hold them}}
  %y = posenc.rotary %x lanes(<half, first = 4, count = 8>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c2_dynamic(%x: tensor<1x8x3x?xf32>) {
  // expected-error @+1 {{rotates 8 lanes from lane 0 on of a head of size ?; the head size must be static and hold them}}
  %y = posenc.rotary %x lanes(<half, first = 0, count = 8>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x3x?xf32>
  return
}

// -----

func.func @rotary_c3(%x: tensor<1x8x3x8xf32>, %c: tensor<3x8xf32>) {
  // expected-error @+1 {{caches are 'tensor<3x8xf32>' and 'tensor<3x8xf32>' for an input 'tensor<1x8x3x8xf32>'; they must be [rows, 4] or [batch or 1, length, 4], both alike}}
  %y = posenc.rotary %x cos(%c : tensor<3x8xf32>) sin(%c : tensor<3x8xf32>) lanes(<half, first = 0, count = 8>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c3_types(%x: tensor<1x8x3x8xf32>, %c: tensor<3x4xf32>, %s: tensor<3x4xf16>) {
  // expected-error @+1 {{caches are 'tensor<3x4xf32>' and 'tensor<3x4xf16>' for an input}}
  %y = posenc.rotary %x cos(%c : tensor<3x4xf32>) sin(%s : tensor<3x4xf16>) lanes(<half, first = 0, count = 8>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c3_length(%x: tensor<2x8x3x8xf32>, %c: tensor<1x1x4xf32>) {
  // expected-error @+1 {{caches are 'tensor<1x1x4xf32>' and 'tensor<1x1x4xf32>' for an input 'tensor<2x8x3x8xf32>'}}
  %y = posenc.rotary %x cos(%c : tensor<1x1x4xf32>) sin(%c : tensor<1x1x4xf32>) lanes(<half, first = 0, count = 8>) : tensor<2x8x3x8xf32>
  return
}

// -----

func.func @rotary_c4(%x: tensor<1x8x3x8xf32>, %m: tensor<1x4xi64>) {
  // expected-error @+1 {{'positions' is 'tensor<1x4xi64>' for an input 'tensor<1x8x3x8xf32>'; it must be [batch or 1, length] or [length], of integers where caches are read, and not come with caches of rank 3}}
  %y = posenc.rotary %x positions(%m : tensor<1x4xi64>) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c4_direct_caches(%x: tensor<1x8x3x8xf32>, %m: tensor<3xi64>, %c: tensor<1x3x4xf32>) {
  // expected-error @+1 {{'positions' is 'tensor<3xi64>' for an input 'tensor<1x8x3x8xf32>'}}
  %y = posenc.rotary %x positions(%m : tensor<3xi64>) cos(%c : tensor<1x3x4xf32>) sin(%c : tensor<1x3x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c4_real(%x: tensor<1x8x3x8xf32>, %m: tensor<3xf32>, %c: tensor<3x4xf32>) {
  // expected-error @+1 {{'positions' is 'tensor<3xf32>' for an input 'tensor<1x8x3x8xf32>'}}
  %y = posenc.rotary %x positions(%m : tensor<3xf32>) cos(%c : tensor<3x4xf32>) sin(%c : tensor<3x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c5(%x: tensor<1x8x3x8xf32>, %m: tensor<3xi64>, %offset: index) {
  // expected-error @+1 {{'offset' numbers the rows only where neither 'positions' nor caches of rank 3 do; drop one}}
  %y = posenc.rotary %x positions(%m : tensor<3xi64>) offset(%offset) lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c5_direct_caches(%x: tensor<1x8x3x8xf32>, %c: tensor<1x3x4xf32>, %offset: index) {
  // expected-error @+1 {{'offset' numbers the rows only where neither 'positions' nor caches of rank 3 do; drop one}}
  %y = posenc.rotary %x offset(%offset) cos(%c : tensor<1x3x4xf32>) sin(%c : tensor<1x3x4xf32>)
      lanes(<half, first = 0, count = 8>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c6(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{has 3 frequencies for 4 pairs of lanes; one each is needed}}
  %y = posenc.rotary %x lanes(<half, first = 0, count = 8>)
      frequencies(#posenc.explicit_frequencies<[1.0, 0.1, 0.01], attention_factor = 1.0>) : tensor<1x8x3x8xf32>
  return
}

// -----

func.func @rotary_c2_overflow(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{rotates 2 lanes from lane 9223372036854775806 on of a head of size 8}}
  %y = posenc.rotary %x lanes(<half, first = 9223372036854775806, count = 2>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x3x8xf32>
  return
}
