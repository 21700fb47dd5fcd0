//===- Pipeline.cpp - The phase Plan ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "posenc/Plan/Passes.h"

using namespace mlir;

/// On tensors: what is computed once a call, which keys a block of rows sees,
/// and the interface of the compiled functions.
static void addTensorPasses(OpPassManager &pm,
                            const posenc::PlanOptions &options) {
  pm.addPass(posenc::createAttachTargetPass({options.cpu}));
  pm.addNestedPass<func::FuncOp>(posenc::createAssertExtentsPass());
  pm.addNestedPass<func::FuncOp>(posenc::createStageTablesPass());
  pm.addNestedPass<func::FuncOp>(posenc::createTileClassesPass());
  // Equal tables of queries and keys become one.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addNestedPass<func::FuncOp>(posenc::createUnifyExtentsPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(posenc::createGroupPass());
  pm.addPass(posenc::createEntryAbiPass());
}

/// From tensors to memrefs: every buffer is allocated and freed in its
/// function, outputs are computed in place.
static void addBufferization(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(posenc::createDecomposeAggregatesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(posenc::createSeparateDestinationsPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferAlignment = 64;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  // Removes the copies of donated inputs onto themselves.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
}

/// On memrefs: kernels and tiles.
static void addSchedulePasses(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(posenc::createDispatchPass());
  pm.addNestedPass<func::FuncOp>(posenc::createSchedulePass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void posenc::buildPlanPipeline(OpPassManager &pm, const PlanOptions &options) {
  addTensorPasses(pm, options);
  addBufferization(pm);
  addSchedulePasses(pm);
}

void posenc::registerPlanPipeline() {
  PassPipelineRegistration<PlanOptions>(
      "posenc-plan", "decides tables, tile classes, schedules and buffers",
      buildPlanPipeline);
}
