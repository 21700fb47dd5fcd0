//===- Pipeline.cpp - The phase CodegenCPU ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void posenc::buildCodegenCPUPipeline(OpPassManager &pm,
                                     const CodegenCPUOptions &) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void posenc::registerCodegenCPUPipeline() {
  PassPipelineRegistration<CodegenCPUOptions>(
      "posenc-codegen-cpu",
      "turns attention and linalg on memrefs into vector code and the LLVM "
      "dialect",
      buildCodegenCPUPipeline);
}
