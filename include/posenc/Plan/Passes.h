//===- Passes.h - The phase Plan ---*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the phase: posenc.attention and linalg on tensors.
// After it: the same on memrefs, attention with bounds and a schedule.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_PLAN_PASSES_H
#define POSENC_PLAN_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::posenc {

#define GEN_PASS_DECL
#include "posenc/Plan/Passes.h.inc"

/// Choices of the phase.
struct PlanOptions : PassPipelineOptions<PlanOptions> {
  PassOptions::Option<std::string> cpu{
      *this, "cpu",
      llvm::cl::desc("the CPU to compile for, as a registered target calls it"),
      llvm::cl::init("native")};
};

/// The passes of the phase, in order: decides tables, tile classes, schedules
/// and buffers.
void buildPlanPipeline(OpPassManager &pm, const PlanOptions &options);

/// The interfaces through which bufferization and shape reification, as this
/// phase uses them, ask upstream's ops.
void registerPlanExternalModels(DialectRegistry &registry);

/// Registers the pipeline as `--posenc-plan`.
void registerPlanPipeline();

#define GEN_PASS_REGISTRATION
#include "posenc/Plan/Passes.h.inc"

} // namespace mlir::posenc

#endif // POSENC_PLAN_PASSES_H
