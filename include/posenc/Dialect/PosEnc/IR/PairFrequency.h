//===- PairFrequency.h - Which frequency a rotary pair has ------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_PAIRFREQUENCY_H
#define POSENC_DIALECT_POSENC_IR_PAIRFREQUENCY_H

#include "mlir/IR/Builders.h"

namespace mlir::posenc {

/// A frequency: number `index` of those of a rotary encoding of `rotaryDim`
/// lanes.
struct PairFrequency {
  int64_t rotaryDim, index;
};

/// Emits the frequency of pair `pair` in turns a position, as two f32 that add
/// up to it: read from tables of the frequencies (radians a position) that
/// `getFrequencies` has for each rotary dimension in `pairs`.
std::pair<Value, Value> emitConstantTurns(
    OpBuilder &b, Location loc, ArrayRef<PairFrequency> pairs,
    llvm::function_ref<SmallVector<double>(int64_t rotaryDim)> getFrequencies,
    Value pair);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_PAIRFREQUENCY_H
