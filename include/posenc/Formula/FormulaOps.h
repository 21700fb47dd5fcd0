//===- FormulaOps.h - What a formula may hold -------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_FORMULAOPS_H
#define POSENC_FORMULA_FORMULAOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"

namespace mlir::posenc {

/// The most trips that the loops of a formula may take together, since readers
/// of formulas take them one by one.
constexpr int64_t kMostTrips = 1024;

/// Whether `op` may stand in a formula: scalar arith and math, element reads
/// (tensor.extract, memref.load), dims, constants, posenc.cos_sin, and scf.for
/// over indices, with constant bounds, a positive constant step and at most
/// `kMostTrips` trips, around formula ops.
bool isFormulaOp(Operation *op);

/// Whether integers of `type` hold every size, position and offset, which are
/// below 2^31, so that sums of them do not wrap.
bool holdsPositions(Type type);

/// Whether `op` is a cast between integers that leaves sizes, positions and
/// offsets as they are. No cast of a condition is one: sign-extended, true is
/// -1.
bool isCastOfPositions(Operation *op);

/// Whether `op`, of a formula, costs more than reading its result from memory:
/// an angle, a loop or a transcendental function.
bool isCostlierThanRead(Operation *op);

/// The ops of `block` that `values` are computed by, in order; what the regions
/// of such an op read belongs to them.
SmallVector<Operation *> getFormulaSlice(ValueRange values, const Block &block);

/// Clones the slice of `values` at the insertion point of `b`; `map` says what
/// stands for the block's arguments, and afterwards for `values`.
void cloneFormulaSlice(OpBuilder &b, ValueRange values, const Block &block,
                       IRMapping &map);

/// Clones `body` for `arguments` at the insertion point of `b` and returns what
/// its terminator hands on, which is not cloned.
SmallVector<Value> cloneBody(OpBuilder &b, Block &body, ValueRange arguments);

/// Creates the op `op` with its attributes on other operands, of other types
/// perhaps: a scalar one of tensors, one on vectors of a scalar one.
Operation *createLike(OpBuilder &b, Location loc, Operation *op,
                      ValueRange operands, TypeRange types);

} // namespace mlir::posenc

#endif // POSENC_FORMULA_FORMULAOPS_H
