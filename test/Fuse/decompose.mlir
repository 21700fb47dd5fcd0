// RUN: posenc-opt %s --posenc-decompose | FileCheck %s
// RUN: posenc-opt %s --posenc-decompose=no-fuse | FileCheck %s --check-prefix=NOFUSE

// CHECK-LABEL: func @mask
//       CHECK:   %[[E:.*]] = tensor.empty(%{{.*}}, %{{.*}}) : tensor<1x1x?x?xi1>
//       CHECK:   linalg.generic {{.*}} outs(%[[E]] :
//       CHECK:     arith.cmpi sle
func.func @mask(%lq: index, %lk: index) -> tensor<1x1x?x?xi1> {
  %mask = posenc.causal sizes(%lq, %lk) : tensor<1x1x?x?xi1>
  return %mask : tensor<1x1x?x?xi1>
}

// One table of cosines and sines for all heads; pairs are two slices of lanes; the
// lanes that do not rotate stay where they are.

// CHECK-LABEL: func @half
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<2x8x?x16xf16>
//       CHECK:   %[[ANGLES:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>)
//       CHECK:     posenc.cos_sin
//   CHECK-DAG:   tensor.extract_slice %[[X]][0, 0, 0, 2] [2, 8, %{{.*}}, 4] [1, 1, 1, 1]
//   CHECK-DAG:   tensor.extract_slice %[[X]][0, 0, 0, 6] [2, 8, %{{.*}}, 4] [1, 1, 1, 1]
//       CHECK:   %[[R:.*]]:2 = linalg.generic
//       CHECK:     arith.extf
//       CHECK:     arith.truncf
//       CHECK:   %[[FIRST:.*]] = tensor.insert_slice %[[R]]#0 into %[[X]][0, 0, 0, 2]
//       CHECK:   %[[BOTH:.*]] = tensor.insert_slice %[[R]]#1 into %[[FIRST]][0, 0, 0, 6]
//       CHECK:   return %[[BOTH]]
func.func @half(%x: tensor<2x8x?x16xf16>) -> tensor<2x8x?x16xf16> {
  %y = posenc.rotary %x lanes(<half, first = 2, count = 8>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<2x8x?x16xf16>
  return %y : tensor<2x8x?x16xf16>
}

// CHECK-LABEL: func @interleaved
//       CHECK:   tensor.extract_slice %{{.*}}[0, 0, 0, 1] [2, %{{.*}}, 8, 8] [1, 1, 1, 2]
func.func @interleaved(%x: tensor<2x?x8x16xf32>) -> tensor<2x?x8x16xf32> {
  %y = posenc.rotary %x lanes(<interleaved, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>)
      layout(<blhd>) : tensor<2x?x8x16xf32>
  return %y : tensor<2x?x8x16xf32>
}

// CHECK-LABEL: func @attention
//       CHECK:   posenc.attention
// NOFUSE-LABEL: func @attention
//   NOFUSE-NOT:   posenc.attention
//       NOFUSE:   linalg.generic {{.*}}"reduction"
//       NOFUSE:   math.exp
func.func @attention(%q: tensor<1x8x?x16xf32>, %scale: f32, %init: tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x?x16xf32>) key(%q : tensor<1x8x?x16xf32>)
      value(%q : tensor<1x8x?x16xf32>) scale(%scale) outs(%init : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  return %o : tensor<1x8x?x16xf32>
}

// Plan's: linalg has it.

// CHECK-LABEL: func @softmax
//       CHECK:   linalg.softmax
func.func @softmax(%x: tensor<4x8xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
