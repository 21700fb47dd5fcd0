//===- Dependence.cpp - Which indices a value depends on ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/Dependence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APInt.h"

using namespace mlir;
using namespace mlir::posenc;

Dependence Dependence::onIndex(Index index) {
  Dependence dependence;
  if (index == Row)
    dependence.rowCoefficient = 1;
  else if (index == Key)
    dependence.keyCoefficient = 1;
  else
    dependence.nonlinear = index;
  return dependence;
}

unsigned Dependence::getIndices() const {
  unsigned linear = (rowCoefficient ? Row : 0) | (keyCoefficient ? Key : 0);
  bool opposite = rowCoefficient && rowCoefficient == -keyCoefficient;
  unsigned all = nonlinear | (opposite ? unsigned(Distance) : linear);
  // j - i says nothing new beside i or j.
  if ((all & Distance) && (all & (Row | Key)))
    all = (all & ~Distance) | Row | Key;
  return all;
}

bool Dependence::isWithin(unsigned indices) const {
  unsigned all = getIndices();
  if ((all & Distance) && !(indices & Distance))
    all = (all & ~Distance) | Row | Key;
  return (all & ~indices) == 0;
}

/// A constant factor of `op`, if one of its operands is.
static std::optional<int64_t> getConstantFactor(Operation *op,
                                                unsigned operand) {
  APInt factor;
  if (!matchPattern(op->getOperand(operand), m_ConstantInt(&factor)))
    return std::nullopt;
  return factor.trySExtValue();
}

SmallVector<Dependence> DependenceDomain::apply(Operation *op,
                                                ArrayRef<Dependence> operands) {
  Dependence result;
  auto addLinear = [&](const Dependence &operand, int64_t factor) {
    result.nonlinear |= operand.nonlinear;
    result.rowCoefficient += factor * operand.rowCoefficient;
    result.keyCoefficient += factor * operand.keyCoefficient;
  };
  if (isa<arith::AddIOp>(op)) {
    addLinear(operands[0], 1);
    addLinear(operands[1], 1);
  } else if (isa<arith::SubIOp>(op)) {
    addLinear(operands[0], 1);
    addLinear(operands[1], -1);
  } else if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op)) {
    // Sizes stay under 2^31, so a narrower integer holds the same sum.
    addLinear(operands[0], 1);
  } else if (auto factor = isa<arith::MulIOp>(op) ? getConstantFactor(op, 1)
                                                  : std::nullopt) {
    addLinear(operands[0], *factor);
  } else {
    for (const Dependence &operand : operands)
      result.nonlinear |= operand.getIndices();
  }
  return SmallVector<Dependence>(op->getNumResults(), result);
}
