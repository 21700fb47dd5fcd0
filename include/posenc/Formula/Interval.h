//===- Interval.h - Bounds of a formula over a block of indices -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A domain of the region interpreter: the meaning of a value is an interval,
// as two SSA values computed once a block of rows and keys.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_INTERVAL_H
#define POSENC_FORMULA_INTERVAL_H

#include "mlir/IR/Builders.h"
#include <functional>

namespace mlir::posenc {

/// The least and the greatest value, both included, as SSA values of the
/// value's own type; or nothing known. Of a condition (i1) they read as "true
/// for all" and "true for some", since false is less than true.
class Interval {
public:
  Interval() = default;
  Interval(Value low, Value high) : low(low), high(high) {}
  static Interval ofPoint(Value value) { return {value, value}; }

  bool isKnown() const { return static_cast<bool>(low); }
  /// Whether there is one value only.
  bool isPoint() const { return low && low == high; }
  Value getLow() const { return low; }
  Value getHigh() const { return high; }

private:
  Value low, high;
};

/// The lesser and the greater of two values of one type, signed integers or
/// conditions, of which false is the lesser.
Value emitLeast(OpBuilder &b, Location loc, Value x, Value y);
Value emitGreatest(OpBuilder &b, Location loc, Value x, Value y);

class IntervalDomain {
public:
  using Value = Interval;
  /// The interval of the elements of `tensor` that `read` meets while its
  /// indices run over `indices`; unknown unless it says so. Not asked where
  /// every index is a point.
  using Read =
      std::function<Interval(Operation *read, ArrayRef<Interval> indices)>;

  /// Emits at the insertion point of `b`.
  IntervalDomain(
      OpBuilder &b, Location loc,
      Read read = [](Operation *, ArrayRef<Interval>) { return Interval(); })
      : b(b), loc(loc), read(std::move(read)) {}

  Interval capture(mlir::Value value) { return Interval::ofPoint(value); }
  Interval index(int64_t constant);
  SmallVector<Interval> apply(Operation *op, ArrayRef<Interval> operands);

private:
  Interval applyKnown(Operation *op, ArrayRef<Interval> operands);
  Interval multiply(Operation *op, Interval x, Interval y);
  Interval divide(Operation *op, Interval x, Interval divisor);
  Interval remainder(Operation *op, Interval x, Interval divisor);
  Interval compare(Operation *op, Interval x, Interval y);
  Interval equal(Interval x, Interval y);
  Interval negate(Interval condition);
  Interval select(Interval condition, Interval yes, Interval no);

  /// Clones `op` on other operands and returns its result.
  mlir::Value clone(Operation *op, ValueRange operands);
  mlir::Value compare(unsigned predicate, mlir::Value x, mlir::Value y);
  mlir::Value constant(Type type, int64_t value);

  OpBuilder &b;
  Location loc;
  Read read;
};

} // namespace mlir::posenc

#endif // POSENC_FORMULA_INTERVAL_H
