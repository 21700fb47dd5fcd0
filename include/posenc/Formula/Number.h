//===- Number.h - A formula evaluated on numbers ----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A domain of the region interpreter: the meaning of a value is a number.
// Integers are exact and wrap at their width; reals are float64 whatever the
// type, so that a formula is judged by what it means and not by its rounding.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_NUMBER_H
#define POSENC_FORMULA_NUMBER_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include <functional>

namespace mlir::posenc {

/// An integer, a real, a tensor to read from, or nothing known.
class Number {
public:
  Number() = default;
  static Number ofInteger(int64_t value);
  static Number ofReal(double value);
  static Number ofTensor(mlir::Value tensor);
  /// A constant attribute's number; unknown if it is not one.
  static Number ofAttribute(Attribute attribute);

  bool isInteger() const { return kind == Kind::Integer; }
  bool isReal() const { return kind == Kind::Real; }
  bool isKnown() const { return kind != Kind::Unknown; }
  int64_t getInteger() const { return integer; }
  double getReal() const { return real; }
  mlir::Value getTensor() const { return tensor; }

private:
  enum class Kind { Unknown, Integer, Real, Tensor } kind = Kind::Unknown;
  int64_t integer = 0;
  double real = 0;
  mlir::Value tensor;
};

class NumberDomain {
public:
  using Value = Number;
  /// The number of a captured scalar; unknown unless it says so.
  using Capture = std::function<Number(mlir::Value)>;
  /// The element of a captured tensor at the indices, or its extent.
  using Read = std::function<Number(mlir::Value, ArrayRef<int64_t>)>;
  using Extent = std::function<Number(mlir::Value, int64_t)>;

  /// What is constant in the IR is known without the callbacks.
  NumberDomain(
      Capture captured = [](mlir::Value) { return Number(); },
      Read read = [](mlir::Value, ArrayRef<int64_t>) { return Number(); },
      Extent extent = [](mlir::Value, int64_t) { return Number(); })
      : captured(std::move(captured)), read(std::move(read)),
        extent(std::move(extent)) {}

  Number capture(mlir::Value value);
  Number index(int64_t constant) { return Number::ofInteger(constant); }
  SmallVector<Number> apply(Operation *op, ArrayRef<Number> operands);

private:
  Number readElement(ArrayRef<Number> operands);

  Capture captured;
  Read read;
  Extent extent;
};

} // namespace mlir::posenc

#endif // POSENC_FORMULA_NUMBER_H
