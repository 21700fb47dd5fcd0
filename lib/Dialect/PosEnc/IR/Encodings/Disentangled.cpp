//===- Disentangled.cpp - DeBERTa's two position terms --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ContentTerms.h"
#include "../GeometricBuckets.h"
#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

static SmallVector<ContentTerm> getTerms(DisentangledOp op) {
  SmallVector<ContentTerm> terms;
  if (op.getQuery())
    terms.push_back({op.getQuery(), /*ofKeys=*/false, op.getPosKey()});
  if (op.getKey())
    terms.push_back({op.getKey(), /*ofKeys=*/true, op.getPosQuery()});
  return terms;
}

/// C4.
static LogicalResult verifyBuckets(DisentangledOp op, int64_t rows) {
  std::optional<int64_t> size = op.getBucketSize(), most = op.getMaxPosition();
  if (op.getBuckets() == DistanceBuckets::Identity) {
    if (!size && !most)
      return success();
    return op.emitOpError("'bucket_size' and 'max_position' are of logarithmic "
                          "buckets; drop them");
  }
  if (!size || !most)
    return op.emitOpError("has logarithmic buckets; give it 'bucket_size' and "
                          "'max_position'");
  if (*size >= 4 && *size % 2 == 0 && *size <= *most &&
      *most <= kMaxBucketedDistance && rows <= 2 * *size)
    return success();
  return op.emitOpError() << "'bucket_size' is " << *size
                          << " and 'max_position' " << *most
                          << " for a table of " << rows
                          << " rows; the first must be even, at least 4, half "
                             "of the rows or more, the second no less and at "
                             "most "
                          << kMaxBucketedDistance;
}

LogicalResult DisentangledOp::verify() {
  SmallVector<ContentTerm> terms = getTerms(*this);
  if (terms.empty() || !getQuery() != !getPosKey() ||
      !getKey() != !getPosQuery()) // C1
    return emitOpError("must have 'query' with 'pos_key', 'key' with "
                       "'pos_query', or both");
  int64_t rows = terms.front().getNumRows();
  for (const ContentTerm &term : terms) {
    StringRef table = term.ofKeys ? "pos_query" : "pos_key";
    if (failed(verifyTokens(*this, term.ofKeys ? "key" : "query", term,
                            getType())) || // C1
        failed(verifyTable(*this, table, term, getType(),
                           /*staticRows=*/true))) // C2
      return failure();
    if (term.getNumRows() != rows || rows % 2) // C2
      return emitOpError() << "'" << table << "' has " << term.getNumRows()
                           << " rows; tables must have twice the span, an even "
                              "number, and as many each";
  }
  if (failed(verifyBuckets(*this, rows))) // C4
    return failure();
  return verifySizes(*this, getSizes(), getType()); // C3
}

/// The least distance of each bucket from 0 to `last`.
static SmallVector<int64_t> getBucketStarts(int64_t bucketSize,
                                            int64_t maxPosition, int64_t last) {
  int64_t exact = bucketSize / 2;
  SmallVector<int64_t> starts;
  for (int64_t bucket = 0; bucket <= last; ++bucket)
    // The ceiling of a logarithm passes to the next bucket above a power.
    starts.push_back(bucket <= exact
                         ? bucket
                         : getGeometricStart(exact, maxPosition - 1,
                                             bucket - exact - 1, exact - 1,
                                             /*above=*/true));
  return starts;
}

/// The row of each relative position from -last to last, the least distance
/// whose row is the first or the last.
static SmallVector<int32_t> getRows(ArrayRef<int64_t> starts, int64_t span) {
  int64_t last = starts.back();
  SmallVector<int32_t> rows;
  for (int64_t r = -last; r <= last; ++r) {
    int64_t bucket =
        llvm::upper_bound(starts, std::abs(r)) - starts.begin() - 1;
    int64_t row = (r < 0 ? -bucket : bucket) + span;
    rows.push_back(
        static_cast<int32_t>(std::clamp<int64_t>(row, 0, 2 * span - 1)));
  }
  return rows;
}

static Value emitRow(DisentangledOp op, OpBuilder &b, Location loc, Value i,
                     Value j, int64_t span) {
  auto clamp = [&](Value value, int64_t low, int64_t high) -> Value {
    value = arith::MaxSIOp::create(b, loc, value,
                                   arith::ConstantIndexOp::create(b, loc, low));
    return arith::MinSIOp::create(b, loc, value,
                                  arith::ConstantIndexOp::create(b, loc, high));
  };
  auto shift = [&](Value value, int64_t by) -> Value {
    return arith::AddIOp::create(b, loc, value,
                                 arith::ConstantIndexOp::create(b, loc, by));
  };
  Value query = addOptional(b, loc, i, op.getOffset());
  Value relative = arith::SubIOp::create(b, loc, query, j);
  if (op.getBuckets() == DistanceBuckets::Identity)
    return clamp(shift(relative, span), 0, 2 * span - 1);
  SmallVector<int64_t> starts =
      getBucketStarts(*op.getBucketSize(), *op.getMaxPosition(), span);
  int64_t last = starts.back();
  Value entry = shift(clamp(relative, -last, last), last);
  return castToIndex(b, loc, readTable(b, loc, getRows(starts, span), entry));
}

static ContentFormula getFormula(DisentangledOp op) {
  SmallVector<ContentTerm> terms = getTerms(op);
  int64_t span = terms.front().getNumRows() / 2;
  auto emit = [op, span, numTerms = terms.size()](OpBuilder &b, Location loc,
                                                  ValueRange at,
                                                  ReadTerm read) mutable {
    Value row = emitRow(op, b, loc, at[2], at[3], span);
    Value sum = read(b, loc, 0, row);
    for (unsigned term = 1; term < numTerms; ++term)
      sum = arith::AddFOp::create(b, loc, sum, read(b, loc, term, row));
    return sum;
  };
  return ContentFormula(op, terms, emit);
}

Value DisentangledOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  return getFormula(*this).emitElement(b, loc, at);
}

FailureOr<SmallVector<Value>> DisentangledOp::decomposeOperation(OpBuilder &b) {
  return getFormula(*this).decompose(b);
}
