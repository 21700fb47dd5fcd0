// RUN: posenc-opt %s --posenc-import --dump-pass-pipeline 2>&1 | FileCheck %s --strict-whitespace

// The whole pipeline of the phase, in order; of options, those that it sets.

//      CHECK:builtin.module(
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-decompose-scans
// CHECK-NEXT:  ),
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  cse,
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-normalize-shapes
// CHECK-NEXT:  ),
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  cse,
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-raise-attention
// CHECK-NEXT:  ),
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-raise-encodings
// CHECK-NEXT:  ),
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-normalize-shapes
// CHECK-NEXT:  ),
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  cse
// CHECK-NEXT:)
