//===- CaseProof.h - Whether values are equal case by case ------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_CASEPROOF_H
#define POSENC_FORMULA_CASEPROOF_H

#include "posenc/Formula/Assignment.h"
#include "posenc/Formula/SymbolicValues.h"
#include <string>

namespace mlir::posenc {

/// Compares values of formulas over the same indices for all that the indices,
/// extents and leaves may be.
class CaseProof {
public:
  /// Whether the numbers of two reals differ at `indices`.
  using DifferAt =
      llvm::function_ref<bool(ArrayRef<int64_t> indices, Assignment &)>;

  CaseProof() : values(unknowns) {}

  /// Says that the next index, `index`, runs over axis `axis` of `tensor`.
  void addIndex(Value index, Value tensor, int64_t axis);

  /// Says that `index` is the same as `other`.
  void addIndex(Value index, Value other) { values.setEqual(index, other); }

  /// Where `x` and `y` may differ, as a phrase; absent if nowhere.
  ///
  /// Integers and conditions are decided: in every case in which the two are
  /// other sums, these are shown to be equal by integer programming. Reals that
  /// are other terms are compared by `differAt` at points inside of the case
  /// and at the ends of each index; where a threshold between reals hides such
  /// ends they may differ.
  std::optional<std::string> findDifference(Value x, Value y,
                                            DifferAt differAt);

  /// Whether reals were met that are not the same term, so that numbers alone
  /// say that they are equal.
  bool hasComparedReals() const { return comparedReals; }

  /// Whether nothing was met but indices and constants.
  bool isAboutConstants() const;

private:
  struct Axis {
    unsigned unknown;
    Value tensor;
    int64_t axis;
  };

  std::optional<std::string>
  compareIntegers(const SymbolicValues::PairOfCases &pair) const;
  std::optional<std::string>
  compareReals(const SymbolicValues::PairOfCases &pair, DifferAt differAt);
  bool hasThreshold(const SymbolicValues::PairOfCases &pair) const;
  SmallVector<Unknowns::Point> collectPoints(Conditions conditions) const;
  /// The indices at `point`; those that do not matter there are drawn.
  SmallVector<int64_t> getIndices(const Unknowns::Point &point,
                                  Assignment &assignment) const;
  bool differAtPoint(const Unknowns::Point &point, uint64_t seed,
                     DifferAt differAt, SmallVectorImpl<int64_t> &at) const;

  Unknowns unknowns;
  SymbolicValues values;
  SmallVector<Axis> axes;
  bool comparedReals = false;
};

} // namespace mlir::posenc

#endif // POSENC_FORMULA_CASEPROOF_H
