// RUN: posenc-opt %s --posenc-loops --canonicalize --split-input-file | FileCheck %s

// A large op: blocks of rows in parallel, the contiguous dimension innermost.

// CHECK-LABEL: func @rows(
//       CHECK:   %[[N:.*]] = memref.dim
//       CHECK:   scf.forall (%[[BLOCK:.*]]) in (%{{.*}}) {
//       CHECK:     %[[BEGIN:.*]] = arith.muli %[[BLOCK]], %c256
//       CHECK:     %[[END:.*]] = arith.minui %{{.*}}, %[[N]]
//       CHECK:     scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
//       CHECK:       scf.for %[[J:.*]] = %c0 to %c64
//       CHECK:         memref.load %{{.*}}[%[[I]], %[[J]]]
func.func @rows(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  linalg.exp ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>)
  return
}

// -----

// A small op stays on the thread.

// CHECK-LABEL: func @small(
//   CHECK-NOT:   scf.forall
//       CHECK:   scf.for
func.func @small(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  memref.copy %x, %y : memref<8x64xf32> to memref<8x64xf32>
  return
}

// -----

// A contraction: k outside of j, along which two operands are contiguous.

// CHECK-LABEL: func @contraction(
//       CHECK:   scf.forall
//       CHECK:     scf.for %[[I:.*]] =
//       CHECK:       scf.for %[[K:.*]] =
//       CHECK:         scf.for %[[J:.*]] =
//       CHECK:           memref.load %{{.*}}[%[[I]], %[[K]]]
//       CHECK:           memref.load %{{.*}}[%[[K]], %[[J]]]
//       CHECK:           memref.load %{{.*}}[%[[I]], %[[J]]]
func.func @contraction(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// -----

// A row's sum: the reduction is innermost, since the row is contiguous.

// CHECK-LABEL: func @sum(
//       CHECK:   scf.forall
//       CHECK:     scf.for %[[I:.*]] =
//       CHECK:       scf.for %[[J:.*]] =
//       CHECK:         memref.load %{{.*}}[%[[I]], %[[J]]]
func.func @sum(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.reduce { arith.addf } ins(%x : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [1]
  return
}

// -----

// Inside a task there are no tasks.

// CHECK-LABEL: func @nested(
// CHECK-COUNT-1: scf.forall
//   CHECK-NOT:   scf.forall
func.func @nested(%x: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (4) {
    linalg.fill ins(%zero : f32) outs(%x : memref<?x?xf32>)
  }
  return
}
