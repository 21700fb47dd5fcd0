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

func.func @kept(%q: tensor<1x8x4x16xf32>, %bias: tensor<4x4xf32> {posenc.name = "bias"}, %scale: f32) -> tensor<1x8x4x16xf32> {
  %baked = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 3.0, 5.0, 7.0], [2.0, 4.0, 6.0, 8.0]]> : tensor<4x4xf32>
  // expected-remark @+3 {{'posenc.alibi' fused into 'posenc.attention'}}
  // expected-remark @+3 {{reads the argument 'bias', tensor<4x4xf32>, an element a score}}
  // expected-remark @+2 {{an exporter baked it for these lengths, and no encoding was recognised in its numbers}}
  %alibi = posenc.alibi : tensor<1x8x4x4xf32>
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %zero = arith.constant 0 : index
        %d = tensor.extract %bias[%i, %j] : tensor<4x4xf32>
        %e = tensor.extract %baked[%i, %j] : tensor<4x4xf32>
        %f = tensor.extract %alibi[%zero, %h, %i, %j] : tensor<1x8x4x4xf32>
        %y = arith.addf %x, %d : f32
        %z = arith.addf %y, %e : f32
        %w = arith.addf %z, %f : f32
        posenc.yield %w : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}
