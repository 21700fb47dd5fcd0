// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @swin
//       CHECK:   posenc.relative_bias_2d %{{.*}} {window = array<i64: 2, 3>} : tensor<15x8xf32> -> tensor<1x8x6x6xf32>
func.func @swin(%table: tensor<15x8xf32>) -> tensor<1x8x6x6xf32> {
  %r = posenc.relative_bias_2d %table {window = array<i64: 2, 3>} : tensor<15x8xf32> -> tensor<1x8x6x6xf32>
  return %r : tensor<1x8x6x6xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.relative_bias_2d %{{.*}} sizes(%{{.*}}) class_token {window = array<i64: 2, 3>} : tensor<18x?xf16> -> tensor<1x?x7x7xf32>
func.func @everything(%table: tensor<18x?xf16>, %h: index) -> tensor<1x?x7x7xf32> {
  %r = posenc.relative_bias_2d %table sizes(%h) class_token {window = array<i64: 2, 3>} : tensor<18x?xf16> -> tensor<1x?x7x7xf32>
  return %r : tensor<1x?x7x7xf32>
}
