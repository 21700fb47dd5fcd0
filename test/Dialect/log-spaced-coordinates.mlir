// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.log_spaced_coordinates spacing(<window>) {window = array<i64: 2, 3>} : tensor<15x2xf32>
func.func @plain() -> tensor<15x2xf32> {
  %r = posenc.log_spaced_coordinates spacing(<window>) {window = array<i64: 2, 3>} : tensor<15x2xf32>
  return %r : tensor<15x2xf32>
}

// CHECK-LABEL: func @natural
//       CHECK:   posenc.log_spaced_coordinates spacing(<natural>) {window = array<i64: 2, 3>} : tensor<15x2xf32>
func.func @natural() -> tensor<15x2xf32> {
  %r = posenc.log_spaced_coordinates spacing(<natural>) {window = array<i64: 2, 3>} : tensor<15x2xf32>
  return %r : tensor<15x2xf32>
}

// CHECK-LABEL: func @pretrained
//       CHECK:   posenc.log_spaced_coordinates spacing(<window>) {pretrained_window = array<i64: 8, 8>, window = array<i64: 2, 3>} : tensor<15x2xf32>
func.func @pretrained() -> tensor<15x2xf32> {
  %r = posenc.log_spaced_coordinates spacing(<window>) {pretrained_window = array<i64: 8, 8>, window = array<i64: 2, 3>} : tensor<15x2xf32>
  return %r : tensor<15x2xf32>
}
