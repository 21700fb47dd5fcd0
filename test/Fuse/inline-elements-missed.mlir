// RUN: posenc-opt %s --posenc-inline-elements --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics

func.func @product(%q: tensor<1x8x?x16xf32>, %a: tensor<?x4xf32>, %c: tensor<4x?xf32>, %zeros: tensor<?x?xf32>, %scale: f32,
                   %init: tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32> {
  // expected-remark @below {{'linalg.matmul' has no formula of one element}}
  %bias = linalg.matmul ins(%a, %c : tensor<?x4xf32>, tensor<4x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = posenc.attention query(%q : tensor<1x8x?x16xf32>) key(%q : tensor<1x8x?x16xf32>)
      value(%q : tensor<1x8x?x16xf32>) scale(%scale) outs(%init : tensor<1x8x?x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %e = tensor.extract %bias[%i, %j] : tensor<?x?xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      } -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}
