//===- Passes.h - The phase Fuse ---*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the phase: linalg on tensors, posenc ops.
// After it: posenc.attention with encodings in its regions, linalg.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FUSE_PASSES_H
#define POSENC_FUSE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::posenc {

#define GEN_PASS_DECL
#include "posenc/Fuse/Passes.h.inc"

/// Choices of the phase.
struct FuseOptions : PassPipelineOptions<FuseOptions> {
  Option<bool> noFuse{*this, "no-fuse",
                      llvm::cl::desc("decompose everything, attention as well"),
                      llvm::cl::init(false)};
};

/// The passes of the phase, in order: moves encodings into attention and
/// decomposes the rest.
void buildFusePipeline(OpPassManager &pm, const FuseOptions &options);

/// Registers the interfaces of other dialects' ops that the phase asks for
/// bounds of indices.
void registerFuseExternalModels(DialectRegistry &registry);

/// Registers the pipeline as `--posenc-fuse`.
void registerFusePipeline();

#define GEN_PASS_REGISTRATION
#include "posenc/Fuse/Passes.h.inc"

} // namespace mlir::posenc

#endif // POSENC_FUSE_PASSES_H
