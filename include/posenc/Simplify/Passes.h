//===- Passes.h - The phase Simplify ---*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the phase: linalg on tensors, posenc ops.
// After it: the same, smaller.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_SIMPLIFY_PASSES_H
#define POSENC_SIMPLIFY_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::posenc {

#define GEN_PASS_DECL
#include "posenc/Simplify/Passes.h.inc"

/// The passes of the phase, in order: makes the graph smaller by the algebra of
/// encodings.
void buildSimplifyPipeline(OpPassManager &pm);

/// Registers the pipeline as `--posenc-simplify`.
void registerSimplifyPipeline();

#define GEN_PASS_REGISTRATION
#include "posenc/Simplify/Passes.h.inc"

} // namespace mlir::posenc

#endif // POSENC_SIMPLIFY_PASSES_H
