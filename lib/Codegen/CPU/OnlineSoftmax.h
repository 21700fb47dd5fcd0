//===- OnlineSoftmax.h - Exponentials and running maxima --------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of a softmax whose scores come a block at a time, in base 2.
// All functions take f32 scalars or vectors of f32.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_ONLINESOFTMAX_H
#define POSENC_LIB_CODEGEN_CPU_ONLINESOFTMAX_H

#include "KernelBuilder.h"

namespace mlir::posenc {

/// 2^x for x <= 0, relative error 2.4e-7; exactly 0 below -100 and at minus
/// infinity, not a number where x is not.
Value emitExp2(KernelBuilder &b, Value x);

/// `maximum`, or 0 where it is minus infinity: what exponents are taken
/// relative to, so that a row without a key gives 0 and not NaN.
Value emitReference(KernelBuilder &b, Value maximum);

/// 1 / sum, or 0 where the sum is 0: a row without a key yields zeros.
Value emitReciprocalOrZero(KernelBuilder &b, Value sum);

/// The natural log-sum-exp of a row from its base-2 maximum and its sum.
Value emitLogSumExp(KernelBuilder &b, Value maximum, Value sum);

} // namespace mlir::posenc

#endif // POSENC_LIB_CODEGEN_CPU_ONLINESOFTMAX_H
