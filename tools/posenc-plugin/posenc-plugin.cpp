//===- posenc-plugin.cpp - The dialect and passes for mlir-opt ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mlir-opt-22 --load-dialect-plugin=posenc-plugin.so
//     --load-pass-plugin=posenc-plugin.so --pass-pipeline='builtin.module(...)'
//
// A flag of its own for each pass does not work there: flags are read before
// plugins are loaded.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "posenc/InitAll.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "posenc", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) {
            posenc::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "posenc", LLVM_VERSION_STRING,
          [] { posenc::registerAllPasses(); }};
}
