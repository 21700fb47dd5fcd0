//===- Dependence.cpp - Which indices a value depends on ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/Dependence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Formula/FormulaOps.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

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

Dependence Dependence::onAxis(unsigned axis) {
  assert(axis < kMostAxes && "an axis beyond those that are told apart");
  return onIndex(static_cast<Index>(Other << axis));
}

bool Dependence::isOnAxis(unsigned axis) const {
  return nonlinear & (Other << axis);
}

Dependence Dependence::unknown() { return onIndex(static_cast<Index>(~0u)); }

bool Dependence::isOn(Index index) const {
  unsigned all = getIndices();
  if (all & Distance)
    all |= Row | Key;
  return all & index;
}

unsigned Dependence::getIndices() const {
  unsigned linear = (rowCoefficient ? Row : 0) | (keyCoefficient ? Key : 0);
  bool opposite = rowCoefficient && rowCoefficient == -keyCoefficient;
  unsigned all = nonlinear | (opposite ? unsigned(Distance) : linear);
  // j - i says nothing new beside i and j.
  return (all & Row) && (all & Key) ? all & ~Distance : all;
}

bool Dependence::isWithin(unsigned indices) const {
  // Any two of i, j and j - i tell the third.
  constexpr unsigned positions = Row | Key | Distance;
  if (llvm::popcount(indices & positions) >= 2)
    indices |= positions;
  return (getIndices() & ~indices) == 0;
}

/// A constant factor of `op`, if one of its operands is.
static std::optional<int64_t> getConstantFactor(Operation *op,
                                                unsigned operand) {
  APInt factor;
  if (!matchPattern(op->getOperand(operand), m_ConstantInt(&factor)))
    return std::nullopt;
  return factor.trySExtValue();
}

/// Adds `factor * operand` to `sum`; false where a coefficient overflows.
bool DependenceDomain::addLinear(Dependence &sum, const Dependence &operand,
                                 int64_t factor) {
  sum.nonlinear |= operand.nonlinear;
  auto add = [&](int64_t &coefficient, int64_t more) {
    int64_t product;
    return !llvm::MulOverflow(factor, more, product) &&
           !llvm::AddOverflow(coefficient, product, coefficient);
  };
  return add(sum.rowCoefficient, operand.rowCoefficient) &&
         add(sum.keyCoefficient, operand.keyCoefficient);
}

SmallVector<Dependence> DependenceDomain::apply(Operation *op,
                                                ArrayRef<Dependence> operands) {
  Dependence result;
  bool isLinear = isCastOfPositions(op) ||
                  (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
                   holdsPositions(op->getResult(0).getType()));
  if (isa<arith::AddIOp>(op)) {
    isLinear = isLinear && addLinear(result, operands[0], 1) &&
               addLinear(result, operands[1], 1);
  } else if (isa<arith::SubIOp>(op)) {
    isLinear = isLinear && addLinear(result, operands[0], 1) &&
               addLinear(result, operands[1], -1);
  } else if (isa<arith::MulIOp>(op)) {
    std::optional<int64_t> factor = getConstantFactor(op, 1);
    isLinear = isLinear && factor && addLinear(result, operands[0], *factor);
  } else if (isLinear) {
    addLinear(result, operands[0], 1);
  }
  if (!isLinear) {
    result = Dependence();
    for (const Dependence &operand : operands)
      result.nonlinear |= operand.getIndices();
  }
  return SmallVector<Dependence>(op->getNumResults(), result);
}

/// What the argument `name` of a region of attention depends on.
static Dependence ofArgument(StringRef name) {
  return Dependence::onIndex(llvm::StringSwitch<Dependence::Index>(name)
                                 .Case("b", Dependence::Batch)
                                 .Cases({"h", "g"}, Dependence::Head)
                                 .Case("i", Dependence::Row)
                                 .Case("j", Dependence::Key)
                                 .Default(Dependence::Other));
}

Dependences::Dependences(Region &region) : region(&region) {
  recording.run(
      region.front(),
      llvm::map_to_vector(
          getFormulaRegions()[region.getRegionNumber()].arguments, ofArgument));
}

Dependence Dependences::of(Value value) const {
  if (!region->isAncestor(value.getParentRegion()))
    return {};
  // Inside of a loop a trip depends on what another may not.
  if (value.getParentRegion() != region)
    return Dependence::unknown();
  return recording.find(value).value_or(Dependence::unknown());
}
