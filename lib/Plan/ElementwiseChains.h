//===- ElementwiseChains.h - Chains of elementwise ops ----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PLAN_ELEMENTWISECHAINS_H
#define POSENC_LIB_PLAN_ELEMENTWISECHAINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::posenc {

/// Makes one op of elementwise ops that follow one another in `func`, and takes
/// away the reshapes between them and matrix products. Nothing is computed more
/// often than before, and every rounding stays.
LogicalResult fuseElementwiseChains(func::FuncOp func);

} // namespace mlir::posenc

#endif // POSENC_LIB_PLAN_ELEMENTWISECHAINS_H
