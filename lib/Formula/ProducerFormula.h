//===- ProducerFormula.h - One step of the walk -----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_PRODUCERFORMULA_H
#define POSENC_FORMULA_PRODUCERFORMULA_H

#include "mlir/IR/Builders.h"

namespace mlir::posenc {

/// Emits element `at` of `tensor` in terms of elements of what its producer
/// reads, with tensor.extract. Null, and nothing emitted, if the producer is
/// none the walk goes through.
Value emitProducerElement(OpBuilder &b, Location loc, Value tensor,
                          ValueRange at);

/// The part of emitProducerElement for ops that only move elements: reshapes,
/// slices, pads, concatenations, casts.
Value emitMovedElement(OpBuilder &b, Location loc, Operation *producer,
                       ValueRange at);

} // namespace mlir::posenc

#endif // POSENC_FORMULA_PRODUCERFORMULA_H
