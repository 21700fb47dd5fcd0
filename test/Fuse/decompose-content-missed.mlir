// RUN: posenc-opt %s --posenc-decompose-content --posenc-inline-elements --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics

// What reads products by column does not read a tensor over rows and keys.
func.func @product(%q: tensor<?x4x?x8xf32>, %t: tensor<9x8xf32>, %b: index, %l: index, %scale: f32) -> tensor<?x4x?x8xf32> {
  // expected-remark @+1 {{'posenc.shaw' becomes a formula that reads tensor<?x4x?x9xf32>, products computed once a call}}
  %bias = posenc.shaw query(%q : tensor<?x4x?x8xf32>) table(%t : tensor<9x8xf32>) sizes(%b, %l, %l)
      relative(<key_minus_query>) outside(<clip>) {left = 4 : i64} : tensor<?x4x?x?xf32>
  %o = posenc.attention query(%q : tensor<?x4x?x8xf32>) key(%q : tensor<?x4x?x8xf32>) value(%q : tensor<?x4x?x8xf32>)
      scale(%scale) outs(%q : tensor<?x4x?x8xf32>)
      score(%x, %b0, %h, %i, %j) {
        %e = tensor.extract %bias[%b0, %h, %i, %j] : tensor<?x4x?x?xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      } -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

func.func @long_table(%q: tensor<1x4x?x8xf32>, %r: tensor<?x8xf32>, %l: index) -> tensor<1x4x?x?xf32> {
  // expected-remark @+1 {{'posenc.transformer_xl' becomes a formula that sums its products where they are read, for its table is long}}
  %bias = posenc.transformer_xl query(%q : tensor<1x4x?x8xf32>) relative(%r : tensor<?x8xf32>) sizes(%l, %l)
      rows(<transformer_xl>) : tensor<1x4x?x?xf32>
  return %bias : tensor<1x4x?x?xf32>
}

func.func @whole_rows(%q: tensor<1x4x?x8xf32>, %t: tensor<6x8xf32>, %scale: f32) -> tensor<1x4x?x?xf32> {
  // expected-remark @+1 {{it needs sums over whole rows of keys, which no formula of one element holds}}
  %bias = posenc.cope query(%q : tensor<1x4x?x8xf32>) key(%q : tensor<1x4x?x8xf32>) table(%t : tensor<6x8xf32>)
      scale(%scale) : tensor<1x4x?x?xf32>
  return %bias : tensor<1x4x?x?xf32>
}

func.func @values(%p: tensor<1x4x?x?xf32>, %t: tensor<9x8xf32>) -> tensor<1x4x?x8xf32> {
  // expected-remark @+1 {{'posenc.shaw_values' is computed by itself, by way of a tensor, tensor<1x4x?x8xf32>}}
  %o = posenc.shaw_values %p table(%t : tensor<9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4 : i64}
      : tensor<1x4x?x?xf32> -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}
