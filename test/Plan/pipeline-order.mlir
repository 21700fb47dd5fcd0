// RUN: posenc-opt %s --posenc-plan --dump-pass-pipeline 2>&1 | FileCheck %s --strict-whitespace

// The whole pipeline of the phase, in order; of options, those that it sets.

//      CHECK:builtin.module(
// CHECK-NEXT:  posenc-attach-target{cpu=native}
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-assert-extents
// CHECK-NEXT:  ),
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-stage-tables
// CHECK-NEXT:  ),
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-tile-classes
// CHECK-NEXT:  ),
// CHECK-NEXT:  resolve-ranked-shaped-type-result-dims
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-unify-extents
// CHECK-NEXT:  ),
// CHECK-NEXT:  cse,
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-group
// CHECK-NEXT:  ),
// CHECK-NEXT:  posenc-entry-abi,
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-decompose-aggregates
// CHECK-NEXT:  ),
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-separate-destinations
// CHECK-NEXT:  ),
// CHECK-NEXT:  eliminate-empty-tensors,
// CHECK-NEXT:  one-shot-bufferize{{.*}}buffer-alignment=64
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  cse,
// CHECK-NEXT:  expand-realloc
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  ownership-based-buffer-deallocation
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  buffer-deallocation-simplification,
// CHECK-NEXT:  bufferization-lower-deallocations,
// CHECK-NEXT:  cse,
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    optimize-allocation-liveness
// CHECK-NEXT:  ),
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-dispatch
// CHECK-NEXT:  ),
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-schedule
// CHECK-NEXT:  ),
// CHECK-NEXT:  lower-affine,
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  cse
// CHECK-NEXT:)
