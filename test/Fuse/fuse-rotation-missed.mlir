// RUN: posenc-opt %s --posenc-fuse-rotation --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics --split-input-file

func.func @fused(%q: tensor<1x8x?x16xf32>, %scale: f32, %init: tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32> {
  // expected-remark @below {{'posenc.rotary' of the query fused into 'posenc.attention'}}
  %qr = posenc.rotary %q lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  %o = posenc.attention query(%qr : tensor<1x8x?x16xf32>) key(%q : tensor<1x8x?x16xf32>)
      value(%q : tensor<1x8x?x16xf32>) scale(%scale) outs(%init : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}

// -----

func.func @moved(%q: tensor<1x4x8x16xf32>, %k: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  // expected-remark @below {{its result is moved on its way to attention, which no layout says}}
  %qr = posenc.rotary %q lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x8x16xf32>
  %t = linalg.transpose ins(%qr : tensor<1x4x8x16xf32>) outs(%k : tensor<1x8x4x16xf32>) permutation = [0, 2, 1, 3]
  %o = posenc.attention query(%t : tensor<1x8x4x16xf32>) key(%k : tensor<1x8x4x16xf32>)
      value(%k : tensor<1x8x4x16xf32>) scale(%scale) outs(%k : tensor<1x8x4x16xf32>) -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

func.func @other_axes(%q: tensor<1x8x8x16xf32>, %scale: f32) -> tensor<1x8x8x16xf32> {
  // expected-remark @below {{it and attention read the query in different axis orders}}
  %qr = posenc.rotary %q lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) layout(<blhd>) : tensor<1x8x8x16xf32>
  %o = posenc.attention query(%qr : tensor<1x8x8x16xf32>) key(%q : tensor<1x8x8x16xf32>)
      value(%q : tensor<1x8x8x16xf32>) scale(%scale) outs(%q : tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  return %o : tensor<1x8x8x16xf32>
}

// -----

func.func @twice(%q: tensor<1x8x8x16xf32>, %scale: f32) -> tensor<1x8x8x16xf32> {
  // expected-remark @below {{the query is already rotated in attention}}
  %qr = posenc.rotary %q lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x8x16xf32>
  %o = posenc.attention query(%qr : tensor<1x8x8x16xf32>) key(%q : tensor<1x8x8x16xf32>)
      value(%q : tensor<1x8x8x16xf32>) scale(%scale) outs(%q : tensor<1x8x8x16xf32>) query_lanes(<half, first = 0, count = 8>)
      rotate_query(%b, %h, %i, %pair) {
        %one = arith.constant 1.0 : f32
        posenc.yield %one, %one : f32, f32
      } -> tensor<1x8x8x16xf32>
  return %o : tensor<1x8x8x16xf32>
}

// -----

func.func @key(%q: tensor<1x8x?x16xf32>, %scale: f32) -> tensor<1x8x?x16xf32> {
  // expected-remark @below {{a key is read for every block of query rows, so it is rotated once a call, not in each}}
  %kr = posenc.rotary %q lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  %o = posenc.attention query(%q : tensor<1x8x?x16xf32>) key(%kr : tensor<1x8x?x16xf32>)
      value(%q : tensor<1x8x?x16xf32>) scale(%scale) outs(%q : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}
