//===- rewrite.cpp - Fuses the encodings of a graph -----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Fuse/Passes.h"
#include "posenc/Import/Passes.h"

using namespace mlir;

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  DialectRegistry registry;
  registry
      .insert<arith::ArithDialect, func::FuncDialect, posenc::PosEncDialect>();
  posenc::registerFuseExternalModels(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  PassManager pm(&context);
  posenc::buildImportPipeline(pm);
  posenc::buildFusePipeline(pm, posenc::FuseOptions());
  if (failed(pm.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
