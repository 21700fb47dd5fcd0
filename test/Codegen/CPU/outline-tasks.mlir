// RUN: posenc-opt %s --posenc-outline-tasks --split-input-file | FileCheck %s

// The body moves; what it uses travels in a struct on the stack of the entry
// block; constants do not travel.

//       CHECK: func private @posenc_parallel_for(!llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-LABEL: func @captures(
//  CHECK-NEXT:   %{{.*}} = llvm.mlir.constant(1 : i64)
//  CHECK-NEXT:   %[[CTX:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(f32, struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>)>
//       CHECK:   scf.for
//       CHECK:     llvm.store %{{.*}}, %{{.*}} : f32, !llvm.ptr
//       CHECK:     %[[TASK:.*]] = func.constant @captures__task
//       CHECK:     %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[TASK]]
//       CHECK:     func.call @posenc_parallel_for(%[[POINTER]], %[[CTX]], %{{.*}}, %c0_i64)
// CHECK-LABEL: func private @captures__task(
//  CHECK-SAME:   %[[CTX:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %{{.*}}: !llvm.ptr)
//       CHECK:   %[[B:.*]] = arith.index_cast %[[BEGIN]]
//       CHECK:   %[[E:.*]] = arith.index_cast %[[END]]
//       CHECK:   scf.for %[[ITEM:.*]] = %[[B]] to %[[E]]
//       CHECK:     %[[J:.*]] = arith.remui %[[ITEM]], %[[COLUMNS:.*]] :
//       CHECK:     %[[I:.*]] = arith.divui %[[ITEM]], %[[COLUMNS]]
//       CHECK:     memref.store %{{.*}}, %{{.*}}[%[[I]], %{{.*}}]
func.func @captures(%y: memref<?x16xf32>, %value: f32, %repeat: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  scf.for %r = %c0 to %repeat step %c1 {
    scf.forall (%i, %j) = (0, 0) to (8, 16) step (1, 4) {
      %twice = arith.mulf %value, %two : f32
      memref.store %twice, %y[%i, %j] : memref<?x16xf32>
    }
  }
  return
}

// -----

// Allocations of constant size become ranges of the scratch, each on lines of
// its own: 100 f32 are 448 bytes, 10 f64 are 128. Inner foralls become loops.

// CHECK-LABEL: func @scratch(
//       CHECK:   %[[BYTES:.*]] = arith.constant 576 : i64
//       CHECK:   call @posenc_parallel_for(%{{.*}}, %{{.*}}, %{{.*}}, %[[BYTES]])
// CHECK-LABEL: func private @scratch__task(
//  CHECK-SAME:   %[[SCRATCH:[^:]*]]: !llvm.ptr) {
//   CHECK-NOT:   memref.alloc
//       CHECK:   llvm.getelementptr %[[SCRATCH]][0]
//       CHECK:   llvm.getelementptr %[[SCRATCH]][448]
//   CHECK-NOT:   memref.dealloc
//   CHECK-NOT:   scf.forall
func.func @scratch(%y: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (%n) {
    %a = memref.alloca() : memref<100xf32>
    %b = memref.alloc() : memref<10xf64>
    scf.forall (%j) in (10) {
      %x = memref.load %a[%j] : memref<100xf32>
      %wide = arith.extf %x : f32 to f64
      memref.store %wide, %b[%j] : memref<10xf64>
    }
    %r = memref.load %b[%c0] : memref<10xf64>
    memref.store %r, %y[%i] : memref<?xf64>
    memref.dealloc %b : memref<10xf64>
  }
  return
}
