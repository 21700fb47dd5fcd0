// RUN: posenc-opt %s --posenc-decompose --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics

func.func @pages(%q: tensor<2x8x1x16xf32>, %k: tensor<9x8x4x16xf32>, %table: tensor<2x3xi32>, %scale: f32,
                 %init: tensor<2x8x1x16xf32>) -> tensor<2x8x1x16xf32> {
  // expected-remark @below {{its keys and values are in pages}}
  %o = posenc.attention query(%q : tensor<2x8x1x16xf32>) key(%k : tensor<9x8x4x16xf32>)
      value(%k : tensor<9x8x4x16xf32>) scale(%scale) block_table(%table : tensor<2x3xi32>)
      outs(%init : tensor<2x8x1x16xf32>) -> tensor<2x8x1x16xf32>
  return %o : tensor<2x8x1x16xf32>
}

func.func @no_keys(%q: tensor<2x8x1x16xf32>, %k: tensor<2x8x0x16xf32>, %scale: f32,
                   %init: tensor<2x8x1x16xf32>) -> tensor<2x8x1x16xf32> {
  // expected-remark @below {{an extent of its operands is zero}}
  %o = posenc.attention query(%q : tensor<2x8x1x16xf32>) key(%k : tensor<2x8x0x16xf32>)
      value(%k : tensor<2x8x0x16xf32>) scale(%scale) outs(%init : tensor<2x8x1x16xf32>) -> tensor<2x8x1x16xf32>
  return %o : tensor<2x8x1x16xf32>
}
