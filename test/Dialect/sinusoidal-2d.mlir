// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @mae
//       CHECK:   posenc.sinusoidal_2d first(<column>) order(<axes_apart>) : tensor<14x14x8xf32>
func.func @mae() {
  %0 = posenc.sinusoidal_2d first(<column>) order(<axes_apart>) : tensor<14x14x8xf32>
  return
}

// CHECK-LABEL: func @timm
//       CHECK:   posenc.sinusoidal_2d sizes(%{{.*}}, %{{.*}}) first(<row>) order(<functions_apart>) : tensor<?x?x8xf32>
func.func @timm(%h: index, %w: index) {
  %0 = posenc.sinusoidal_2d sizes(%h, %w) first(<row>) order(<functions_apart>) : tensor<?x?x8xf32>
  return
}

// CHECK-LABEL: func @scaled
//       CHECK:   posenc.sinusoidal_2d first(<row>) order(<interleaved>) {axis_scale = array<f64: 2.000000e+00, 5.000000e-01>, base = 1.000000e+02 : f64} : tensor<2x3x8xf32>
func.func @scaled() {
  %0 = posenc.sinusoidal_2d first(<row>) order(<interleaved>) {axis_scale = array<f64: 2.000000e+00, 5.000000e-01>, base = 1.000000e+02 : f64} : tensor<2x3x8xf32>
  return
}
