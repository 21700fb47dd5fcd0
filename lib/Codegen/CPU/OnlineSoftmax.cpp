//===- OnlineSoftmax.cpp - Exponentials and running maxima ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineSoftmax.h"

#include "MathFunctions.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::posenc;

Value posenc::emitExp2(KernelBuilder &b, Value x) {
  return MathFunctions(b, b.getLoc(), x.getType()).exp2BelowZero(x);
}

Value posenc::emitReference(KernelBuilder &b, Value maximum) {
  Value none = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OEQ, maximum,
      b.constantLike(maximum, -std::numeric_limits<float>::infinity()));
  return b.select(none, b.constantLike(maximum, 0.0f), maximum);
}

Value posenc::emitReciprocalOrZero(KernelBuilder &b, Value sum) {
  Value zero = b.constantLike(sum, 0.0f);
  Value empty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
  return b.select(empty, zero, b.fdiv(b.constantLike(sum, 1.0f), sum));
}

Value posenc::emitLogSumExp(KernelBuilder &b, Value maximum, Value sum) {
  Value ln2 = b.constantLike(maximum, llvm::numbers::ln2f);
  return math::FmaOp::create(b, maximum, ln2, math::LogOp::create(b, sum));
}
