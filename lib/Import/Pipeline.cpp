//===- Pipeline.cpp - The phase Import ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Import/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void posenc::buildImportPipeline(OpPassManager &pm, const ImportOptions &) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void posenc::registerImportPipeline() {
  PassPipelineRegistration<ImportOptions>(
      "posenc-import", "recognises attention and encodings in primitive ops", buildImportPipeline);
}
