//===- TestPasses.cpp - Registration of the test-only passes --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

void mlir::posenc::test::registerTestPasses() {
  registerTestDomainsPass();
  registerTestFormulaPass();
  registerTestFormulaSumsPass();
  registerTestTileClassesPass();
}
