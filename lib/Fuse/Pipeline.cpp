//===- Pipeline.cpp - The phase Fuse ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Fuse/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void posenc::buildFusePipeline(OpPassManager &pm, const FuseOptions &) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void posenc::registerFusePipeline() {
  PassPipelineRegistration<FuseOptions>(
      "posenc-fuse", "moves encodings into attention and decomposes the rest", buildFusePipeline);
}
