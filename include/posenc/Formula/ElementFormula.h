//===- ElementFormula.h - The formula of one element ------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any tensor value has a formula for its element at given indices, found by
// walking its producers up to leaves.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_ELEMENTFORMULA_H
#define POSENC_FORMULA_ELEMENTFORMULA_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::posenc {

/// Says where the walk stops: a tensor for which it is true is read with
/// tensor.extract instead of being replaced by its formula.
using IsLeaf = llvm::function_ref<bool(Value)>;

/// Emits, at the insertion point of `b`, element `at` of `tensor` and returns
/// it (its type is the tensor's element type).
///
/// The walk goes through both formula interfaces, elementwise and broadcasting
/// linalg ops, fills, transposes, reshapes, slices, pads, concatenations,
/// gathers, contractions of length one and constants; whatever else it meets is
/// a leaf. The indices must lie within the tensor; then every read does too.
Value emitElement(
    Value tensor, ValueRange at, OpBuilder &b, Location loc,
    IsLeaf isLeaf = [](Value) { return false; });

/// The formula of an element as a detached region whose arguments are the
/// indices, one a dimension, and which yields the element. It captures its
/// leaves and scalars from where the tensor stands.
class ElementFormula {
public:
  static ElementFormula
  derive(Value tensor, IsLeaf isLeaf = [](Value) { return false; });

  Region &getRegion() const { return *region; }
  ValueRange getIndices() const { return region->getArguments(); }
  /// What the formula yields.
  Value getElement() const;
  /// The tensors that the formula reads, in order of first use.
  ArrayRef<Value> getLeaves() const { return leaves.getArrayRef(); }
  /// The tensor whose element this is.
  Value getTensor() const { return tensor; }

private:
  explicit ElementFormula(Value tensor)
      : tensor(tensor), region(std::make_unique<Region>()) {}

  Value tensor;
  std::unique_ptr<Region> region;
  llvm::SetVector<Value> leaves;
};

} // namespace mlir::posenc

#endif // POSENC_FORMULA_ELEMENTFORMULA_H
