//===- CacheAppend.cpp - New rows of a key or value cache -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

using Predicate = arith::CmpIPredicate;

LogicalResult CacheAppendOp::verify() {
  RankedTensorType cache = getCache().getType(), rows = getRows().getType();
  int64_t tokens = getTokenAxis();
  bool fits = cache.getElementType() == rows.getElementType();
  for (int64_t axis = 0; axis < cache.getRank(); ++axis)
    fits &= axis == tokens ||
            extentsMayAgree(cache.getDimSize(axis), rows.getDimSize(axis));
  if (!fits) // C1
    return emitOpError() << "new rows are " << rows << " for a cache " << cache
                         << "; they must differ in dimension " << tokens
                         << ", that of tokens, only";
  int64_t lengths = getLengths().getType().getDimSize(0);
  if (!extentsMayAgree(lengths, cache.getDimSize(0))) // C2
    return emitOpError() << "has " << lengths << " lengths for a batch of "
                         << cache.getDimSize(0) << "; one each is needed";
  int64_t length = rows.getDimSize(tokens), most = cache.getDimSize(tokens);
  if (!ShapedType::isDynamic(length) && !ShapedType::isDynamic(most) &&
      length > most) // C3
    return emitOpError() << "appends " << length << " rows to a cache of "
                         << most << "; append fewer, or lengthen the cache";
  return success();
}

/// The number of tokens of batch entry `batch` before the new ones.
static Value emitLength(OpBuilder &b, Location loc, CacheAppendOp op,
                        Value batch) {
  return castToIndex(b, loc,
                     tensor::ExtractOp::create(b, loc, op.getLengths(), batch));
}

namespace {
/// Rows of one batch entry, from `source` to `target`.
struct Move {
  OpFoldResult source, target, count;
};
} // namespace

/// Where the rows of `batch` go: to the end of the cache, or around it.
static SmallVector<Move> getMoves(OpBuilder &b, Location loc, CacheAppendOp op,
                                  Value batch) {
  int64_t tokens = op.getTokenAxis();
  OpFoldResult length = tensor::getMixedSize(b, loc, op.getRows(), tokens);
  Value start = emitLength(b, loc, op, batch);
  OpFoldResult zero = b.getIndexAttr(0);
  if (!op.getRing())
    return {{zero, start, length}};
  Value slots = getValueOrCreateConstantIndexOp(
      b, loc, tensor::getMixedSize(b, loc, op.getCache(), tokens));
  // Without slots there are no rows, but nothing may divide by zero.
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  start = arith::RemSIOp::create(b, loc, start,
                                 arith::MaxSIOp::create(b, loc, slots, one));
  Value rows = getValueOrCreateConstantIndexOp(b, loc, length);
  Value untilEnd = arith::MinSIOp::create(
      b, loc, rows, arith::SubIOp::create(b, loc, slots, start));
  Value rest = arith::SubIOp::create(b, loc, rows, untilEnd);
  return {{zero, start, untilEnd}, {untilEnd, zero, rest}};
}

/// Ends a loop over batch entries with the writes of `moves` into `cache`.
static void emitMoves(OpBuilder &b, Location loc, CacheAppendOp op, Value batch,
                      Value cache, ArrayRef<Move> moves) {
  int64_t tokens = op.getTokenAxis();
  SmallVector<OpFoldResult> origin(4, b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(4, b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, op.getRows());
  origin[0] = batch;
  sizes[0] = b.getIndexAttr(1);
  SmallVector<Value> parts;
  for (const Move &move : moves) {
    origin[tokens] = move.source;
    sizes[tokens] = move.count;
    parts.push_back(tensor::ExtractSliceOp::create(b, loc, op.getRows(), origin,
                                                   sizes, strides));
  }
  auto writes = scf::InParallelOp::create(b, loc);
  b.setInsertionPointToStart(writes.getBody());
  for (auto [part, move] : llvm::zip_equal(parts, moves)) {
    origin[tokens] = move.target;
    sizes[tokens] = move.count;
    tensor::ParallelInsertSliceOp::create(b, loc, part, cache, origin, sizes,
                                          strides);
  }
}

FailureOr<SmallVector<Value>> CacheAppendOp::decomposeOperation(OpBuilder &b) {
  OpFoldResult batch = tensor::getMixedSize(b, getLoc(), getCache(), 0);
  auto loop = scf::ForallOp::create(
      b, getLoc(), batch, getCache(), /*mapping=*/std::nullopt,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        emitMoves(b, loc, *this, arguments[0], arguments[1],
                  getMoves(b, loc, *this, arguments[0]));
      });
  return SmallVector<Value>{loop.getResult(0)};
}

void CacheAppendOp::emitRangeConditions(
    OpBuilder &b, Location loc,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  auto value = [&](OpFoldResult extent) {
    return getValueOrCreateConstantIndexOp(b, loc, extent);
  };
  Value zero = value(b.getIndexAttr(0)), one = value(b.getIndexAttr(1));
  Value slots = value(tensor::getMixedSize(b, loc, getCache(), getTokenAxis()));
  Value rows = value(tensor::getMixedSize(b, loc, getRows(), getTokenAxis()));
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  // What a clamped read would do to one row, a clamped write does to others:
  // lengths are data, and still must fit.
  auto all = scf::ForOp::create(
      b, loc, zero, value(tensor::getMixedSize(b, loc, getLengths(), 0)), one,
      ValueRange{yes, yes},
      [&](OpBuilder &b, Location loc, Value entry, ValueRange fits) {
        Value length = emitLength(b, loc, *this, entry);
        Value end =
            getRing() ? rows
                      : arith::AddIOp::create(b, loc, length, rows).getResult();
        auto also = [&](Value before, Predicate predicate, Value x, Value y) {
          return arith::AndIOp::create(
                     b, loc, before,
                     arith::CmpIOp::create(b, loc, predicate, x, y))
              .getResult();
        };
        scf::YieldOp::create(
            b, loc,
            ValueRange{also(fits[0], Predicate::sge, length, zero),
                       also(fits[1], Predicate::sle, end, slots)});
      });
  auto requireEqual = [&](Value x, int64_t axis, StringRef what) {
    OpFoldResult left = tensor::getMixedSize(b, loc, x, axis);
    OpFoldResult right = tensor::getMixedSize(b, loc, getCache(), axis);
    if (left == right)
      return;
    conditions.emplace_back(b.createOrFold<arith::CmpIOp>(
                                loc, Predicate::eq, value(left), value(right)),
                            (what + " and their cache differ in dimension " +
                             Twine(axis) + "; give both the same extent")
                                .str());
  };
  requireEqual(getLengths(), 0, "the lengths of sequences");
  for (int64_t axis = 0; axis < getCache().getType().getRank(); ++axis)
    if (axis != getTokenAxis())
      requireEqual(getRows(), axis, "appended rows");
  conditions.emplace_back(all.getResult(0),
                          "a length of a cache is negative; give the number "
                          "of tokens that it holds");
  conditions.emplace_back(
      all.getResult(1),
      getRing() ? "more rows are appended to a ring cache than it has; append "
                  "fewer at once, or lengthen the cache"
                : "appended rows end after the last row of their cache; append "
                  "fewer, or lengthen the cache");
}
