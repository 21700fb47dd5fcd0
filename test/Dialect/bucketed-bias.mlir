// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.bucketed_bias %{{.*}} {max_distance = 128 : i64} : tensor<32x8xf32> -> tensor<1x8x3x5xf32>
func.func @plain(%table: tensor<32x8xf32>) -> tensor<1x8x3x5xf32> {
  %bias = posenc.bucketed_bias %table {max_distance = 128 : i64} : tensor<32x8xf32> -> tensor<1x8x3x5xf32>
  return %bias : tensor<1x8x3x5xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.bucketed_bias %{{.*}} sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) bidirectional {max_distance = 128 : i64} : tensor<32x?xbf16> -> tensor<1x?x?x?xf32>
func.func @everything(%table: tensor<32x?xbf16>, %h: index, %lq: index, %lk: index,
                      %offset: index) -> tensor<1x?x?x?xf32> {
  %bias = posenc.bucketed_bias %table sizes(%h, %lq, %lk) offset(%offset) bidirectional
      {max_distance = 128 : i64} : tensor<32x?xbf16> -> tensor<1x?x?x?xf32>
  return %bias : tensor<1x?x?x?xf32>
}

// CHECK-LABEL: func @gated
//       CHECK:   posenc.bucketed_bias %{{.*}} sizes(%{{.*}}) gate(%{{.*}} : tensor<?x8x3xf32>) bidirectional {max_distance = 800 : i64} : tensor<320x8xf32> -> tensor<?x8x3x5xf32>
func.func @gated(%table: tensor<320x8xf32>, %gate: tensor<?x8x3xf32>, %b: index) -> tensor<?x8x3x5xf32> {
  %bias = posenc.bucketed_bias %table sizes(%b) gate(%gate : tensor<?x8x3xf32>) bidirectional
      {max_distance = 800 : i64} : tensor<320x8xf32> -> tensor<?x8x3x5xf32>
  return %bias : tensor<?x8x3x5xf32>
}
