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
