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
