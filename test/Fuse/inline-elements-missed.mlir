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

// What is read by row, or by key, is no tensor over both; a gather that an
// encoding tells the index of is a fusion.
func.func @rows_and_keys(%q: tensor<?x8x?x16xf32>, %sums: tensor<?x8x?xf32>, %table: tensor<9x8xf32>, %b: index, %l: index,
                         %scale: f32, %init: tensor<?x8x?x16xf32>) -> tensor<?x8x?x16xf32> {
  // expected-remark @+3 {{'posenc.forgetting' fused into 'posenc.attention'}}
  // expected-remark @+3 {{'posenc.relative_bias' fused into 'posenc.attention'}}
  %c4 = arith.constant 4 : index
  %gates = posenc.forgetting %sums sizes(%b, %l, %l) : tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  %bias = posenc.relative_bias %table origin(%c4) sizes(%l, %l) sign(<key_minus_query>) outside(<clip>) : tensor<9x8xf32> -> tensor<1x8x?x?xf32>
  %o = posenc.attention query(%q : tensor<?x8x?x16xf32>) key(%q : tensor<?x8x?x16xf32>)
      value(%q : tensor<?x8x?x16xf32>) scale(%scale) outs(%init : tensor<?x8x?x16xf32>)
      score(%x, %n, %h, %i, %j) {
        %zero = arith.constant 0 : index
        %e = tensor.extract %gates[%n, %h, %i, %j] : tensor<?x8x?x?xf32>
        %f = tensor.extract %bias[%zero, %h, %i, %j] : tensor<1x8x?x?xf32>
        %y = arith.addf %x, %e : f32
        %z = arith.addf %y, %f : f32
        posenc.yield %z : f32
      } -> tensor<?x8x?x16xf32>
  return %o : tensor<?x8x?x16xf32>
}
