//===- MaskRanges.cpp - Which keys a block of rows sees -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskRanges.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/FormulaOps.h"

using namespace mlir;
using namespace mlir::posenc;

using Predicate = arith::CmpIPredicate;

MaskRanges::MaskRanges(OpBuilder &b, Location loc, Block &mask, Value numKeys,
                       BlockTables &tables)
    : b(b), loc(loc), mask(mask), numKeys(numKeys),
      dependences(*mask.getParent()),
      atZero(b, loc, [&](Operation *read, ArrayRef<Interval> indices) {
        Value valid;
        Interval interval = tables.read(this->b, read, indices, valid);
        if (valid)
          validReads[read] = valid;
        return interval;
      }) {}

//===----------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------===//

Value MaskRanges::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

bool MaskRanges::areEnds(Value x, Value y) {
  return (x == numKeys && matchPattern(y, m_Zero())) ||
         (y == numKeys && matchPattern(x, m_Zero()));
}

Value MaskRanges::least(Value x, Value y) {
  // The number of keys is not negative, which folding does not know.
  if (areEnds(x, y))
    return constant(0);
  return b.createOrFold<arith::MinSIOp>(loc, x, y);
}

Value MaskRanges::greatest(Value x, Value y) {
  if (areEnds(x, y))
    return numKeys;
  return b.createOrFold<arith::MaxSIOp>(loc, x, y);
}

//===----------------------------------------------------------------------===//
// What a value is
//===----------------------------------------------------------------------===//

bool MaskRanges::dependsOnKey(Value value) {
  return dependences.of(value).isOn(Dependence::Key);
}

std::optional<int64_t> MaskRanges::getKeyCoefficient(Value value) {
  Dependence found = dependences.of(value);
  return found.isLinearInKey() ? std::optional(found.getKeyCoefficient())
                               : std::nullopt;
}

Interval MaskRanges::getAtZero(Value value) {
  if (value.getParentBlock() != &mask)
    return Interval::ofPoint(value);
  for (Operation *op : getFormulaSlice(value, mask))
    if (Value valid = validReads.lookup(op))
      guards.insert(valid);
  return atZero.find(value).value_or(Interval());
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

KeyRanges MaskRanges::unknown() {
  return {constant(0), constant(0), constant(0), numKeys, /*isExact=*/false};
}

KeyRanges MaskRanges::compareUniform(Interval condition, bool negated) {
  if (!condition.isKnown())
    return unknown();
  // The condition holds for all rows or for some; negated, where it fails for
  // some it does not hold for all.
  Value all = condition.getLow(), some = condition.getHigh();
  Value yes = numKeys, no = constant(0);
  if (negated) {
    std::swap(all, some);
    std::swap(yes, no);
  }
  return {constant(0), constant(0),
          b.createOrFold<arith::SelectOp>(loc, all, yes, no),
          b.createOrFold<arith::SelectOp>(loc, some, yes, no)};
}

/// Whether the index `value` is surely a size, a position, or a sum of few:
/// what is read or given may be any number, as the window of a model without
/// one.
static bool isSumOfPositions(Value value, unsigned depth = 0) {
  constexpr unsigned deepest = 6;
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return llvm::isInt<32>(*number);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<AttentionOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::DimOp>(op))
    return true;
  return depth < deepest &&
         isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
             arith::IndexCastOp>(op) &&
         llvm::all_of(
             op->getOperands(),
             [&](Value operand) {
               return isSumOfPositions(operand, depth + 1);
             });
}

Value MaskRanges::toBoundedIndex(Value value) {
  if (!value.getType().isIndex())
    value = b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), value);
  if (isSumOfPositions(value))
    return value;
  constexpr int64_t bound = int64_t(1) << 60;
  Value least = arith::MaxSIOp::create(b, loc, value, constant(-bound));
  return arith::MinSIOp::create(b, loc, least, constant(bound));
}

KeyRanges MaskRanges::compareKey(Predicate predicate, Interval bound) {
  Value low = bound.getLow(), high = bound.getHigh();
  auto after = [&](Value value) -> Value {
    return arith::AddIOp::create(b, loc, value, constant(1));
  };
  switch (predicate) {
  case Predicate::slt:
    return {constant(0), constant(0), low, high};
  case Predicate::sle:
    return {constant(0), constant(0), after(low), after(high)};
  case Predicate::sgt:
    return {after(low), after(high), numKeys, numKeys};
  case Predicate::sge:
    return {low, high, numKeys, numKeys};
  case Predicate::eq:
    return {low, high, after(low), after(high)};
  default:
    return unknown();
  }
}

/// `y predicate' x` where `x predicate y`.
static Predicate swapOperands(Predicate predicate) {
  switch (predicate) {
  case Predicate::slt:
    return Predicate::sgt;
  case Predicate::sle:
    return Predicate::sge;
  case Predicate::sgt:
    return Predicate::slt;
  case Predicate::sge:
    return Predicate::sle;
  case Predicate::ult:
    return Predicate::ugt;
  case Predicate::ule:
    return Predicate::uge;
  case Predicate::ugt:
    return Predicate::ult;
  case Predicate::uge:
    return Predicate::ule;
  case Predicate::eq:
  case Predicate::ne:
    return predicate;
  }
  llvm_unreachable("every predicate is listed");
}

KeyRanges MaskRanges::visitComparison(arith::CmpIOp op, bool negated) {
  std::optional<int64_t> left = getKeyCoefficient(op.getLhs());
  std::optional<int64_t> right = getKeyCoefficient(op.getRhs());
  if (!left || !right)
    return unknown();
  int64_t coefficient = *left - *right;
  if (coefficient == 0)
    return compareUniform(getAtZero(op.getResult()), negated);
  Interval x = getAtZero(op.getLhs()), y = getAtZero(op.getRhs());
  if (std::abs(coefficient) != 1 || !x.isKnown() || !y.isKnown())
    return unknown();
  Predicate predicate = op.getPredicate();
  if (coefficient == -1) {
    std::swap(x, y);
    predicate = swapOperands(predicate);
  }
  if (negated)
    predicate = arith::invertPredicate(predicate);
  // j + x <= y is j <= y - x, which must not overflow.
  auto subtract = [&](Value from, Value value) -> Value {
    return arith::SubIOp::create(b, loc, toBoundedIndex(from),
                                 toBoundedIndex(value));
  };
  Interval bound(subtract(y.getLow(), x.getHigh()),
                 subtract(y.getHigh(), x.getLow()));
  return compareKey(predicate, bound);
}

//===----------------------------------------------------------------------===//
// Connectives
//===----------------------------------------------------------------------===//

KeyRanges MaskRanges::intersect(KeyRanges x, KeyRanges y) {
  return {greatest(x.lo, y.lo), greatest(x.fullLo, y.fullLo),
          least(x.fullHi, y.fullHi), least(x.hi, y.hi), x.isExact && y.isExact};
}

static bool areSame(Value x, Value y) {
  return x == y || (matchPattern(x, m_Zero()) && matchPattern(y, m_Zero()));
}

KeyRanges MaskRanges::unite(KeyRanges x, KeyRanges y) {
  bool isExact = x.isExact && y.isExact;
  auto areAll = [](Value first, ArrayRef<Value> others) {
    return llvm::all_of(others, [&](Value o) { return areSame(first, o); });
  };
  // Ranges that start, or end, together are one.
  if (isExact && areAll(x.lo, {x.fullLo, y.lo, y.fullLo}))
    return {x.lo, x.fullLo, greatest(x.fullHi, y.fullHi), greatest(x.hi, y.hi)};
  if (isExact && areAll(x.hi, {x.fullHi, y.hi, y.fullHi}))
    return {least(x.lo, y.lo), least(x.fullLo, y.fullLo), x.fullHi, x.hi};
  auto compare = [&](Predicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  // Keys that some row sees: from the first to the last of either.
  Value onlyY = compare(Predicate::sge, x.lo, x.hi);
  Value onlyX = compare(Predicate::sge, y.lo, y.hi);
  Value lo = select(onlyY, y.lo, select(onlyX, x.lo, least(x.lo, y.lo)));
  Value hi = select(onlyY, y.hi, select(onlyX, x.hi, greatest(x.hi, y.hi)));
  // Keys that every row sees: both ranges where they touch, else the longer.
  Value touch = compare(Predicate::sle, greatest(x.fullLo, y.fullLo),
                        least(x.fullHi, y.fullHi));
  Value longer =
      compare(Predicate::sge, arith::SubIOp::create(b, loc, x.fullHi, x.fullLo),
              arith::SubIOp::create(b, loc, y.fullHi, y.fullLo));
  Value fullLo = select(touch, least(x.fullLo, y.fullLo),
                        select(longer, x.fullLo, y.fullLo));
  Value fullHi = select(touch, greatest(x.fullHi, y.fullHi),
                        select(longer, x.fullHi, y.fullHi));
  return {lo, fullLo, fullHi, hi, /*isExact=*/false};
}

KeyRanges MaskRanges::visit(Value condition, bool negated) {
  if (!dependsOnKey(condition))
    return compareUniform(getAtZero(condition), negated);
  Operation *op = condition.getDefiningOp();
  if (isa<arith::AndIOp, arith::OrIOp>(op)) {
    KeyRanges x = visit(op->getOperand(0), negated);
    KeyRanges y = visit(op->getOperand(1), negated);
    // A negated conjunction is a disjunction, and the other way round.
    return isa<arith::AndIOp>(op) != negated ? intersect(x, y) : unite(x, y);
  }
  if (auto exclusive = dyn_cast<arith::XOrIOp>(op);
      exclusive && matchPattern(exclusive.getRhs(), m_One()))
    return visit(exclusive.getLhs(), !negated);
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return unite(intersect(visit(choice.getCondition(), false),
                           visit(choice.getTrueValue(), negated)),
                 intersect(visit(choice.getCondition(), true),
                           visit(choice.getFalseValue(), negated)));
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return visitComparison(comparison, negated);
  return unknown();
}

KeyRanges MaskRanges::finish(KeyRanges ranges) {
  Value zero = constant(0);
  for (Value guard : guards) {
    auto orElse = [&](Value value, Value safe) -> Value {
      return arith::SelectOp::create(b, loc, guard, value, safe);
    };
    ranges.lo = orElse(ranges.lo, zero);
    ranges.fullLo = orElse(ranges.fullLo, zero);
    ranges.fullHi = orElse(ranges.fullHi, zero);
    ranges.hi = orElse(ranges.hi, numKeys);
  }
  bool sameLo = areSame(ranges.lo, ranges.fullLo);
  bool sameHi = areSame(ranges.hi, ranges.fullHi);
  ranges.lo = least(greatest(ranges.lo, zero), numKeys);
  ranges.hi = greatest(least(ranges.hi, numKeys), ranges.lo);
  auto inside = [&](Value value, Value from) {
    return greatest(least(value, ranges.hi), from);
  };
  ranges.fullLo = sameLo ? ranges.lo : inside(ranges.fullLo, ranges.lo);
  ranges.fullHi = sameHi ? ranges.hi : inside(ranges.fullHi, ranges.fullLo);
  return ranges;
}

KeyRanges MaskRanges::find(Value batch, Value head, Value firstRow,
                           Value endRow) {
  Value lastRow = arith::SubIOp::create(b, loc, endRow, constant(1));
  atZero.run(mask,
             {Interval::ofPoint(batch), Interval::ofPoint(head),
              Interval(firstRow, lastRow), Interval::ofPoint(constant(0))});
  return finish(visit(mask.getTerminator()->getOperand(0), /*negated=*/false));
}
