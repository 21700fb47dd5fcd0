//===- Dependence.h - Which indices a value depends on ----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A domain of the region interpreter: the meaning of a value is the set of
// indices it depends on, where "j - i alone" is a case of its own.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FORMULA_DEPENDENCE_H
#define POSENC_FORMULA_DEPENDENCE_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "posenc/Formula/Recording.h"

namespace mlir::posenc {

/// What a value depends on. Of query row i and key row j it also keeps the
/// coefficients with which they enter linearly, so that a sum whose
/// coefficients are opposite is known to depend on j - i alone.
class Dependence {
public:
  enum Index : unsigned {
    Batch = 1,
    Head = 2,
    Row = 4,       ///< query row i
    Key = 8,       ///< key row j
    Distance = 16, ///< j - i; beside i: at most on i and on j - i
    Other = 32,    ///< anything else: the score, a pair, the first axis
  };

  Dependence() = default;
  /// Of an argument that is index `index` itself.
  static Dependence onIndex(Index index);

  /// Of an argument that is the index of axis `axis` of any tensor, below
  /// `kMostAxes`.
  static Dependence onAxis(unsigned axis);
  static constexpr unsigned kMostAxes = 16;
  bool isOnAxis(unsigned axis) const;
  /// On everything, for all that is known.
  static Dependence unknown();

  /// The union of `Index` bits.
  unsigned getIndices() const;
  bool isConstant() const { return getIndices() == 0; }
  /// Whether it may depend on `index`; j - i depends on i and j.
  bool isOn(Index index) const;
  /// Whether it depends on nothing but a subset of `indices`. What depends on
  /// j - i depends on i and j.
  bool isWithin(unsigned indices) const;

  /// Whether it is `c * j` and a rest that does not depend on j: then c.
  bool isLinearInKey() const {
    return (nonlinear & (Key | Distance | Other)) == 0;
  }
  int64_t getKeyCoefficient() const { return keyCoefficient; }

  friend bool operator==(const Dependence &a, const Dependence &b) {
    return a.nonlinear == b.nonlinear && a.rowCoefficient == b.rowCoefficient &&
           a.keyCoefficient == b.keyCoefficient;
  }

private:
  friend class DependenceDomain;

  unsigned nonlinear = 0;
  int64_t rowCoefficient = 0, keyCoefficient = 0;
};

class DependenceDomain {
public:
  using Value = Dependence;

  /// A captured value is the same for every element.
  Dependence capture(mlir::Value) { return {}; }
  Dependence index(int64_t) { return {}; }
  SmallVector<Dependence> apply(Operation *op, ArrayRef<Dependence> operands);

private:
  static bool addLinear(Dependence &sum, const Dependence &operand,
                        int64_t factor);
};

/// The dependences of all values of a region of posenc.attention.
class Dependences {
public:
  explicit Dependences(Region &region);

  /// What a value of the region, or one that it captures, depends on.
  Dependence of(Value value) const;

private:
  Region *region;
  Recording<DependenceDomain> recording;
};

} // namespace mlir::posenc

#endif // POSENC_FORMULA_DEPENDENCE_H
