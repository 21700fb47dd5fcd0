//===- CPU.cpp - The verifiers of CPU schedules
//-----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

static LogicalResult
verifyPositive(function_ref<InFlightDiagnostic()> emitError,
               ArrayRef<int64_t> sizes) {
  if (llvm::any_of(sizes, [](int64_t size) { return size <= 0; }))
    return emitError() << "every size of a schedule must be positive";
  return success();
}

LogicalResult
CPUPrefillAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       int64_t queryBlock, int64_t keyBlock, int64_t lanes,
                       int64_t rows) {
  return verifyPositive(emitError, {queryBlock, keyBlock, lanes, rows}); // C1
}

LogicalResult
CPUDecodeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t keyBlock, int64_t rows, int64_t split,
                      int64_t lanes) {
  return verifyPositive(emitError, {keyBlock, rows, split, lanes}); // C1
}
