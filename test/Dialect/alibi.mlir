// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.alibi : tensor<1x8x3x5xf32>
func.func @plain() -> tensor<1x8x3x5xf32> {
  %bias = posenc.alibi : tensor<1x8x3x5xf32>
  return %bias : tensor<1x8x3x5xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.alibi sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) slopes(%{{.*}} : tensor<?xf32>) symmetric {max_bias = 4.000000e+00 : f64} : tensor<1x?x?x?xf32>
func.func @everything(%h: index, %lq: index, %lk: index, %offset: index,
                      %slopes: tensor<?xf32>) -> tensor<1x?x?x?xf32> {
  %bias = posenc.alibi sizes(%h, %lq, %lk) offset(%offset) slopes(%slopes : tensor<?xf32>) symmetric
      {max_bias = 4.0} : tensor<1x?x?x?xf32>
  return %bias : tensor<1x?x?x?xf32>
}

// CHECK-LABEL: func @two_sided
//       CHECK:   posenc.alibi slopes(%{{.*}} : tensor<8xf32>) later_slopes(%{{.*}} : tensor<8xf32>) : tensor<1x8x3x5xf32>
func.func @two_sided(%before: tensor<8xf32>, %after: tensor<8xf32>) -> tensor<1x8x3x5xf32> {
  %bias = posenc.alibi slopes(%before : tensor<8xf32>) later_slopes(%after : tensor<8xf32>) : tensor<1x8x3x5xf32>
  return %bias : tensor<1x8x3x5xf32>
}

// CHECK-LABEL: func @shard
//       CHECK:   posenc.alibi sizes(%{{.*}}) first_head(%{{.*}}) symmetric {total_heads = 40 : i64} : tensor<1x?x3x5xf32>
func.func @shard(%h: index, %first: index) -> tensor<1x?x3x5xf32> {
  %bias = posenc.alibi sizes(%h) first_head(%first) symmetric {total_heads = 40 : i64} : tensor<1x?x3x5xf32>
  return %bias : tensor<1x?x3x5xf32>
}
