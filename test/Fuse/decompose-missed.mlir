// RUN: posenc-opt %s --posenc-decompose --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics
// RUN: posenc-opt %s --posenc-decompose=no-fuse --remarks-filter='posenc.*' --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s

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

// No attention reads this one.
func.func @alone(%x: tensor<1x4x4x16xf32>, %init: tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32> {
  // expected-remark @below {{'posenc.rotary' is computed by itself, as a tensor}}
  %y = posenc.rotary %x lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x4x16xf32>
  return %y : tensor<1x4x4x16xf32>
}

// What depends on content is a contraction of its own.
func.func @conv(%x: tensor<1x?x8xf32>, %weight: tensor<8x4x3xf32>) -> tensor<1x?x8xf32> {
  // expected-remark @below {{'posenc.conv' is computed by itself, as a tensor}}
  %y = posenc.conv %x weight(%weight : tensor<8x4x3xf32>) : tensor<1x?x8xf32>
  return %y : tensor<1x?x8xf32>
}

// Queries that are no rotation of what is given.
func.func @polar(%q: tensor<1x4x4x8xf32>, %k: tensor<1x4x4x16xf32>, %scale: f32) -> tensor<1x4x4x16xf32> {
  // expected-remark @below {{attention itself only rotates lanes of its queries, and this is no rotation}}
  %qp = posenc.pope %q frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x4x8xf32> -> tensor<1x4x4x16xf32>
  %o = posenc.attention query(%qp : tensor<1x4x4x16xf32>) key(%k : tensor<1x4x4x16xf32>)
      value(%k : tensor<1x4x4x16xf32>) scale(%scale) outs(%k : tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  return %o : tensor<1x4x4x16xf32>
}

// A table over the keys alone is computed once.
// CHECK: 'posenc.causal' is computed by itself, as a tensor
// CHECK: 'posenc.attention' becomes contractions and a softmax, no kernel
func.func @table(%q: tensor<1x4x4x16xf32>, %scale: f32) -> tensor<1x4x4x16xf32> {
  // expected-remark @below {{'posenc.causal' is computed once a call, as a table that 'posenc.attention'}}
  %table = posenc.causal : tensor<1x1x4x4xi1>
  %o = posenc.attention query(%q : tensor<1x4x4x16xf32>) key(%q : tensor<1x4x4x16xf32>)
      value(%q : tensor<1x4x4x16xf32>) scale(%scale) outs(%q : tensor<1x4x4x16xf32>)
      mask(%b, %h, %i, %j) {
        %zero = arith.constant 0 : index
        %m = tensor.extract %table[%zero, %zero, %i, %j] : tensor<1x1x4x4xi1>
        posenc.yield %m : i1
      } -> tensor<1x4x4x16xf32>
  return %o : tensor<1x4x4x16xf32>
}
