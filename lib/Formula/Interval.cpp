//===- Interval.cpp - Bounds of a formula over a block of indices ---------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/Interval.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Formula/FormulaOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::posenc;

using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------===//

mlir::Value IntervalDomain::clone(Operation *op, ValueRange operands) {
  return createLike(b, loc, op, operands, op->getResultTypes())->getResult(0);
}

mlir::Value IntervalDomain::compare(unsigned predicate, mlir::Value x,
                                    mlir::Value y) {
  return arith::CmpIOp::create(b, loc, static_cast<Predicate>(predicate), x, y);
}

mlir::Value posenc::emitLeast(OpBuilder &b, Location loc, mlir::Value x,
                              mlir::Value y) {
  if (x == y)
    return x;
  if (x.getType().isInteger(1)) // false is the least condition
    return arith::AndIOp::create(b, loc, x, y);
  return arith::MinSIOp::create(b, loc, x, y);
}

mlir::Value posenc::emitGreatest(OpBuilder &b, Location loc, mlir::Value x,
                                 mlir::Value y) {
  if (x == y)
    return x;
  if (x.getType().isInteger(1))
    return arith::OrIOp::create(b, loc, x, y);
  return arith::MaxSIOp::create(b, loc, x, y);
}

mlir::Value IntervalDomain::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Interval IntervalDomain::index(int64_t value) {
  return Interval::ofPoint(constant(b.getIndexType(), value));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The value of a positive constant; zero if it is none.
static int64_t getPositive(Interval x) {
  APInt value;
  if (!x.isPoint() || !matchPattern(x.getLow(), m_ConstantInt(&value)) ||
      !value.isStrictlyPositive() || !value.isSignedIntN(63))
    return 0;
  return value.getSExtValue();
}

Interval IntervalDomain::multiply(Operation *op, Interval x, Interval y) {
  if (getPositive(y))
    return {clone(op, {x.getLow(), y.getLow()}),
            clone(op, {x.getHigh(), y.getLow()})};
  mlir::Value corners[] = {clone(op, {x.getLow(), y.getLow()}),
                           clone(op, {x.getLow(), y.getHigh()}),
                           clone(op, {x.getHigh(), y.getLow()}),
                           clone(op, {x.getHigh(), y.getHigh()})};
  mlir::Value low = corners[0], high = corners[0];
  for (mlir::Value corner : ArrayRef(corners).drop_front()) {
    low = emitLeast(b, loc, low, corner);
    high = emitGreatest(b, loc, high, corner);
  }
  return {low, high};
}

Interval IntervalDomain::divide(Operation *op, Interval x, Interval divisor) {
  // Division by a positive number, rounded either way, keeps the order.
  if (!getPositive(divisor))
    return {};
  return {clone(op, {x.getLow(), divisor.getLow()}),
          clone(op, {x.getHigh(), divisor.getLow()})};
}

Interval IntervalDomain::remainder(Operation *op, Interval x,
                                   Interval divisor) {
  int64_t modulus = getPositive(divisor);
  if (!modulus)
    return {};
  // Within one period the remainder keeps the order; else it is anything.
  mlir::Value m = divisor.getLow();
  Type type = m.getType();
  mlir::Value zero = constant(type, 0);
  mlir::Value natural = compare(unsigned(Predicate::sge), x.getLow(), zero);
  mlir::Value samePeriod = arith::AndIOp::create(
      b, loc, natural,
      compare(unsigned(Predicate::eq),
              arith::DivSIOp::create(b, loc, x.getLow(), m),
              arith::DivSIOp::create(b, loc, x.getHigh(), m)));
  mlir::Value least = arith::SelectOp::create(b, loc, natural, zero,
                                              constant(type, 1 - modulus));
  return {arith::SelectOp::create(b, loc, samePeriod,
                                  clone(op, {x.getLow(), m}), least),
          arith::SelectOp::create(b, loc, samePeriod,
                                  clone(op, {x.getHigh(), m}),
                                  constant(type, modulus - 1))};
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Interval IntervalDomain::negate(Interval condition) {
  mlir::Value yes = constant(b.getI1Type(), 1);
  return {arith::XOrIOp::create(b, loc, condition.getHigh(), yes),
          arith::XOrIOp::create(b, loc, condition.getLow(), yes)};
}

Interval IntervalDomain::equal(Interval x, Interval y) {
  // Always: both are the same point. Sometimes: they overlap.
  return {arith::AndIOp::create(
              b, loc, compare(unsigned(Predicate::eq), x.getLow(), y.getHigh()),
              compare(unsigned(Predicate::eq), x.getHigh(), y.getLow())),
          arith::AndIOp::create(
              b, loc,
              compare(unsigned(Predicate::sle), x.getLow(), y.getHigh()),
              compare(unsigned(Predicate::sle), y.getLow(), x.getHigh()))};
}

Interval IntervalDomain::compare(Operation *op, Interval x, Interval y) {
  if (x.getLow().getType().isInteger(1)) // true is -1 to signed comparisons
    return {};
  Predicate predicate = cast<arith::CmpIOp>(op).getPredicate();
  switch (predicate) {
  case Predicate::slt:
  case Predicate::sle:
    return {compare(unsigned(predicate), x.getHigh(), y.getLow()),
            compare(unsigned(predicate), x.getLow(), y.getHigh())};
  case Predicate::sgt:
  case Predicate::sge:
    return {compare(unsigned(predicate), x.getLow(), y.getHigh()),
            compare(unsigned(predicate), x.getHigh(), y.getLow())};
  case Predicate::eq:
    return equal(x, y);
  case Predicate::ne:
    return negate(equal(x, y));
  default:
    return {};
  }
}

Interval IntervalDomain::select(Interval condition, Interval yes, Interval no) {
  auto choose = [&](mlir::Value taken, mlir::Value either, mlir::Value other) {
    mlir::Value open =
        arith::SelectOp::create(b, loc, condition.getHigh(), either, other);
    return arith::SelectOp::create(b, loc, condition.getLow(), taken, open);
  };
  return {choose(yes.getLow(), emitLeast(b, loc, yes.getLow(), no.getLow()),
                 no.getLow()),
          choose(yes.getHigh(),
                 emitGreatest(b, loc, yes.getHigh(), no.getHigh()),
                 no.getHigh())};
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Interval IntervalDomain::applyKnown(Operation *op,
                                    ArrayRef<Interval> operands) {
  auto eachEnd = [&](Operation *op) -> Interval {
    SmallVector<mlir::Value> lows, highs;
    for (Interval operand : operands) {
      lows.push_back(operand.getLow());
      highs.push_back(operand.getHigh());
    }
    return {clone(op, lows), clone(op, highs)};
  };
  // To signed ops a condition is 0 or -1, and its sum wraps.
  bool isOfConditions = op->getOperand(0).getType().isInteger(1);
  if (isOfConditions &&
      !isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ExtUIOp,
           arith::CmpIOp, arith::SelectOp>(op))
    return {};
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
      !holdsPositions(op->getResult(0).getType()))
    return {};
  return TypeSwitch<Operation *, Interval>(op)
      // Increasing in every operand.
      .Case<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp, arith::ExtSIOp>(
          eachEnd)
      .Case<arith::IndexCastOp, arith::TruncIOp>([&](Operation *op) {
        bool widens = op->getResult(0).getType().isIndex();
        return widens || isCastOfPositions(op) ? eachEnd(op) : Interval();
      })
      .Case<arith::AndIOp, arith::OrIOp, arith::ExtUIOp>([&](Operation *op) {
        return isOfConditions ? eachEnd(op) : Interval();
      })
      .Case([&](arith::SubIOp op) -> Interval {
        return {clone(op, {operands[0].getLow(), operands[1].getHigh()}),
                clone(op, {operands[0].getHigh(), operands[1].getLow()})};
      })
      .Case([&](arith::MulIOp op) {
        return multiply(op, operands[0], operands[1]);
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](Operation *op) { return divide(op, operands[0], operands[1]); })
      .Case([&](arith::RemSIOp op) {
        return remainder(op, operands[0], operands[1]);
      })
      .Case([&](arith::XOrIOp op) {
        bool negation = op.getType().isInteger(1) &&
                        matchPattern(operands[1].getLow(), m_One());
        return negation ? negate(operands[0]) : Interval();
      })
      .Case([&](arith::CmpIOp op) {
        return compare(op, operands[0], operands[1]);
      })
      .Case([&](arith::SelectOp op) {
        return op.getType().isIntOrIndex()
                   ? select(operands[0], operands[1], operands[2])
                   : Interval();
      })
      .Default([](Operation *) { return Interval(); });
}

SmallVector<Interval> IntervalDomain::apply(Operation *op,
                                            ArrayRef<Interval> operands) {
  SmallVector<Interval> unknown(op->getNumResults());
  if (llvm::all_of(operands, [](Interval x) { return x.isPoint(); })) {
    SmallVector<mlir::Value> points;
    for (Interval operand : operands)
      points.push_back(operand.getLow());
    Operation *same = createLike(b, loc, op, points, op->getResultTypes());
    return llvm::map_to_vector(same->getResults(), [](auto result) {
      return Interval::ofPoint(result);
    });
  }
  if (isa<tensor::ExtractOp, memref::LoadOp>(op)) {
    bool known = llvm::all_of(operands, [](Interval x) { return x.isKnown(); });
    return {known ? read(op, operands.drop_front()) : Interval()};
  }
  // A conjunction with one side unknown still fails where the other does.
  if (isa<arith::AndIOp, arith::OrIOp>(op) &&
      op->getResult(0).getType().isInteger(1)) {
    Interval any(constant(b.getI1Type(), 0), constant(b.getI1Type(), 1));
    return {applyKnown(op, {operands[0].isKnown() ? operands[0] : any,
                            operands[1].isKnown() ? operands[1] : any})};
  }
  if (op->getNumResults() != 1 ||
      !llvm::all_of(operands, [](Interval x) { return x.isKnown(); }))
    return unknown;
  return {applyKnown(op, operands)};
}
