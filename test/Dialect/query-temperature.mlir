// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @positions
//       CHECK:   posenc.query_temperature %{{.*}} positions(%{{.*}} : tensor<1x?xi64>) lanes(<half, first = 0, count = 8>) layout(<blhd>) {beta = 1.000000e-01 : f64, original_length = 8192 : i64, position_shift = 1 : i64} : tensor<1x?x4x8xf16>
func.func @positions(%q: tensor<1x?x4x8xf16>, %positions: tensor<1x?xi64>) -> tensor<1x?x4x8xf16> {
  %y = posenc.query_temperature %q positions(%positions : tensor<1x?xi64>) lanes(<half, first = 0, count = 8>)
      layout(<blhd>) {beta = 0.1 : f64, original_length = 8192 : i64, position_shift = 1 : i64} : tensor<1x?x4x8xf16>
  return %y : tensor<1x?x4x8xf16>
}

// CHECK-LABEL: func @offset
//       CHECK:   posenc.query_temperature %{{.*}} offset(%{{.*}}) lanes(<interleaved, first = 0, count = 8>) {
func.func @offset(%q: tensor<1x4x?x8xf32>, %offset: index) -> tensor<1x4x?x8xf32> {
  %y = posenc.query_temperature %q offset(%offset) lanes(<interleaved, first = 0, count = 8>)
      {beta = 0.1 : f64, original_length = 8192 : i64, position_shift = 1 : i64} : tensor<1x4x?x8xf32>
  return %y : tensor<1x4x?x8xf32>
}
