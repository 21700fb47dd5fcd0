//===- ContentTerms.h - Queries or keys against a table ---------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the encodings of content share: score biases whose terms are products of
// a query or key with the row of a table that the relative position selects.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_CONTENTTERMS_H
#define POSENC_DIALECT_POSENC_IR_CONTENTTERMS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include <functional>

namespace mlir::posenc {

/// sum over d of (tokens[b, head, token, d] + tokenBias[h, d]) * table[h, row,
/// d]
struct ContentTerm {
  /// `[B, Hq, Lq, D]`; of keys `[B, Hkv, Lk, D]`.
  Value tokens;
  bool ofKeys;
  /// `[R, D]` or `[Hq, R, D]`.
  Value table;
  /// `[Hq, D]`, or absent.
  Value tokenBias = {};

  /// The number of rows, which may be dynamic.
  int64_t getNumRows() const;
};

/// Verifies that `term` fits the f32 bias `result`, `[B, Hq, Lq, Lk]`; operands
/// are called by the names given. `staticRows` refuses tables of unknown rows.
LogicalResult verifyTokens(Operation *op, StringRef name,
                           const ContentTerm &term, RankedTensorType result);
LogicalResult verifyTable(Operation *op, StringRef name,
                          const ContentTerm &term, RankedTensorType result,
                          bool staticRows);

/// Emits term `term` at row `row` of its table.
using ReadTerm =
    llvm::function_ref<Value(OpBuilder &, Location, unsigned term, Value row)>;

/// The bias of an op by its terms; `op` has one result and knows its shape.
class ContentFormula {
public:
  using Emit =
      std::function<Value(OpBuilder &, Location, ValueRange at, ReadTerm read)>;

  ContentFormula(Operation *op, ArrayRef<ContentTerm> terms, Emit emit)
      : op(op), terms(terms), emit(std::move(emit)) {}

  /// Element `at`, its products summed in a loop.
  Value emitElement(OpBuilder &b, Location loc, ValueRange at) const;

  /// The bias by the products of all tokens with all rows of each table that is
  /// small, which are computed once, and by loops for the others.
  SmallVector<Value> decompose(OpBuilder &b) const;

private:
  Value emitHead(OpBuilder &b, Location loc, const ContentTerm &term,
                 Value queryHead) const;
  Value emitSum(OpBuilder &b, Location loc, const ContentTerm &term,
                ValueRange at, Value row) const;
  OpFoldResult getNumHeads(OpBuilder &b) const;
  Value createProduct(OpBuilder &b, const ContentTerm &term) const;

  Operation *op;
  SmallVector<ContentTerm> terms;
  Emit emit;
};

/// `tokens` (`[B, Hkv, L, D]`) with a head for each of `heads` query heads.
Value repeatHeads(OpBuilder &b, Location loc, Value tokens, OpFoldResult heads);

/// product[b, h, i, r] = sum over d of tokens[b, h, i, d] * rows[b, h, r, d] in
/// f32; `rows` may lack b, or b and h.
Value multiplyRows(OpBuilder &b, Location loc, Value tokens, Value rows);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_CONTENTTERMS_H
