// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.forgetting %{{.*}} : tensor<2x8x5xf32> -> tensor<2x8x3x5xf32>
func.func @plain(%sums: tensor<2x8x5xf32>) -> tensor<2x8x3x5xf32> {
  %r = posenc.forgetting %sums : tensor<2x8x5xf32> -> tensor<2x8x3x5xf32>
  return %r : tensor<2x8x3x5xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.forgetting %{{.*}} backward(%{{.*}} : tensor<?x?x?xf32>) sizes(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) : tensor<?x?x?xf32> -> tensor<?x?x?x?xf32>
func.func @everything(%sums: tensor<?x?x?xf32>, %b: index, %h: index, %lq: index, %lk: index, %offset: index) -> tensor<?x?x?x?xf32> {
  %r = posenc.forgetting %sums backward(%sums : tensor<?x?x?xf32>) sizes(%b, %h, %lq, %lk) offset(%offset)
      : tensor<?x?x?xf32> -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
