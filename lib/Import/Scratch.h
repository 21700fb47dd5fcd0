//===- Scratch.h - Formulas under examination -------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block outside the IR into which formulas over the coordinates of one
// attention are emitted, so that they can be compared by their numbers.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_IMPORT_SCRATCH_H
#define POSENC_LIB_IMPORT_SCRATCH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"
#include "posenc/Formula/Assignment.h"
#include "posenc/Formula/ElementFormula.h"

namespace mlir::posenc {

/// The coordinates of attention: batch, query head, query row, key row, lane of
/// queries and keys, lane of values.
enum class Coordinate : unsigned { Batch, Head, Row, Key, Lane, ValueLane };
constexpr unsigned kNumCoordinates = 6;

class Scratch {
public:
  /// A coordinate runs over an axis of a tensor.
  struct Range {
    Value tensor;
    int64_t axis = 0;
  };

  explicit Scratch(Location loc);

  Value get(Coordinate coordinate) const {
    return block->getArgument(static_cast<unsigned>(coordinate));
  }
  void setRange(Coordinate coordinate, Value tensor, int64_t axis) {
    ranges[static_cast<unsigned>(coordinate)] = {tensor, axis};
  }
  /// Whether `coordinate` takes every index of the axis, whatever the open
  /// extents are: a tensor of which a slice is read from 0 on is longer.
  bool runsOver(Coordinate coordinate, Value tensor, int64_t axis) const;

  OpBuilder &getBuilder() { return b; }
  Location getLoc() const { return loc; }
  const Block &getBlock() const { return *block; }

  /// Element `at` of `tensor` in terms of leaves.
  Value emitElement(Value tensor, ValueRange at, IsLeaf isLeaf) {
    return posenc::emitElement(tensor, at, b, loc, isLeaf);
  }

  /// Whether `lhs` and `rhs` are equal: at all sampled coordinates, leaves and
  /// open extents, where leaves may be minus infinity, and by a proof that goes
  /// through their cases.
  bool areEqual(Value lhs, Value rhs) {
    return areEqual(ArrayRef{lhs}, ArrayRef{rhs});
  }
  bool areEqual(ArrayRef<Value> lhs, ArrayRef<Value> rhs);

private:
  bool agreeOnSamples(ArrayRef<Value> lhs, ArrayRef<Value> rhs);
  bool isProvedEqual(Value lhs, Value rhs);
  /// The numbers of `values` at the coordinates `at`.
  SmallVector<Number> interpretAt(ArrayRef<int64_t> at, ArrayRef<Value> values,
                                  Assignment &assignment);

  Location loc;
  Region region;
  Block *block;
  OpBuilder b;
  std::array<Range, kNumCoordinates> ranges;
};

/// The number that `value` has whatever its leaves are; absent if it depends on
/// them.
std::optional<double> getConstantReal(Value value);

/// A constant factor of `value`, which then becomes the other factor; absent if
/// `value` is no such product or quotient.
std::optional<double> takeConstantFactor(Value &value);

} // namespace mlir::posenc

#endif // POSENC_LIB_IMPORT_SCRATCH_H
