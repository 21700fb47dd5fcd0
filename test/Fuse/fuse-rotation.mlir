// RUN: posenc-opt %s --posenc-fuse-rotation | FileCheck %s

// CHECK-LABEL: func @query_and_key
//  CHECK-SAME:   %[[Q:[a-z0-9]+]]: tensor<1x8x?x16xf16>, %[[K:[a-z0-9]+]]: tensor<1x8x?x16xf16>, %[[P:[a-z0-9]+]]: tensor<1x?xi64>
//       CHECK:   %[[RK:.*]] = posenc.rotary %[[K]]
//   CHECK-NOT:   posenc.rotary
//       CHECK:   posenc.attention query(%[[Q]] : {{.*}}) key(%[[RK]] :
//  CHECK-SAME:     query_lanes(<interleaved, first = 4, count = 8>)
//  CHECK-SAME:     rotate_query(%{{.*}}, %{{.*}}, %[[I:[a-z0-9]+]], %[[PAIR:[a-z0-9]+]]) {
//       CHECK:     tensor.extract %[[P]][%{{.*}}, %[[I]]]
//       CHECK:     posenc.cos_sin
//       CHECK:     posenc.yield %{{.*}}, %{{.*}} : f32, f32
func.func @query_and_key(%q: tensor<1x8x?x16xf16>, %k: tensor<1x8x?x16xf16>, %positions: tensor<1x?xi64>, %scale: f32,
                         %init: tensor<1x8x?x16xf16>) -> tensor<1x8x?x16xf16> {
  %qr = posenc.rotary %q positions(%positions : tensor<1x?xi64>) lanes(<interleaved, first = 4, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf16>
  %kr = posenc.rotary %k positions(%positions : tensor<1x?xi64>) lanes(<interleaved, first = 4, count = 8>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf16>
  %o = posenc.attention query(%qr : tensor<1x8x?x16xf16>) key(%kr : tensor<1x8x?x16xf16>)
      value(%k : tensor<1x8x?x16xf16>) scale(%scale) outs(%init : tensor<1x8x?x16xf16>) -> tensor<1x8x?x16xf16>
  return %o : tensor<1x8x?x16xf16>
}

// A rotation after another in the same lanes: a product of complex numbers.
// CHECK-LABEL: func @twice
//  CHECK-SAME:   %[[Q:[a-z0-9]+]]: tensor<1x8x?x16xf32>
//   CHECK-NOT:   posenc.rotary
//   CHECK-NOT:   posenc.query_temperature
//       CHECK:   posenc.attention query(%[[Q]] :
//       CHECK:     %[[FACTOR:.*]] = arith.addf
//       CHECK:     %[[ZERO:.*]] = arith.constant 0.0
//       CHECK:     %[[COS:.*]], %[[SIN:.*]] = posenc.cos_sin
//   CHECK-DAG:     arith.mulf %[[FACTOR]], %[[COS]]
//   CHECK-DAG:     arith.mulf %[[ZERO]], %[[SIN]]
//       CHECK:     posenc.yield %{{.*}}, %{{.*}} : f32, f32
func.func @twice(%q: tensor<1x8x?x16xf32>, %k: tensor<1x8x?x16xf32>, %scale: f32, %init: tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32> {
  %qr = posenc.rotary %q lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  %qt = posenc.query_temperature %qr lanes(<half, first = 0, count = 16>)
      {beta = 0.1 : f64, original_length = 8192 : i64, position_shift = 0 : i64} : tensor<1x8x?x16xf32>
  %o = posenc.attention query(%qt : tensor<1x8x?x16xf32>) key(%k : tensor<1x8x?x16xf32>)
      value(%k : tensor<1x8x?x16xf32>) scale(%scale) outs(%init : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}
