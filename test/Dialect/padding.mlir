// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.padding lengths(%{{.*}} : tensor<2xi32>) : tensor<2x1x1x5xi1>
func.func @plain(%lengths: tensor<2xi32>) -> tensor<2x1x1x5xi1> {
  %mask = posenc.padding lengths(%lengths : tensor<2xi32>) : tensor<2x1x1x5xi1>
  return %mask : tensor<2x1x1x5xi1>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.padding lengths(%{{.*}} : tensor<?xi64>) sizes(%{{.*}}, %{{.*}}) left : tensor<?x1x1x?xi1>
func.func @everything(%lengths: tensor<?xi64>, %b: index, %lk: index) -> tensor<?x1x1x?xi1> {
  %mask = posenc.padding lengths(%lengths : tensor<?xi64>) sizes(%b, %lk) left : tensor<?x1x1x?xi1>
  return %mask : tensor<?x1x1x?xi1>
}
