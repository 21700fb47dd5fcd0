//===- TestPasses.h - Passes that only tests use ----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_TEST_LIB_TESTPASSES_H
#define POSENC_TEST_LIB_TESTPASSES_H

namespace mlir::posenc::test {

/// Registers every pass of this folder; their flags start with `test-posenc-`.
void registerTestPasses();

void registerTestDomainsPass();
void registerTestFormulaPass();
void registerTestFormulaSumsPass();
void registerTestTileClassesPass();

} // namespace mlir::posenc::test

#endif // POSENC_TEST_LIB_TESTPASSES_H
