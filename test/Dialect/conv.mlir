// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @sequence
//       CHECK:   posenc.conv %{{.*}} weight(%{{.*}} : tensor<8x4x128xf32>) bias(%{{.*}} : tensor<8xf32>) : tensor<?x?x8xf16>
func.func @sequence(%x: tensor<?x?x8xf16>, %w: tensor<8x4x128xf32>, %z: tensor<8xf32>) {
  %0 = posenc.conv %x weight(%w : tensor<8x4x128xf32>) bias(%z : tensor<8xf32>) : tensor<?x?x8xf16>
  return
}

// CHECK-LABEL: func @grid
//       CHECK:   posenc.conv %{{.*}} weight(%{{.*}} : tensor<8x1x3x3xf32>) : tensor<1x?x14x8xf32>
func.func @grid(%x: tensor<1x?x14x8xf32>, %w: tensor<8x1x3x3xf32>) {
  %0 = posenc.conv %x weight(%w : tensor<8x1x3x3xf32>) : tensor<1x?x14x8xf32>
  return
}
