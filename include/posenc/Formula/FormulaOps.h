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

/// Whether `op` may stand in a formula: scalar arith and math, element reads
/// (tensor.extract, memref.load), dims, constants, posenc.cos_sin, and scf.for
/// with constant bounds around formula ops.
bool isFormulaOp(Operation *op);

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

/// The arguments and results of one region of posenc.attention.
struct FormulaRegionSignature {
  StringLiteral name;
  /// Names of the arguments, in order; `x` is f32, the others are indices.
  ArrayRef<StringLiteral> arguments;
  /// One character a result: 'f' f32, 'i' index, 'b' i1.
  StringLiteral results;

  SmallVector<Type> getArgumentTypes(MLIRContext *context) const;
  SmallVector<Type> getResultTypes(MLIRContext *context) const;
};

/// The regions of posenc.attention, in the order of the op.
ArrayRef<FormulaRegionSignature> getFormulaRegions();

} // namespace mlir::posenc

#endif // POSENC_FORMULA_FORMULAOPS_H
