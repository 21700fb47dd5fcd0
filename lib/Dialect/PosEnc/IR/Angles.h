//===- Angles.h - Cosines and sines of rotary pairs -------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What encodings by `frequencies` have in common.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_ANGLES_H
#define POSENC_DIALECT_POSENC_IR_ANGLES_H

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

namespace mlir::posenc {

using EmitError = function_ref<InFlightDiagnostic()>;

/// Verifies that the parameter `name` of an attribute is finite and positive.
LogicalResult verifyPositive(EmitError emitError, StringRef name,
                             FloatAttr real);
/// Likewise of an integer.
LogicalResult verifyPositive(EmitError emitError, StringRef name,
                             int64_t value);

/// Number `p` of the frequencies of all lanes, for pair `p` of `numPairs`.
SmallVector<PairFrequency> getOrdinaryFrequencies(int64_t numPairs);

/// Verifies that `frequencies` has a frequency for each of `pairs`.
LogicalResult verifyFrequencies(Operation *op,
                                FrequenciesAttrInterface frequencies,
                                ArrayRef<PairFrequency> pairs);

/// Verifies that `length` is given exactly where `frequencies` (may be null)
/// depend on it.
LogicalResult verifyLength(Operation *op, FrequenciesAttrInterface frequencies,
                           Value length);

/// Cosine and sine of `position` (f32) times the frequency of `pair`, without
/// the attention factor.
std::pair<Value, Value> emitAngle(OpBuilder &b, Location loc,
                                  FrequenciesAttrInterface frequencies,
                                  ArrayRef<PairFrequency> pairs, Value length,
                                  Value position, Value pair);

/// What xPos multiplies cosine and sine of pair `pair` of `numPairs` by, at
/// `position` (f32) and `centre` (index).
Value emitDecay(OpBuilder &b, Location loc, XposAttr decay, int64_t numPairs,
                Value position, Value centre, Value pair);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_ANGLES_H
