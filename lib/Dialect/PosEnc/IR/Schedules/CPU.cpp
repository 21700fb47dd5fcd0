//===- CPU.cpp - The verifier of #posenc.cpu ------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

LogicalResult
CPUScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, CPUKernel,
                        int64_t queryBlock, int64_t keyBlock, int64_t lanes,
                        int64_t rows, int64_t split) {
  if (queryBlock <= 0 || keyBlock <= 0 || lanes <= 0 || rows <= 0 ||
      split <= 0) // C1
    return emitError() << "every size of a schedule must be positive";
  return success();
}
