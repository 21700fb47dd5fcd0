// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @timm
//       CHECK:   posenc.learned_2d %{{.*}} interpolation(<bicubic>) antialias {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<17x8xf16> -> tensor<31x8xf32>
func.func @timm(%t: tensor<17x8xf16>) {
  %0 = posenc.learned_2d %t interpolation(<bicubic>) antialias {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<17x8xf16> -> tensor<31x8xf32>
  return
}

// CHECK-LABEL: func @vit
//       CHECK:   posenc.learned_2d %{{.*}} interpolation(<bicubic>) {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<?x8xf32> -> tensor<31x8xf32>
func.func @vit(%t: tensor<?x8xf32>) {
  %0 = posenc.learned_2d %t interpolation(<bicubic>) {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<?x8xf32> -> tensor<31x8xf32>
  return
}

// CHECK-LABEL: func @aligned
//       CHECK:   posenc.learned_2d %{{.*}} sizes(%{{.*}}) interpolation(<bicubic>) align_corners {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<17x8xf16> -> tensor<?x8xf16>
func.func @aligned(%t: tensor<17x8xf16>, %l: index) {
  %0 = posenc.learned_2d %t sizes(%l) interpolation(<bicubic>) align_corners {grid = array<i64: 4, 4>, new_grid = array<i64: 6, 5>, prefix_tokens = 1 : i64} : tensor<17x8xf16> -> tensor<?x8xf16>
  return
}
