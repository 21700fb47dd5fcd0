// RUN: posenc-opt %s --posenc-entry-abi | FileCheck %s

// A C program has a main of its own.
// CHECK-LABEL: func @main_graph__shapes
//       CHECK: func @main_graph(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
