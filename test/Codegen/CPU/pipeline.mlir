// RUN: posenc-opt %s --posenc-codegen-cpu | FileCheck %s

// The stack does not grow in loops, nothing but the LLVM dialect is left, and
// buffers come from the runtime's allocator.

// CHECK-LABEL: llvm.func @relu(
//       CHECK:   llvm.alloca
//       CHECK:   llvm.call @_mlir_memref_to_llvm_aligned_alloc
//       CHECK:   llvm.br
//   CHECK-NOT:   llvm.alloca
//       CHECK:   llvm.call @posenc_parallel_for
//       CHECK:   llvm.call @_mlir_memref_to_llvm_free
// CHECK-LABEL: llvm.func @relu__task(
//   CHECK-NOT:   func.
//   CHECK-NOT:   memref.
//   CHECK-NOT:   unrealized_conversion_cast
func.func @relu(%x: memref<?x?xf32, strided<[?, 1]>>, %y: memref<?x?xf32, strided<[?, 1]>>, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1]>>
  %m = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1]>>
  %t = memref.alloc(%n, %m) {alignment = 64 : i64} : memref<?x?xf32>
  scf.for %s = %c0 to %steps step %c1 {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32, strided<[?, 1]>>) outs(%t : memref<?x?xf32>) {
      ^bb0(%a: f32, %o: f32):
        %r = arith.maximumf %a, %zero : f32
        linalg.yield %r : f32
    }
  }
  memref.copy %t, %y : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1]>>
  memref.dealloc %t : memref<?x?xf32>
  return
}
