//===- SoftmaxMatch.h - The softmax in a formula ----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_IMPORT_SOFTMAXMATCH_H
#define POSENC_LIB_IMPORT_SOFTMAXMATCH_H

#include "Scratch.h"
#include "posenc/Formula/SymbolicExtent.h"

namespace mlir::posenc {

/// `probability = exp(score - max over keys of score) / sum over keys of it`.
struct SoftmaxMatch {
  Value score;
  /// Whether rows all of whose scores are minus infinity give zeros.
  bool guarded = false;
};

/// Recognises `probability`, a value in `scratch`, as a softmax over the keys:
/// through casts, and through a selection of zero where the softmax is not a
/// number or where every score of the row is minus infinity. The reductions are
/// over `keys` elements; what they reduce is found by the walk up to `isLeaf`
/// and compared by numbers.
///
/// On failure `reason` says what is missing, and what to do about it.
std::optional<SoftmaxMatch> matchSoftmax(Scratch &scratch, Value probability,
                                         const SymbolicExtent &keys,
                                         IsLeaf isLeaf, std::string &reason);

/// `value` without the float conversions it comes out of.
Value stripFloatCasts(Value value);

} // namespace mlir::posenc

#endif // POSENC_LIB_IMPORT_SOFTMAXMATCH_H
