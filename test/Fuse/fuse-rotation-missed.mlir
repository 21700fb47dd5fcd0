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
  // expected-remark @below {{the query is already rotated in attention, in other lanes; rotate the same lanes}}
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

// -----

func.func @key_of_length(%q: tensor<1x8x?x16xf32>, %scale: f32, %length: index) -> tensor<1x8x?x16xf32> {
  // expected-remark @below {{append them as they are: its frequencies change with the length of the call}}
  %kr = posenc.rotary %q length(%length) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original_length = 8>>) : tensor<1x8x?x16xf32>
  %o = posenc.attention query(%q : tensor<1x8x?x16xf32>) key(%kr : tensor<1x8x?x16xf32>)
      value(%q : tensor<1x8x?x16xf32>) scale(%scale) outs(%q : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}

// -----

func.func @centres(%q: tensor<1x8x?x16xf32>, %scale: f32) -> tensor<1x8x?x16xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  // expected-warning @+2 {{rotates queries unlike their keys: the centre of the decay is 2 for queries and 3 for keys, which scales the scores; give both the same}}
  // expected-remark @below {{'posenc.rotary' of the query fused into 'posenc.attention'}}
  %qr = posenc.rotary %q centre(%c2) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) decay(<query, scale_base = 512.0>) : tensor<1x8x?x16xf32>
  // expected-remark @below {{append them as they are: its decay changes with the centre}}
  %kr = posenc.rotary %q centre(%c3) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) decay(<key, scale_base = 512.0>) : tensor<1x8x?x16xf32>
  %o = posenc.attention query(%qr : tensor<1x8x?x16xf32>) key(%kr : tensor<1x8x?x16xf32>)
      value(%q : tensor<1x8x?x16xf32>) scale(%scale) outs(%q : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}

// -----

func.func @roles(%q: tensor<1x8x?x16xf32>, %scale: f32, %c: index) -> tensor<1x8x?x16xf32> {
  // expected-warning @+2 {{the decay of xPos must be that of a query on one side and that of a key on the other, of one 'scale_base'}}
  // expected-remark @below {{'posenc.rotary' of the query fused into 'posenc.attention'}}
  %qr = posenc.rotary %q centre(%c) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) decay(<query, scale_base = 512.0>) : tensor<1x8x?x16xf32>
  // expected-remark @below {{append them as they are: its decay changes with the centre}}
  %kr = posenc.rotary %q centre(%c) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) decay(<query, scale_base = 512.0>) : tensor<1x8x?x16xf32>
  %o = posenc.attention query(%qr : tensor<1x8x?x16xf32>) key(%kr : tensor<1x8x?x16xf32>)
      value(%q : tensor<1x8x?x16xf32>) scale(%scale) outs(%q : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}
