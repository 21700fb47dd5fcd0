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

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::posenc {

#define GEN_PASS_DECL
#include "posenc/Plan/Passes.h.inc"

/// Choices of the phase.
struct PlanOptions : PassPipelineOptions<PlanOptions> {};

/// The passes of the phase, in order: decides tables, tile classes, schedules and buffers.
void buildPlanPipeline(OpPassManager &pm, const PlanOptions &options);

/// Registers the pipeline as `--posenc-plan`.
void registerPlanPipeline();

#define GEN_PASS_REGISTRATION
#include "posenc/Plan/Passes.h.inc"

} // namespace mlir::posenc

#endif // POSENC_PLAN_PASSES_H
