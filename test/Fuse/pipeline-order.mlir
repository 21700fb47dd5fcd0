// RUN: posenc-opt %s --posenc-fuse --dump-pass-pipeline 2>&1 | FileCheck %s --strict-whitespace

// The whole pipeline of the phase, in order; of options, those that it sets.

//      CHECK:builtin.module(
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-decompose-content,
// CHECK-NEXT:    posenc-fold-layouts,
// CHECK-NEXT:    posenc-fuse-rotation,
// CHECK-NEXT:    posenc-inline-elements,
// CHECK-NEXT:    canonicalize
// CHECK-NEXT:    cse,
// CHECK-NEXT:    posenc-split-mask,
// CHECK-NEXT:    posenc-decompose{no-fuse=false}
// CHECK-NEXT:    convert-elementwise-to-linalg,
// CHECK-NEXT:    canonicalize
// CHECK-NEXT:    posenc-simplify-indices,
// CHECK-NEXT:    canonicalize
// CHECK-NEXT:    cse
// CHECK-NEXT:  )
// CHECK-NEXT:)
