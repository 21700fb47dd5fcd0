// RUN: posenc-opt %s --posenc-fold-layouts --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics --split-input-file

!heads = tensor<1x8x4x16xf32>

func.func @grouped(%q: !heads, %k: tensor<1x2x4x16xf32>, %scale: f32) -> !heads {
  // expected-remark @below {{reads its query as bhld, key as bhld, value as bhld and writes bhld; 4 query heads read each key head}}
  %o = posenc.attention query(%q : !heads) key(%k : tensor<1x2x4x16xf32>) value(%k : tensor<1x2x4x16xf32>)
      scale(%scale) outs(%q : !heads) -> !heads
  return %o : !heads
}

// -----

// Keys come with their lanes before their rows.

!heads = tensor<1x8x4x16xf32>

func.func @lanes_first(%q: !heads, %k: tensor<1x8x16x4xf32>, %scale: f32) -> !heads {
  // expected-remark @below {{'linalg.transpose' copies the key of 'posenc.attention'}}
  %t = linalg.transpose ins(%k : tensor<1x8x16x4xf32>) outs(%q : !heads) permutation = [0, 1, 3, 2]
  // expected-remark @below {{reads its query as bhld}}
  %o = posenc.attention query(%q : !heads) key(%t : !heads) value(%q : !heads) scale(%scale) outs(%q : !heads) -> !heads
  return %o : !heads
}
