func.func @alibi(%q: tensor<?x8x?x64xf32> {posenc.name = "q", posenc.symbols = ["B", "", "L", ""]},
                 %k: tensor<?x2x?x64xf32> {posenc.name = "k", posenc.symbols = ["B", "", "L", ""]},
                 %v: tensor<?x2x?x64xf32> {posenc.name = "v", posenc.symbols = ["B", "", "L", ""]})
    -> (tensor<?x8x?x64xf32> {posenc.name = "output"}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %scale = arith.constant 0.125 : f32
  %batch = tensor.dim %q, %c0 : tensor<?x8x?x64xf32>
  %rows = tensor.dim %q, %c2 : tensor<?x8x?x64xf32>
  %bias = posenc.alibi sizes(%rows, %rows) : tensor<1x8x?x?xf32>
  %visible = posenc.causal sizes(%rows, %rows) : tensor<1x1x?x?xi1>
  %init = tensor.empty(%batch, %rows) : tensor<?x8x?x64xf32>
  %output = posenc.attention query(%q : tensor<?x8x?x64xf32>) key(%k : tensor<?x2x?x64xf32>)
      value(%v : tensor<?x2x?x64xf32>) scale(%scale)
      outs(%init : tensor<?x8x?x64xf32>)
      score(%x, %b, %h, %i, %j) {
        %zero = arith.constant 0 : index
        %e = tensor.extract %bias[%zero, %h, %i, %j] : tensor<1x8x?x?xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %zero = arith.constant 0 : index
        %m = tensor.extract %visible[%zero, %zero, %i, %j] : tensor<1x1x?x?xi1>
        posenc.yield %m : i1
      } -> tensor<?x8x?x64xf32>
  return %output : tensor<?x8x?x64xf32>
}
