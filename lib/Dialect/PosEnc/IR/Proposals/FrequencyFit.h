//===- FrequencyFit.h - Which rule gave these frequencies -------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_DIALECT_POSENC_IR_PROPOSALS_FREQUENCYFIT_H
#define POSENC_LIB_DIALECT_POSENC_IR_PROPOSALS_FREQUENCYFIT_H

#include "posenc/Dialect/PosEnc/IR/Encodings.h"

namespace mlir::posenc {

/// The attribute for rotary frequencies given in radians a position, one a
/// pair, and the factor on cosine and sine: unscaled, linear or llama3 where
/// that gives every one of them to the rounding of f32, with the roundest
/// parameters that do; else explicit.
FrequenciesAttrInterface fitFrequencies(MLIRContext *context,
                                        ArrayRef<double> frequencies,
                                        double attentionFactor);

} // namespace mlir::posenc

#endif // POSENC_LIB_DIALECT_POSENC_IR_PROPOSALS_FREQUENCYFIT_H
