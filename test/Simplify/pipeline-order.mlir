// RUN: posenc-opt %s --posenc-simplify --dump-pass-pipeline 2>&1 | FileCheck %s --strict-whitespace

// The whole pipeline of the phase, in order; of options, those that it sets.

//      CHECK:builtin.module(
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  cse,
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-fold-constant-transposes,
// CHECK-NEXT:    posenc-widen-rotations,
// CHECK-NEXT:    posenc-compose-rotations,
// CHECK-NEXT:    posenc-drop-row-constants,
// CHECK-NEXT:    posenc-check-ranges,
// CHECK-NEXT:    canonicalize
// CHECK-NEXT:    cse
// CHECK-NEXT:  )
// CHECK-NEXT:)
