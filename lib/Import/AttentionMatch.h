//===- AttentionMatch.h - Attention in primitive ops ------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_IMPORT_ATTENTIONMATCH_H
#define POSENC_LIB_IMPORT_ATTENTIONMATCH_H

#include "Scratch.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

namespace mlir::posenc {

/// A tensor whose element at the coordinates is an operand's element.
struct Heads {
  Value tensor;
  Layout layout = Layout::BHLD;
  /// Constant factors between the tensor and the contraction.
  double scale = 1;
};

/// Whether `op` sums the products of two operands over one loop, from zero.
bool isContraction(Operation *op);

/// What a contraction with values, its softmax and a contraction with keys
/// compute, as the operands of posenc.attention.
class AttentionMatch {
public:
  /// Tries `values`, the contraction of probabilities with values. On failure
  /// `reason` says what was missing; it is empty if there was no softmax.
  static std::unique_ptr<AttentionMatch> match(linalg::LinalgOp values,
                                               std::string &reason);
  /// Whether what `values` computes becomes a tensor of batch, heads, rows and
  /// lanes at all.
  static bool hasCandidate(linalg::LinalgOp values);

  /// The tensor that attention computes.
  Heads output;
  Heads query, key, value;
  double scale = 1;
  /// Whether the graph itself gives zeros for rows without a key.
  bool guarded = false;

  /// Clones the score formula: `scaled` stands for the scaled product of query
  /// and key, `coordinates` for batch, head, row and key. Returns `scaled` if
  /// nothing is done to it.
  Value cloneScore(OpBuilder &b, Value scaled, ValueRange coordinates) const;

private:
  explicit AttentionMatch(Location loc) : scratch(loc) {}

  bool matchOutput(Value candidate, std::string &reason);
  bool matchKeys(linalg::LinalgOp keys, std::string &reason);
  bool matchScore(Operation *keys, std::string &reason);
  bool matchProducts(linalg::LinalgOp keys, std::string &reason);
  /// Follows an operand back to a tensor `[b, h, row, lane]`; `row` and `lane`
  /// say which coordinates those are.
  std::optional<Heads> findHeads(Value tensor, SmallVector<Value> at,
                                 Coordinate row, Coordinate lane);
  /// `axes` are those of batch, heads, rows and lanes.
  bool isHeads(Value tensor, ArrayRef<Value> at, ArrayRef<int64_t> axes,
               Coordinate row, Coordinate lane);
  /// The four axes of `tensor` in another order: its transpose, emitted behind
  /// it.
  std::optional<Heads> transposeHeads(Value tensor, ArrayRef<Value> at,
                                      Coordinate row, Coordinate lane);
  /// Whether batch, rows and lanes of `heads` are no more than attention reads.
  bool haveRanges(const Heads &heads, Coordinate row, Coordinate lane) const;
  /// Whether batch and heads are one axis of `tensor`, `[b * Hq + h, row,
  /// lane]`, or there is no batch, `[row, h, lane]`; and its split into four,
  /// emitted behind it.
  bool isMergedHeads(Value tensor, ArrayRef<Value> at, Layout layout,
                     Coordinate row, Coordinate lane);
  Heads splitHeads(const Heads &merged) const;
  /// A reader of the scores or probabilities that attention would not hold;
  /// null if there is none.
  Operation *findReaderOutside(Operation *keys) const;
  void simplifyReads();

  Scratch scratch;
  linalg::LinalgOp values;
  /// The contraction's operand that holds the probabilities.
  unsigned probabilityOperand = 0;
  SmallVector<Value> valuesIteration;
  /// The score, and the element of the product in it that is scaled.
  Value score, product;
  /// Reads of the contraction with keys, all at the same indices.
  SmallVector<Value> reads;
};

} // namespace mlir::posenc

#endif // POSENC_LIB_IMPORT_ATTENTIONMATCH_H
