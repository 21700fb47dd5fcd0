// Causal attention with linear biases: 8 query heads on 2 key heads of 64, any batch, any lengths.
func.func @alibi_attention(
    %query: tensor<?x8x?x64xf32> {posenc.name = "query", posenc.symbols = ["B", "", "Lq", ""]},
    %key: tensor<?x2x?x64xf32> {posenc.name = "key", posenc.symbols = ["B", "", "Lk", ""]},
    %value: tensor<?x2x?x64xf32> {posenc.name = "value", posenc.symbols = ["B", "", "Lk", ""]})
    -> (tensor<?x8x?x64xf32> {posenc.name = "output"}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %batch = tensor.dim %query, %c0 : tensor<?x8x?x64xf32>
  %lq = tensor.dim %query, %c2 : tensor<?x8x?x64xf32>
  %lk = tensor.dim %key, %c2 : tensor<?x2x?x64xf32>
  %scale = arith.constant 0.125 : f32
  %bias = posenc.alibi sizes(%lq, %lk) : tensor<1x8x?x?xf32>
  %mask = posenc.causal sizes(%lq, %lk) : tensor<1x1x?x?xi1>
  %init = tensor.empty(%batch, %lq) : tensor<?x8x?x64xf32>
  %output = posenc.attention query(%query : tensor<?x8x?x64xf32>) key(%key : tensor<?x2x?x64xf32>)
      value(%value : tensor<?x2x?x64xf32>) scale(%scale) outs(%init : tensor<?x8x?x64xf32>)
      score(%x, %b, %h, %i, %j) {
        %term = tensor.extract %bias[%c0, %h, %i, %j] : tensor<1x8x?x?xf32>
        %y = arith.addf %x, %term : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %visible = tensor.extract %mask[%c0, %c0, %i, %j] : tensor<1x1x?x?xi1>
        posenc.yield %visible : i1
      } -> tensor<?x8x?x64xf32>
  return %output : tensor<?x8x?x64xf32>
}
