// RUN: posenc-opt %s --posenc-decompose-content | FileCheck %s

// The product of all queries with all rows of the table, and a formula that reads it.

// CHECK-LABEL: func @product
//  CHECK-SAME:   %[[Q:[a-z0-9]+]]: tensor<1x4x?x8xf16>, %[[T:[a-z0-9]+]]: tensor<9x8xf32>
//       CHECK:   %[[P:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[Q]], %[[T]] :{{.*}} outs(%{{.*}} : tensor<1x4x?x9xf32>)
//       CHECK:   linalg.generic
//       CHECK:     %[[R:.*]] = arith.minsi
//       CHECK:     tensor.extract %[[P]][%{{.*}}, %{{.*}}, %{{.*}}, %[[R]]]
func.func @product(%q: tensor<1x4x?x8xf16>, %t: tensor<9x8xf32>, %l: index) -> tensor<1x4x?x?xf32> {
  %bias = posenc.shaw query(%q : tensor<1x4x?x8xf16>) table(%t : tensor<9x8xf32>) sizes(%l, %l)
      relative(<key_minus_query>) outside(<clip>) {left = 4 : i64} : tensor<1x4x?x?xf32>
  return %bias : tensor<1x4x?x?xf32>
}

// A product has the heads of the keys where query heads share the table, and theirs where not.

// CHECK-LABEL: func @heads_of_keys
//       CHECK:   outs(%{{.*}} : tensor<1x2x7x6xf32>)
//       CHECK:   arith.divui
func.func @heads_of_keys(%k: tensor<1x2x7x8xf32>, %p: tensor<6x8xf32>) -> tensor<1x4x5x7xf32> {
  %bias = posenc.disentangled key(%k : tensor<1x2x7x8xf32>) pos_query(%p : tensor<6x8xf32>) buckets(<identity>)
      : tensor<1x4x5x7xf32>
  return %bias : tensor<1x4x5x7xf32>
}

// CHECK-LABEL: func @heads_of_queries
//       CHECK:   outs(%{{.*}} : tensor<1x4x7x8xf32>)
//       CHECK:   outs(%{{.*}} : tensor<1x4x7x6xf32>)
func.func @heads_of_queries(%k: tensor<1x2x7x8xf32>, %p: tensor<4x6x8xf32>) -> tensor<1x4x5x7xf32> {
  %bias = posenc.disentangled key(%k : tensor<1x2x7x8xf32>) pos_query(%p : tensor<4x6x8xf32>) buckets(<identity>)
      : tensor<1x4x5x7xf32>
  return %bias : tensor<1x4x5x7xf32>
}

// With a table of unknown length, or of more than 512 rows, there is no product.

// CHECK-LABEL: func @long_table
//   CHECK-NOT:   "reduction"
//       CHECK:   scf.for
func.func @long_table(%q: tensor<1x4x?x8xf32>, %r: tensor<?x8xf32>, %l: index) -> tensor<1x4x?x?xf32> {
  %bias = posenc.transformer_xl query(%q : tensor<1x4x?x8xf32>) relative(%r : tensor<?x8xf32>) sizes(%l, %l)
      rows(<transformer_xl>) : tensor<1x4x?x?xf32>
  return %bias : tensor<1x4x?x?xf32>
}

// CHECK-LABEL: func @attention
//       CHECK:   posenc.attention
func.func @attention(%q: tensor<1x4x5x8xf32>, %scale: f32) -> tensor<1x4x5x8xf32> {
  %o = posenc.attention query(%q : tensor<1x4x5x8xf32>) key(%q : tensor<1x4x5x8xf32>) value(%q : tensor<1x4x5x8xf32>)
      scale(%scale) outs(%q : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return %o : tensor<1x4x5x8xf32>
}
