//===- SymbolicArithmetic.cpp - Integer ops on cases of sums --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/SymbolicValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::posenc;

using Predicate = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Cases SymbolicValues::add(Operation *op, int64_t factor) {
  return forEach(op, [&](Pick x, const Conditions &conditions, Cases &cases) {
    append(cases, conditions, {},
           wrap(op, x, addMultiple(x[0]->sum, x[1]->sum, factor)));
  });
}

Cases SymbolicValues::multiply(Operation *op) {
  return forEach(op, [&](Pick x, const Conditions &conditions, Cases &cases) {
    const Meaning &sum = x[0]->sum.isConstant() ? *x[1] : *x[0];
    const Meaning &factor = x[0]->sum.isConstant() ? *x[0] : *x[1];
    append(cases, conditions, {},
           wrap(op, x,
                factor.sum.isConstant()
                    ? addMultiple(AffineSum(), sum.sum, factor.sum.constant)
                    : std::nullopt));
  });
}

/// Quotients and rests by positive constants, rounded as `op` says.
Cases SymbolicValues::divide(Operation *op) {
  bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp>(op);
  bool isRest = isa<arith::RemSIOp, arith::RemUIOp>(op);
  return forEach(op, [&](Pick x, const Conditions &conditions, Cases &cases) {
    const AffineSum &dividend = x[0]->sum;
    int64_t divisor = x[1]->sum.constant;
    if (!x[1]->sum.isConstant() || divisor <= 0 || divisor > INT32_MAX ||
        !unknowns.getBounds(scale(dividend, 1, divisor)) ||
        (isUnsigned && !isNonNegative(dividend, conditions)))
      return append(cases, conditions, {}, getTerm(op, 0, x));
    auto emit = [&](ArrayRef<AffineSum> when, AffineSum quotient) {
      AffineSum result = isRest ? *addMultiple(dividend, quotient, -divisor)
                                : std::move(quotient);
      append(cases, conditions, when, Meaning::ofInteger(result));
    };
    AffineSum down = unknowns.getQuotient(dividend, divisor);
    if (isUnsigned || isa<arith::FloorDivSIOp>(op))
      return emit({}, down);
    AffineSum up =
        scale(unknowns.getQuotient(scale(dividend, -1), divisor), -1);
    if (isa<arith::CeilDivSIOp>(op))
      return emit({}, up);
    emit({dividend}, down);
    emit({scale(dividend, -1, -1)}, up);
  });
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// The signed predicate that an unsigned one is of numbers that are not
/// negative.
static Predicate getSigned(Predicate predicate) {
  switch (predicate) {
  case Predicate::ult:
    return Predicate::slt;
  case Predicate::ule:
    return Predicate::sle;
  case Predicate::ugt:
    return Predicate::sgt;
  case Predicate::uge:
    return Predicate::sge;
  default:
    return predicate;
  }
}

/// Calls `emit` with conditions, and whether the signed `predicate` holds of
/// two numbers under them, given their difference.
static void
forEachOrder(Predicate predicate, const AffineSum &difference,
             llvm::function_ref<void(ArrayRef<AffineSum>, bool)> emit) {
  AffineSum less = scale(difference, -1, -1), atMost = scale(difference, -1);
  AffineSum greater = scale(difference, 1, -1), atLeast = difference;
  switch (predicate) {
  case Predicate::slt:
  case Predicate::sge:
    emit(less, predicate == Predicate::slt);
    return emit(atLeast, predicate == Predicate::sge);
  case Predicate::sle:
  case Predicate::sgt:
    emit(atMost, predicate == Predicate::sle);
    return emit(greater, predicate == Predicate::sgt);
  default:
    emit(less, predicate == Predicate::ne);
    emit(greater, predicate == Predicate::ne);
    emit({atLeast, atMost}, predicate == Predicate::eq);
  }
}

Cases SymbolicValues::compare(arith::CmpIOp op) {
  Predicate predicate = getSigned(op.getPredicate());
  bool isUnsigned = predicate != op.getPredicate();
  bool ofConditions = op.getLhs().getType().isInteger(1);
  return forEach(op, [&](Pick x, const Conditions &conditions, Cases &cases) {
    const AffineSum &lhs = x[0]->sum, &rhs = x[1]->sum;
    auto difference = addMultiple(lhs, rhs, -1);
    if (!difference || !unknowns.getBounds(*difference))
      return append(cases, conditions, {}, getTerm(op, 0, x));
    // To signed predicates true is -1.
    bool isOrder = predicate != Predicate::eq && predicate != Predicate::ne;
    AffineSum d =
        scale(*difference, ofConditions && isOrder && !isUnsigned ? -1 : 1);
    auto emit = [&](ArrayRef<AffineSum> when, bool result) {
      append(cases, conditions, when,
             Meaning::ofInteger(AffineSum::of(result)));
    };
    auto emitWhere = [&](const AffineSum &first, const AffineSum &second) {
      forEachOrder(predicate, d, [&](ArrayRef<AffineSum> when, bool result) {
        SmallVector<AffineSum> all = {first, second};
        all.append(when.begin(), when.end());
        emit(all, result);
      });
    };
    if (!isUnsigned ||
        (isNonNegative(lhs, conditions) && isNonNegative(rhs, conditions)))
      return forEachOrder(predicate, d, emit);
    // Without signs, negative numbers are above the others.
    AffineSum negativeLhs = scale(lhs, -1, -1);
    AffineSum negativeRhs = scale(rhs, -1, -1);
    bool isLess = predicate == Predicate::slt || predicate == Predicate::sle;
    emitWhere(lhs, rhs);
    emitWhere(negativeLhs, negativeRhs);
    emit({negativeLhs, rhs}, !isLess);
    emit({lhs, negativeRhs}, isLess);
  });
}

/// The lesser or the greater of two, the absolute value, the selected one.
Cases SymbolicValues::choose(Operation *op) {
  Cases cases;
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    for (const Case &one : decide(find(select.getCondition())))
      for (const Case &value :
           find(one.meaning.isConstant(1) ? select.getTrueValue()
                                          : select.getFalseValue()))
        append(cases, one.conditions, value.conditions, value.meaning);
    return cases;
  }
  return forEach(op, [&](Pick x, const Conditions &conditions, Cases &cases) {
    AffineSum other = x.size() == 1 ? scale(x[0]->sum, -1) : x[1]->sum;
    auto difference = addMultiple(x[0]->sum, other, -1);
    if (!difference || !unknowns.getBounds(*difference))
      return append(cases, conditions, {}, getTerm(op, 0, x));
    bool isLeast = isa<arith::MinSIOp>(op);
    append(cases, conditions, {scale(*difference, isLeast ? -1 : 1)}, *x[0]);
    append(cases, conditions, {scale(*difference, isLeast ? 1 : -1, -1)},
           Meaning::ofInteger(other));
  });
}

/// Conjunctions, disjunctions and exclusive disjunctions of conditions.
Cases SymbolicValues::connect(Operation *op) {
  Cases lhs = decide(find(op->getOperand(0)));
  Cases rhs = decide(find(op->getOperand(1)));
  Cases cases;
  for (const Case &x : lhs) {
    bool isTrue = x.meaning.isConstant(1);
    if ((isa<arith::AndIOp>(op) && !isTrue) ||
        (isa<arith::OrIOp>(op) && isTrue)) {
      append(cases, x.conditions, {}, x.meaning);
      continue;
    }
    bool negates =
        isa<arith::XOrIOp, arith::AddIOp, arith::SubIOp>(op) && isTrue;
    for (const Case &y : rhs)
      append(cases, x.conditions, y.conditions,
             Meaning::ofInteger(
                 AffineSum::of(y.meaning.isConstant(1) != negates)));
  }
  return cases;
}

Cases SymbolicValues::cast(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  return forEach(op, [&](Pick x, const Conditions &conditions, Cases &cases) {
    const AffineSum &sum = x[0]->sum;
    bool keeps =
        !to.isInteger(1) && (!isUnsigned || isNonNegative(sum, conditions));
    bool negates = from.isInteger(1) && !isUnsigned;
    append(cases, conditions, {},
           wrap(op, x,
                keeps ? std::optional(scale(sum, negates ? -1 : 1))
                      : std::nullopt));
  });
}
