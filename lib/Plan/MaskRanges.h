//===- MaskRanges.h - Which keys a block of rows sees -----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PLAN_MASKRANGES_H
#define POSENC_LIB_PLAN_MASKRANGES_H

#include "BlockTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Formula/Dependence.h"
#include "posenc/Formula/Recording.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::posenc {

/// Ranges of keys, as index values within [0, number of keys]: no row of the
/// block sees a key outside `[lo, hi)`, every row sees those of
/// `[fullLo, fullHi)`. A range may be empty the wrong way round.
struct KeyRanges {
  Value lo, fullLo, fullHi, hi;
  /// Whether the ranges say all there is to say: the keys between them are
  /// seen by some rows and not by others, as far as intervals can tell.
  bool isExact = true;
};

/// Finds the ranges of a mask by its structure: conjunctions, disjunctions and
/// negations of comparisons that are linear in the key index. Anything else is
/// taken to be seen by some rows, perhaps.
class MaskRanges {
public:
  /// `mask` has the arguments b, h, i, j; code is emitted at `b`.
  MaskRanges(OpBuilder &b, Location loc, Block &mask, Value numKeys,
             BlockTables &tables);

  /// The ranges of what the mask yields for batch and head `batch`, `head` and
  /// rows `[firstRow, endRow)`.
  KeyRanges find(Value batch, Value head, Value firstRow, Value endRow);

private:
  KeyRanges visit(Value condition, bool negated);
  KeyRanges visitComparison(arith::CmpIOp op, bool negated);
  KeyRanges compareKey(arith::CmpIPredicate predicate, Interval bound);
  KeyRanges compareUniform(Interval condition, bool negated);
  KeyRanges intersect(KeyRanges x, KeyRanges y);
  KeyRanges unite(KeyRanges x, KeyRanges y);
  KeyRanges unknown();
  /// Makes of any ranges nested ones within the keys, and nothing known where
  /// a table that they were read from does not hold.
  KeyRanges finish(KeyRanges ranges);

  /// `c` where `value` is `c * j` plus something without j.
  std::optional<int64_t> getKeyCoefficient(Value value);
  bool dependsOnKey(Value value);
  /// The interval of `value` at j = 0.
  Interval getAtZero(Value value);

  /// The integer `value` as an index that is far from overflow: where it lies
  /// beyond every position, another that does.
  Value toBoundedIndex(Value value);
  Value constant(int64_t value);
  /// Whether `x` and `y` are zero and the number of keys.
  bool areEnds(Value x, Value y);
  Value least(Value x, Value y);
  Value greatest(Value x, Value y);

  OpBuilder &b;
  Location loc;
  Block &mask;
  Value numKeys;
  Dependences dependences;
  Recording<IntervalDomain> atZero;
  /// Conditions under which the intervals read from tables hold: of each read,
  /// and of those that were used.
  llvm::DenseMap<Operation *, Value> validReads;
  llvm::SetVector<Value> guards;
};

} // namespace mlir::posenc

#endif // POSENC_LIB_PLAN_MASKRANGES_H
