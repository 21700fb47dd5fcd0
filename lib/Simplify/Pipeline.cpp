//===- Pipeline.cpp - The phase Simplify ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Simplify/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void posenc::buildSimplifyPipeline(OpPassManager &pm) {
  // Equal rotations and slices must be one value to be recognised.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  OpPassManager &onFunctions = pm.nest<func::FuncOp>();
  onFunctions.addPass(createFoldConstantTransposesPass());
  onFunctions.addPass(createWidenRotationsPass());
  onFunctions.addPass(createComposeRotationsPass());
  onFunctions.addPass(createDropRowConstantsPass());
  onFunctions.addPass(createCheckRangesPass());
  onFunctions.addPass(createCanonicalizerPass());
  onFunctions.addPass(createCSEPass());
}

void posenc::registerSimplifyPipeline() {
  PassPipelineRegistration<>(
      "posenc-simplify", "makes the graph smaller by the algebra of encodings",
      buildSimplifyPipeline);
}
