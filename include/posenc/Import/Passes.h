//===- Passes.h - The phase Import ---*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the phase: whatever a front end printed: linalg on tensors, posenc
// ops. After it: the same, with attention and encodings as posenc ops.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_IMPORT_PASSES_H
#define POSENC_IMPORT_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::posenc {

#define GEN_PASS_DECL
#include "posenc/Import/Passes.h.inc"

/// The passes of the phase, in order: recognises attention and encodings in
/// primitive ops.
void buildImportPipeline(OpPassManager &pm);

/// Registers the ops of other projects that the phase reads and takes apart.
void registerImportDialects(DialectRegistry &registry);

/// Registers the pipeline as `--posenc-import`.
void registerImportPipeline();

#define GEN_PASS_REGISTRATION
#include "posenc/Import/Passes.h.inc"

} // namespace mlir::posenc

#endif // POSENC_IMPORT_PASSES_H
