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

// Rows are written where they go; nothing is computed for the others.
// CHECK-LABEL: func @cache_append
//  CHECK-SAME:   %[[ROWS:.*]]: tensor<2x4x?x8xf32>, %[[LENGTHS:.*]]: tensor<2xi32>, %[[CACHE:.*]]: tensor<2x4x64x8xf32>
//       CHECK:   scf.forall (%[[B:.*]]) in (2) shared_outs(%[[OLD:.*]] = %[[CACHE]])
//       CHECK:     tensor.extract %[[LENGTHS]][%[[B]]]
//       CHECK:     %[[NEW:.*]] = tensor.extract_slice %[[ROWS]][%[[B]], 0, 0, 0]
//       CHECK:     tensor.parallel_insert_slice %[[NEW]] into %[[OLD]][%[[B]], 0, %{{.*}}, 0]
//   CHECK-NOT:     tensor.parallel_insert_slice
//       CHECK:   return
func.func @cache_append(%rows: tensor<2x4x?x8xf32>, %lengths: tensor<2xi32>, %cache: tensor<2x4x64x8xf32>)
    -> tensor<2x4x64x8xf32> {
  %new = posenc.cache_append %rows at(%lengths : tensor<2xi32>) layout(<bhld>)
      outs(%cache : tensor<2x4x64x8xf32>) : tensor<2x4x?x8xf32>
  return %new : tensor<2x4x64x8xf32>
}

// Up to the end of the ring, then from its start.
// CHECK-LABEL: func @ring_append
//       CHECK:   scf.forall
//       CHECK:     arith.remsi
//       CHECK:     tensor.parallel_insert_slice %{{.*}} into %[[OLD:.*]][%{{.*}}, %{{.*}}, 0, 0]
//       CHECK:     tensor.parallel_insert_slice %{{.*}} into %[[OLD]][%{{.*}}, 0, 0, 0]
func.func @ring_append(%rows: tensor<2x3x4x8xf32>, %lengths: tensor<2xi32>, %cache: tensor<2x64x4x8xf32>)
    -> tensor<2x64x4x8xf32> {
  %new = posenc.cache_append %rows at(%lengths : tensor<2xi32>) layout(<blhd>) ring
      outs(%cache : tensor<2x64x4x8xf32>) : tensor<2x3x4x8xf32>
  return %new : tensor<2x64x4x8xf32>
}

// CHECK-LABEL: func @conv
//       CHECK:   tensor.insert_slice
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
func.func @conv(%x: tensor<1x?x8xf32>, %weight: tensor<8x4x3xf32>) -> tensor<1x?x8xf32> {
  %y = posenc.conv %x weight(%weight : tensor<8x4x3xf32>) : tensor<1x?x8xf32>
  return %y : tensor<1x?x8xf32>
}

// CHECK-LABEL: func @token_positions
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:     scf.for
//       CHECK:       tensor.insert
func.func @token_positions(%mask: tensor<2x?xi1>, %l: index) -> tensor<2x?xi64> {
  %m = posenc.token_positions %mask length(%l) {first = 0 : i64, padding = -1 : i64}
      : tensor<2x?xi1> -> tensor<2x?xi64>
  return %m : tensor<2x?xi64>
}
