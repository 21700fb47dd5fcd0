//===- Assignment.h - Numbers for what a formula captures -------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To compare formulas by their numbers, their leaves need numbers: extents,
// integers and elements are drawn at random, the same wherever the same leaf
// is met.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_ASSIGNMENT_H
#define POSENC_FORMULA_ASSIGNMENT_H

#include "posenc/Formula/Number.h"
#include "posenc/Formula/SymbolicExtent.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::posenc {

class Assignment {
public:
  /// Reads of a leaf that the caller has its own numbers for; unknown to leave
  /// them to the assignment.
  using Read = NumberDomain::Read;

  /// Extents that the graph leaves open are drawn from 1 to `largestExtent`,
  /// integers below `getIntegerLimit()`.
  explicit Assignment(
      uint64_t seed, int64_t largestExtent = 13,
      Read read = [](Value, ArrayRef<int64_t>) { return Number(); })
      : seed(seed), largestExtent(largestExtent), read(std::move(read)) {}

  /// A domain whose captures are assigned. It refers to this object.
  NumberDomain getDomain();

  /// Says what an extent or a scalar is, instead of drawing it.
  void set(const SymbolicExtent::Factor &factor, int64_t number);

  /// The same of the extent of an axis, where one factor determines it.
  void setExtent(Value tensor, int64_t axis, int64_t extent);
  /// Instead of drawing them, makes open extents and integers `base` where they
  /// were not said, and integer elements `base` plus the sum of their indices,
  /// so that whoever counts through indices counts through these too.
  void setIntegers(int64_t base) { integerBase = base; }

  /// Draws reals within [-2 magnitude, 2 magnitude).
  void setMagnitude(double largest) { magnitude = largest; }
  double getMagnitude() const { return magnitude; }

  /// What the integers that are drawn are below.
  int64_t getIntegerLimit() const;
  int64_t getExtent(Value tensor, int64_t axis);
  /// The number of an integer defined outside a formula: computed where it is
  /// computed from extents, else drawn.
  Number getScalar(Value scalar);
  /// The drawn element of a leaf: reals of the magnitude, integers from 0 on,
  /// conditions.
  Number getElement(Value tensor, ArrayRef<int64_t> at);

private:
  Number draw(Type type, uint64_t key);
  int64_t getFactor(const SymbolicExtent::Factor &factor);
  uint64_t getKey(Value leaf);

  uint64_t seed;
  int64_t largestExtent;
  double magnitude = 1;
  std::optional<int64_t> integerBase;
  Read read;
  /// Leaves numbered in the order they are met, so that draws do not depend on
  /// addresses.
  llvm::DenseMap<Value, uint64_t> keys;
  llvm::DenseMap<Value, Number> scalars;
  llvm::DenseMap<std::pair<Value, int64_t>, int64_t> extents;
};

} // namespace mlir::posenc

#endif // POSENC_FORMULA_ASSIGNMENT_H
