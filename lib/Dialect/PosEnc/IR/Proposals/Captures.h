//===- Captures.h - Integers a formula takes from outside -------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_DIALECT_POSENC_IR_PROPOSALS_CAPTURES_H
#define POSENC_LIB_DIALECT_POSENC_IR_PROPOSALS_CAPTURES_H

#include "posenc/Formula/Assignment.h"
#include "posenc/Formula/ElementFormula.h"

namespace mlir::posenc {

/// The index that is `numbers[n]` under `assignments[n]`: one that the formula
/// captures, or a constant if all are the same. Null if none is.
Value findOffset(const ElementFormula &seen,
                 MutableArrayRef<Assignment> assignments,
                 ArrayRef<int64_t> numbers);

} // namespace mlir::posenc

#endif // POSENC_LIB_DIALECT_POSENC_IR_PROPOSALS_CAPTURES_H
