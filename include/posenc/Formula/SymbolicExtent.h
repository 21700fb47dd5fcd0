//===- SymbolicExtent.h - Sizes as products of extents ----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a size at compile time: a coefficient times extents of
// tensors. Two sizes that are the same product are equal at run time.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_SYMBOLICEXTENT_H
#define POSENC_FORMULA_SYMBOLICEXTENT_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::posenc {

class SymbolicExtent {
public:
  /// What is not a product: the extent of axis `axis` of `value`, or the
  /// integer `value` itself.
  struct Factor {
    Value value;
    std::optional<int64_t> axis;

    friend bool operator==(const Factor &a, const Factor &b) {
      return a.value == b.value && a.axis == b.axis;
    }
  };

  /// The extent of an axis of a tensor, followed through the tensor's
  /// producers. Function arguments whose `posenc.symbols` name the same symbol
  /// have the same extent.
  static SymbolicExtent ofAxis(Value tensor, int64_t axis);
  /// An integer or index, followed through casts, products and quotients
  /// without rest.
  static SymbolicExtent ofValue(Value integer);
  static SymbolicExtent of(OpFoldResult size);

  int64_t getCoefficient() const { return coefficient; }
  ArrayRef<Factor> getFactors() const { return factors; }
  std::optional<int64_t> getConstant() const;
  /// Whether every factor is an extent, so that the product is not negative.
  bool isNonNegative() const;

  /// The product without `divisor`, if it is one of its parts. Right where the
  /// divisor is not zero.
  std::optional<SymbolicExtent> divideBy(const SymbolicExtent &divisor) const;

  friend SymbolicExtent operator*(SymbolicExtent a, const SymbolicExtent &b);
  friend bool operator==(const SymbolicExtent &a, const SymbolicExtent &b);

private:
  explicit SymbolicExtent(int64_t coefficient) : coefficient(coefficient) {}
  explicit SymbolicExtent(Factor factor) : factors({factor}) {}

  int64_t coefficient = 1;
  SmallVector<Factor> factors;
};

} // namespace mlir::posenc

#endif // POSENC_FORMULA_SYMBOLICEXTENT_H
