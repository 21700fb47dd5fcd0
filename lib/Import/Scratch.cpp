//===- Scratch.cpp - Formulas under examination ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/CaseProof.h"
#include "posenc/Formula/RegionInterpreter.h"
#include "llvm/ADT/ScopeExit.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::posenc;

Scratch::Scratch(Location loc)
    : loc(loc), block(new Block), b(loc.getContext()) {
  region.push_back(block);
  for (unsigned i = 0; i < kNumCoordinates; ++i)
    block->addArgument(b.getIndexType(), loc);
  b.setInsertionPointToEnd(block);
}

bool Scratch::runsOver(Coordinate coordinate, Value tensor,
                       int64_t axis) const {
  constexpr uint64_t trials = 6;
  const Range &range = ranges[static_cast<unsigned>(coordinate)];
  for (uint64_t seed = 1; seed <= trials; ++seed) {
    Assignment assignment(seed);
    if (assignment.getExtent(tensor, axis) !=
        assignment.getExtent(range.tensor, range.axis))
      return false;
  }
  return true;
}

static bool haveSameNumber(const Number &a, const Number &b) {
  if (a.isInteger() && b.isInteger())
    return a.getInteger() == b.getInteger();
  if (!a.isReal() || !b.isReal())
    return false;
  double x = a.getReal(), y = b.getReal();
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  if (std::isinf(x) || std::isinf(y))
    return x == y;
  return std::fabs(x - y) <= 1e-9 * (1 + std::fabs(x));
}

/// Draws the numbers of leaves; one in eight reals is minus infinity, so that
/// guards are told apart.
static Number drawElement(Assignment &drawn, Value leaf, ArrayRef<int64_t> at) {
  Number number = drawn.getElement(leaf, at);
  return number.isReal() && number.getReal() < -1.5
             ? Number::ofReal(-std::numeric_limits<double>::infinity())
             : number;
}

bool Scratch::areEqual(ArrayRef<Value> lhs, ArrayRef<Value> rhs) {
  return lhs.size() == rhs.size() && agreeOnSamples(lhs, rhs) &&
         llvm::all_of(llvm::zip_equal(lhs, rhs), [&](auto pair) {
           return isProvedEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

bool Scratch::isProvedEqual(Value lhs, Value rhs) {
  CaseProof proof;
  for (auto [argument, range] : llvm::zip_equal(block->getArguments(), ranges))
    if (range.tensor)
      proof.addIndex(argument, range.tensor, range.axis);
  auto differAt = [&](ArrayRef<int64_t> indices, Assignment &assignment) {
    SmallVector<int64_t> at;
    for (const Range &range : ranges) {
      at.push_back(range.tensor ? indices.front() : 0);
      indices = indices.drop_front(range.tensor ? 1 : 0);
    }
    SmallVector<Number> numbers = interpretAt(at, {lhs, rhs}, assignment);
    return !haveSameNumber(numbers[0], numbers[1]);
  };
  return !proof.findDifference(lhs, rhs, differAt);
}

SmallVector<Number> Scratch::interpretAt(ArrayRef<int64_t> at,
                                         ArrayRef<Value> values,
                                         Assignment &assignment) {
  auto yield = YieldOp::create(b, loc, values);
  llvm::scope_exit eraseYield([&] { yield.erase(); });
  NumberDomain domain = assignment.getDomain();
  return interpret(region, llvm::map_to_vector(at, Number::ofInteger), domain);
}

bool Scratch::agreeOnSamples(ArrayRef<Value> lhs, ArrayRef<Value> rhs) {
  constexpr int64_t trials = 6, points = 48;
  SmallVector<Value> both(lhs);
  both.append(rhs.begin(), rhs.end());
  std::mt19937_64 generator(1);
  for (uint64_t seed = 1; seed <= trials; ++seed) {
    Assignment drawn(seed);
    Assignment assignment(seed, 13, [&](Value leaf, ArrayRef<int64_t> at) {
      return drawElement(drawn, leaf, at);
    });
    for (int64_t point = 0; point < points; ++point) {
      SmallVector<int64_t> at;
      for (const Range &range : ranges) {
        int64_t extent =
            range.tensor ? assignment.getExtent(range.tensor, range.axis) : 1;
        at.push_back(static_cast<int64_t>(
            generator() % static_cast<uint64_t>(std::max<int64_t>(extent, 1))));
      }
      SmallVector<Number> numbers = interpretAt(at, both, assignment);
      for (size_t i = 0; i < lhs.size(); ++i)
        if (!haveSameNumber(numbers[i], numbers[lhs.size() + i]))
          return false;
    }
  }
  return true;
}

std::optional<double> posenc::getConstantReal(Value value) {
  NumberDomain domain;
  std::function<Number(Value)> evaluate = [&](Value value) -> Number {
    Operation *op = value.getDefiningOp();
    if (!op || isa<ShapedType>(value.getType()))
      return domain.capture(value);
    SmallVector<Number> operands;
    for (Value operand : op->getOperands())
      operands.push_back(evaluate(operand));
    return domain.apply(op, operands)[cast<OpResult>(value).getResultNumber()];
  };
  Number number = evaluate(value);
  if (!number.isReal())
    return std::nullopt;
  return number.getReal();
}

std::optional<double> posenc::takeConstantFactor(Value &value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op))
    return std::nullopt;
  if (std::optional<double> factor = getConstantReal(op->getOperand(1))) {
    value = op->getOperand(0);
    return isa<arith::MulFOp>(op) ? *factor : 1 / *factor;
  }
  std::optional<double> factor = getConstantReal(op->getOperand(0));
  if (!factor || isa<arith::DivFOp>(op))
    return std::nullopt;
  value = op->getOperand(1);
  return factor;
}
