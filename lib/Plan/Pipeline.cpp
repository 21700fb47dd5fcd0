//===- Pipeline.cpp - The phase Plan ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Plan/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void posenc::buildPlanPipeline(OpPassManager &pm, const PlanOptions &) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void posenc::registerPlanPipeline() {
  PassPipelineRegistration<PlanOptions>(
      "posenc-plan", "decides tables, tile classes, schedules and buffers", buildPlanPipeline);
}
