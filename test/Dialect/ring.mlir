// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @held
//       CHECK:   posenc.ring lengths(%{{.*}} : tensor<2xi32>) : tensor<2x1x3x8xi1>
func.func @held(%n: tensor<2xi32>) {
  %0 = posenc.ring lengths(%n : tensor<2xi32>) : tensor<2x1x3x8xi1>
  return
}

// CHECK-LABEL: func @left
//       CHECK:   posenc.ring lengths(%{{.*}} : tensor<?xi64>) sizes(%{{.*}}, %{{.*}}, %{{.*}}) left(%{{.*}}) : tensor<?x1x?x?xi1>
func.func @left(%n: tensor<?xi64>, %b: index, %l: index, %k: index, %w: index) {
  %0 = posenc.ring lengths(%n : tensor<?xi64>) sizes(%b, %l, %k) left(%w) : tensor<?x1x?x?xi1>
  return
}
