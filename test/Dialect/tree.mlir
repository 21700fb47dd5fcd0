// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @conditions
//       CHECK:   posenc.tree ancestors(%{{.*}} : tensor<1x3x3xi1>) cached(%{{.*}} : tensor<2xi64>) : tensor<2x1x3x5xi1>
func.func @conditions(%ancestors: tensor<1x3x3xi1>, %cached: tensor<2xi64>) -> tensor<2x1x3x5xi1> {
  %mask = posenc.tree ancestors(%ancestors : tensor<1x3x3xi1>) cached(%cached : tensor<2xi64>)
      : tensor<2x1x3x5xi1>
  return %mask : tensor<2x1x3x5xi1>
}

// CHECK-LABEL: func @bits
//       CHECK:   posenc.tree ancestors(%{{.*}} : tensor<2x33x2xi32>) cached(%{{.*}} : tensor<2xi64>) sizes(%{{.*}}) : tensor<2x1x33x?xi1>
func.func @bits(%ancestors: tensor<2x33x2xi32>, %cached: tensor<2xi64>, %lk: index)
    -> tensor<2x1x33x?xi1> {
  %mask = posenc.tree ancestors(%ancestors : tensor<2x33x2xi32>) cached(%cached : tensor<2xi64>)
      sizes(%lk) : tensor<2x1x33x?xi1>
  return %mask : tensor<2x1x33x?xi1>
}
