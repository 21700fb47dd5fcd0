//===- posenc-opt.cpp - Runs passes on IR ---------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "posenc/InitAll.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

#ifdef POSENC_INCLUDE_TESTS
#include "TestPasses.h"
#endif

static void printVersion(llvm::raw_ostream &stream) {
  stream << "posenc-opt " POSENC_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
}

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(printVersion);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::posenc::registerAllDialects(registry);
  mlir::posenc::registerAllPasses();
#ifdef POSENC_INCLUDE_TESTS
  mlir::posenc::test::registerTestPasses();
#endif
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "posenc optimizer driver\n", registry));
}
