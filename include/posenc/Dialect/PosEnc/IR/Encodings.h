//===- Encodings.h - Every encoding -----------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the dialect's own files: passes know encodings only through interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_ENCODINGS_H
#define POSENC_DIALECT_POSENC_IR_ENCODINGS_H

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

namespace mlir::posenc {
/// The frequencies of unscaled rotary encodings: pair `p` turns by
/// `base^(-2p/rotaryDim)` radians a position (RoFormer, Su et al. 2021).
SmallVector<double> getGeometricFrequencies(double base, int64_t rotaryDim);
} // namespace mlir::posenc

#define GET_OP_CLASSES
#include "posenc/Dialect/PosEnc/IR/Encodings.h.inc"

#endif // POSENC_DIALECT_POSENC_IR_ENCODINGS_H
