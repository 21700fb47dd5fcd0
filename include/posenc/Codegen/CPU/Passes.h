//===- Passes.h - The phase CodegenCPU ---*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the phase: a planned module on memrefs.
// After it: the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_CODEGEN_CPU_PASSES_H
#define POSENC_CODEGEN_CPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::posenc {

#define GEN_PASS_DECL
#include "posenc/Codegen/CPU/Passes.h.inc"

/// The passes of the phase, in order: turns attention and linalg on memrefs
/// into vector code and the LLVM dialect.
void buildCodegenCPUPipeline(OpPassManager &pm);

/// Registers the pipeline as `--posenc-codegen-cpu`.
void registerCodegenCPUPipeline();

#define GEN_PASS_REGISTRATION
#include "posenc/Codegen/CPU/Passes.h.inc"

} // namespace mlir::posenc

#endif // POSENC_CODEGEN_CPU_PASSES_H
