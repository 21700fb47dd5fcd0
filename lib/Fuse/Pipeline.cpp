//===- Pipeline.cpp - The phase Fuse ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Fuse/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void posenc::buildFusePipeline(OpPassManager &pm, const FuseOptions &options) {
  OpPassManager &onFunctions = pm.nest<func::FuncOp>();
  if (!options.noFuse) {
    onFunctions.addPass(createDecomposeContentPass());
    onFunctions.addPass(createFoldLayoutsPass());
    onFunctions.addPass(createFuseRotationPass());
    onFunctions.addPass(createInlineElementsPass());
    // Selects and sums of constants must have folded before they are split.
    onFunctions.addPass(createCanonicalizerPass());
    onFunctions.addPass(createCSEPass());
    onFunctions.addPass(createSplitMaskPass());
  }
  onFunctions.addPass(createDecomposePass({options.noFuse}));
  // Arithmetic on whole tensors is linalg, too.
  onFunctions.addPass(createConvertElementwiseToLinalgPass());
  onFunctions.addPass(createCanonicalizerPass());
  onFunctions.addPass(createSimplifyIndicesPass());
  onFunctions.addPass(createCanonicalizerPass());
  onFunctions.addPass(createCSEPass());
}

void posenc::registerFusePipeline() {
  PassPipelineRegistration<FuseOptions>(
      "posenc-fuse", "moves encodings into attention and decomposes the rest",
      buildFusePipeline);
}
