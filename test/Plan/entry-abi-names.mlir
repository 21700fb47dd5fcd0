// RUN: posenc-opt %s --posenc-entry-abi | FileCheck %s

// A C program has a main of its own.
// CHECK-LABEL: func @main_graph__shapes
//       CHECK: func @main_graph(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// The loader calls these two of every library.
// CHECK: func @_init_graph(
func.func @_init(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// CHECK: func @_fini_graph(
func.func @_fini(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// Names of the runtime, of C and of MLIR.
// CHECK: func @graph_posenc_last_error(
func.func @posenc_last_error(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// CHECK: func @graph___cxa_finalize(
func.func @__cxa_finalize(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// CHECK: func @graph__mlir_ciface_g(
func.func @_mlir_ciface_g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// Functions of the C library, and another one that the runtime calls.
// CHECK: func @malloc_graph(
func.func @malloc(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// CHECK: func @pthread_create_graph(
func.func @pthread_create(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
