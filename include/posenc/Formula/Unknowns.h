//===- Unknowns.h - Integers that formulas compute with ---------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The indices, extents, elements and quotients that the integers of formulas
// are sums of, with what is known of them, so that it can be decided whether
// conditions on them can hold together.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_UNKNOWNS_H
#define POSENC_FORMULA_UNKNOWNS_H

#include "posenc/Formula/SymbolicExtent.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <vector>

namespace mlir::presburger {
class IntegerPolyhedron;
} // namespace mlir::presburger

namespace mlir::posenc {

/// `constant` plus multiples of unknowns, by their number; without zeros at the
/// end, so that equal sums compare equal.
struct AffineSum {
  SmallVector<int64_t, 6> coefficients;
  int64_t constant = 0;

  static AffineSum of(int64_t constant) { return {{}, constant}; }
  static AffineSum ofUnknown(unsigned unknown);

  bool isConstant() const { return coefficients.empty(); }
  bool operator==(const AffineSum &other) const {
    return constant == other.constant && coefficients == other.coefficients;
  }
};

/// `x + factor * y`; absent where a coefficient overflows.
std::optional<AffineSum> addMultiple(const AffineSum &x, const AffineSum &y,
                                     int64_t factor);

/// `factor * x + constant`, of a sum whose bounds keep it from overflow.
AffineSum scale(const AffineSum &x, int64_t factor, int64_t constant = 0);

/// Sums that are all at least zero.
using Conditions = SmallVector<AffineSum, 4>;

class Unknowns {
public:
  /// What an unknown is: an index, the extent of an axis or a given scalar, an
  /// element of a tensor at some indices, or computed from others.
  enum class Kind { Index, Factor, Element, Computed };
  struct Unknown {
    Kind kind;
    int64_t least, greatest;
    SymbolicExtent::Factor factor = {};
    SmallVector<AffineSum, 2> at = {};
    /// What else is known of it.
    Conditions conditions = {};
    /// Whether it follows from other integers in a way of which no condition
    /// says where it changes: by reals, or by wrapping.
    bool isThreshold = false;
  };
  /// Numbers for unknowns, by number; absent where they do not matter.
  using Point = SmallVector<std::optional<int64_t>>;

  unsigned size() const { return unknowns.size(); }
  const Unknown &operator[](unsigned number) const { return unknowns[number]; }

  unsigned add(Unknown unknown);
  /// The unknown with this key, made by `make` where it is new.
  unsigned get(ArrayRef<uint64_t> key, llvm::function_ref<Unknown()> make);

  /// Says that `number` is element `at` of `tensor`.
  void setElement(unsigned number, Value tensor, ArrayRef<AffineSum> at) {
    unknowns[number].kind = Kind::Element;
    unknowns[number].factor.value = tensor;
    unknowns[number].at.assign(at.begin(), at.end());
  }
  void setThreshold(unsigned number) { unknowns[number].isThreshold = true; }
  bool hasThreshold(const AffineSum &sum) const;
  void setConditions(unsigned number, Conditions conditions) {
    unknowns[number].conditions = std::move(conditions);
  }

  /// An extent or given scalar, or a product of some.
  AffineSum getExtent(const SymbolicExtent &extent);
  /// `dividend / divisor` rounded down, of a positive divisor.
  AffineSum getQuotient(const AffineSum &dividend, int64_t divisor);

  /// The least and the greatest that `sum` may be; absent where it overflows.
  std::optional<std::pair<int64_t, int64_t>>
  getBounds(const AffineSum &sum) const;

  /// Whether `conditions` surely do not hold together, not even for fractions.
  bool areContradictory(ArrayRef<AffineSum> conditions) const;
  /// Numbers for which `conditions` hold; absent if there are none. Decides.
  std::optional<Point> findPoint(ArrayRef<AffineSum> conditions) const;
  /// The same with the unknown `number` as small or as large as may be.
  std::optional<Point> findExtremePoint(ArrayRef<AffineSum> conditions,
                                        unsigned number, bool largest) const;

private:
  /// The unknowns that `conditions` are about, also by what is known of them.
  SmallVector<unsigned> collect(ArrayRef<AffineSum> conditions) const;
  presburger::IntegerPolyhedron build(ArrayRef<AffineSum> conditions,
                                      ArrayRef<unsigned> used) const;

  std::vector<Unknown> unknowns;
  std::map<SmallVector<uint64_t>, unsigned> numbers;
};

/// Appends what tells `sum` from other sums.
void appendKey(SmallVectorImpl<uint64_t> &key, const AffineSum &sum);

} // namespace mlir::posenc

#endif // POSENC_FORMULA_UNKNOWNS_H
