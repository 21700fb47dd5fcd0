// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.fire hidden(%{{.*}}, %{{.*}} : tensor<32xf32>, tensor<32xf32>) output(%{{.*}}, %{{.*}} : tensor<8x32xf32>, tensor<8xf32>) scale(%{{.*}}) threshold(%{{.*}}) {first_position = 1 : i64} : tensor<1x8x3x5xf32>
func.func @plain(%w0: tensor<32xf32>, %b0: tensor<32xf32>, %w1: tensor<8x32xf32>, %b1: tensor<8xf32>, %c: f32, %t: f32) -> tensor<1x8x3x5xf32> {
  %r = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<32xf32>) output(%w1, %b1 : tensor<8x32xf32>, tensor<8xf32>) scale(%c) threshold(%t) {first_position = 1 : i64} : tensor<1x8x3x5xf32>
  return %r : tensor<1x8x3x5xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.fire hidden({{.*}}) output({{.*}}) scale(%{{.*}}) threshold(%{{.*}}) sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) {epsilon = 5.000000e-01 : f64, first_position = 0 : i64} : tensor<1x?x?x?xf32>
func.func @everything(%w0: tensor<4xf32>, %b0: tensor<4xf32>, %w1: tensor<?x4xf32>, %b1: tensor<?xf32>, %c: f32, %t: f32,
                      %h: index, %lq: index, %lk: index, %offset: index) -> tensor<1x?x?x?xf32> {
  %r = posenc.fire hidden(%w0, %b0 : tensor<4xf32>, tensor<4xf32>) output(%w1, %b1 : tensor<?x4xf32>, tensor<?xf32>)
      scale(%c) threshold(%t) sizes(%h, %lq, %lk) offset(%offset) {epsilon = 0.5, first_position = 0 : i64} : tensor<1x?x?x?xf32>
  return %r : tensor<1x?x?x?xf32>
}
