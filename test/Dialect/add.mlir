// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.add %{{.*}}, %{{.*}} : tensor<2x3x8xf32>, tensor<3x8xf32>
func.func @plain(%x: tensor<2x3x8xf32>, %pe: tensor<3x8xf32>) -> tensor<2x3x8xf32> {
  %y = posenc.add %x, %pe : tensor<2x3x8xf32>, tensor<3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.add %{{.*}}, %{{.*}} {embedding_scale = 2.500000e+00 : f64} : tensor<?x?x8xbf16>, tensor<1x?x8xf16>
func.func @everything(%x: tensor<?x?x8xbf16>, %pe: tensor<1x?x8xf16>) -> tensor<?x?x8xbf16> {
  %y = posenc.add %x, %pe {embedding_scale = 2.5} : tensor<?x?x8xbf16>, tensor<1x?x8xf16>
  return %y : tensor<?x?x8xbf16>
}
