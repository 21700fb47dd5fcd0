// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.cope query(%{{.*}} : tensor<2x4x5x8xf32>) key(%{{.*}} : tensor<2x4x7x8xf32>) table(%{{.*}} : tensor<6x8xf32>) scale(%{{.*}}) : tensor<2x4x5x7xf32>
func.func @plain(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %table: tensor<6x8xf32>, %scale: f32)
    -> tensor<2x4x5x7xf32> {
  %bias = posenc.cope query(%q : tensor<2x4x5x8xf32>) key(%k : tensor<2x4x7x8xf32>) table(%table : tensor<6x8xf32>)
      scale(%scale) : tensor<2x4x5x7xf32>
  return %bias : tensor<2x4x5x7xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.cope query(%{{.*}} : tensor<?x4x?x8xf16>) key(%{{.*}} : tensor<?x2x?x8xf16>) table(%{{.*}} : tensor<4x6x8xf32>) scale(%{{.*}}) mask(%{{.*}} : tensor<?x1x?x?xi1>) : tensor<?x4x?x?xf32>
func.func @everything(%q: tensor<?x4x?x8xf16>, %k: tensor<?x2x?x8xf16>, %table: tensor<4x6x8xf32>, %scale: f32,
                      %mask: tensor<?x1x?x?xi1>) -> tensor<?x4x?x?xf32> {
  %bias = posenc.cope query(%q : tensor<?x4x?x8xf16>) key(%k : tensor<?x2x?x8xf16>) table(%table : tensor<4x6x8xf32>)
      scale(%scale) mask(%mask : tensor<?x1x?x?xi1>) : tensor<?x4x?x?xf32>
  return %bias : tensor<?x4x?x?xf32>
}
