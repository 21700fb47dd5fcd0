// RUN: posenc-opt %s --posenc-codegen-cpu --dump-pass-pipeline 2>&1 | FileCheck %s --strict-whitespace

// The whole pipeline of the phase, in order; of options, those that it sets.

//      CHECK:builtin.module(
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-attention
// CHECK-NEXT:  ),
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-contractions
// CHECK-NEXT:  ),
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-loops
// CHECK-NEXT:  ),
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  cse,
// CHECK-NEXT:  posenc-outline-tasks,
// CHECK-NEXT:  arith-emulate-unsupported-floats{source-types={bf16} target-type=f32}
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-expand-math
// CHECK-NEXT:  ),
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-lower-vectors
// CHECK-NEXT:  ),
// CHECK-NEXT:  canonicalize
// CHECK-NEXT:  cse,
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    convert-vector-to-scf
// CHECK-NEXT:  ),
// CHECK-NEXT:  posenc-lower-asserts,
// CHECK-NEXT:  convert-scf-to-cf
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    posenc-lower-reshapes
// CHECK-NEXT:  ),
// CHECK-NEXT:  expand-strided-metadata,
// CHECK-NEXT:  func.func(
// CHECK-NEXT:    affine-expand-index-ops
// CHECK-NEXT:  ),
// CHECK-NEXT:  lower-affine,
// CHECK-NEXT:  convert-math-to-llvm
// CHECK-NEXT:  convert-vector-to-llvm
// CHECK-NEXT:  finalize-memref-to-llvm{{.*}}use-aligned-alloc=true use-generic-functions=true
// CHECK-NEXT:  convert-index-to-llvm
// CHECK-NEXT:  convert-arith-to-llvm
// CHECK-NEXT:  convert-ub-to-llvm
// CHECK-NEXT:  convert-cf-to-llvm
// CHECK-NEXT:  convert-func-to-llvm
// CHECK-NEXT:  reconcile-unrealized-casts
// CHECK-NEXT:)
