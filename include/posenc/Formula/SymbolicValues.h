//===- SymbolicValues.h - A formula as cases of sums ------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a formula is for *all* values of its indices, extents and leaves: cases,
// each a conjunction of conditions under which an integer is a sum of unknowns
// and a real a term, that is an operator on such.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_SYMBOLICVALUES_H
#define POSENC_FORMULA_SYMBOLICVALUES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Formula/Unknowns.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::posenc {

/// An integer (a condition is 0 or 1), a real, or a tensor to read from. Equal
/// meanings are equal numbers; different reals may be.
struct Meaning {
  enum class Kind { Integer, Real, Tensor } kind;
  AffineSum sum = {};
  unsigned term = 0;
  Value tensor = {};

  static Meaning ofInteger(AffineSum sum) {
    return {Kind::Integer, std::move(sum)};
  }
  static Meaning ofReal(unsigned term) { return {Kind::Real, {}, term}; }
  bool isInteger() const { return kind == Kind::Integer; }
  bool isConstant(int64_t value) const {
    return isInteger() && sum == AffineSum::of(value);
  }
};

struct Case {
  Conditions conditions;
  Meaning meaning;
};
/// Conditions of two cases may not hold together; of one always does.
using Cases = SmallVector<Case, 2>;

/// The cases of values, each computed once. Integers of 32 bits and more are
/// taken not to wrap in sums and differences of sizes and positions; what may
/// wrap otherwise is a term of its own.
class SymbolicValues {
public:
  explicit SymbolicValues(Unknowns &unknowns) : unknowns(unknowns) {}

  /// Says that `index` runs over axis `axis` of `tensor`; returns its number.
  unsigned addIndex(Value index, Value tensor, int64_t axis);

  /// Says that `value` is the same as `other`.
  void setEqual(Value value, Value other) {
    Cases cases = find(other);
    known[value] = std::move(cases);
  }

  /// The cases of `value`; absent if they are too many.
  std::optional<Cases> of(Value value);

  /// Whether a number has a threshold that integers cross and no condition says
  /// where: the minimum of reals, the wrapping of an integer; or is computed
  /// from one that has.
  bool hasThreshold(const Meaning &meaning) const;

  /// `x` and `y` together: cases in which both hold, with both meanings.
  struct PairOfCases {
    Conditions conditions;
    Meaning x, y;
  };
  std::vector<PairOfCases> pair(const Cases &x, const Cases &y);

private:
  Cases find(Value value);
  Cases compute(Value value);
  Cases computeTensor(Value tensor);
  Cases computeOp(Operation *op, unsigned result);

  Cases add(Operation *op, int64_t factor);
  Cases multiply(Operation *op);
  Cases divide(Operation *op);
  Cases compare(arith::CmpIOp op);
  Cases choose(Operation *op);
  Cases connect(Operation *op);
  Cases cast(Operation *op);
  Cases dim(Operation *op);
  Cases read(Operation *op);
  /// An operator of which nothing is known but that it is a function.
  Cases makeTerm(Operation *op, unsigned result);

  using Pick = ArrayRef<const Meaning *>;
  /// Calls `emit` for the operands' meanings in every case, which appends the
  /// cases that come of it, under the conditions it is given.
  Cases
  forEach(Operation *op,
          llvm::function_ref<void(Pick, const Conditions &, Cases &)> emit);
  /// Appends a case unless its conditions contradict each other.
  void append(Cases &cases, const Conditions &conditions,
              ArrayRef<AffineSum> more, Meaning meaning);
  std::optional<Conditions> merge(const Conditions &x, const Conditions &y);
  /// `sum`, where an integer of `type` holds it; else the term of `op`.
  Meaning wrap(Operation *op, Pick operands, std::optional<AffineSum> sum);
  Meaning getTerm(Operation *op, unsigned result, Pick operands);
  unsigned getReal(ArrayRef<uint64_t> key);
  /// Whether a number follows from integers that are not constant: indices,
  /// extents, or elements other than conditions.
  bool isOfIntegers(const Meaning &meaning) const;
  AffineSum getExtent(Value tensor, int64_t axis);
  bool isNonNegative(const AffineSum &sum, const Conditions &conditions);
  /// Cases in which a condition is 0 or 1.
  Cases decide(const Cases &condition);

  Unknowns &unknowns;
  llvm::DenseMap<Value, Cases> known;
  struct Term {
    bool isOfIntegers = false, hasThreshold = false;
  };
  std::vector<Term> terms;
  std::map<SmallVector<uint64_t>, unsigned> termNumbers;
  bool tooMany = false;
};

} // namespace mlir::posenc

#endif // POSENC_FORMULA_SYMBOLICVALUES_H
