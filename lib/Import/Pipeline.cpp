//===- Pipeline.cpp - The phase Import ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Import/Passes.h"
#include "posenc/Import/TMTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Folds, then merges what has become the same.
static void addCleanup(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(posenc::createNormalizeShapesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void posenc::buildImportPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createDecomposeScansPass());
  // Equal values must be one value before extents are compared.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addCleanup(pm);
  pm.addNestedPass<func::FuncOp>(createRaiseAttentionPass());
  pm.addNestedPass<func::FuncOp>(createRaiseEncodingsPass());
  addCleanup(pm);
}

void posenc::registerImportDialects(DialectRegistry &registry) {
  registry.insert<tm_tensor::TMTensorDialect>();
}

void posenc::registerImportPipeline() {
  PassPipelineRegistration<>(
      "posenc-import", "recognises attention and encodings in primitive ops",
      buildImportPipeline);
}
