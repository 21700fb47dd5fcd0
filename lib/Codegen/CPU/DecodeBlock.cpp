//===- DecodeBlock.cpp - Decode: one block of keys ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"

#include "OnlineSoftmax.h"
#include "RowStaging.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::decode;

void Decode::emitKeyBlock(Unit &unit, Value start, Value count, bool full) {
  KeyBlock block{start, count, full, unit.key, start};
  if (unit.stagedKeys) {
    RowRotation rotation{&op.getRotateKey(), *op.getKeyLanes(), unit.batch,
                         unit.keyHead};
    emitStageRows(b, unit.key, start, b.add(kernel.keyRows, -1), count,
                  unit.stagedKeys, kernel.headSize, /*factor=*/{}, &rotation);
    block.keys = unit.stagedKeys;
    block.keyRow = b.index(0);
  }
  emitProducts(unit, block);
  SmallVector<Value> rescale;
  for (int64_t r = 0; r < rows; ++r)
    rescale.push_back(emitProbabilities(unit, block, r));
  emitValues(unit, block, rescale);
}

void Decode::emitProducts(Unit &unit, const KeyBlock &block) {
  b.loop(b.index(0), block.count, keysATile,
         [&](Value first) { emitProductTile(unit, block, first); });
}

/// The products of all rows and the keys at `keyRows`, before lanes are summed:
/// vector `r * keysATile + key`.
SmallVector<Value> Decode::emitProductsOf(Unit &unit, const KeyBlock &block,
                                          ArrayRef<Value> keyRows) {
  SmallVector<Value> sums(numAccumulators, b.splat(lanes, 0.0f));
  for (auto [lane, width] : chunks(kernel.headSize, lanes)) {
    SmallVector<Value> queries;
    for (int64_t r = 0; r < rows; ++r)
      queries.push_back(load(unit.queries, b.index(r), lane, lanes));
    for (int64_t key = 0; key < keysATile; ++key) {
      Value values = emitToF32(b, load(block.keys, keyRows[key], lane, width));
      if (width != lanes)
        values = vector::InsertStridedSliceOp::create(
            b, values, b.splat(lanes, 0.0f), ArrayRef<int64_t>{0},
            ArrayRef<int64_t>{1});
      for (int64_t r = 0; r < rows; ++r) {
        Value &sum = sums[r * keysATile + key];
        sum = b.fma(values, queries[r], sum);
      }
    }
  }
  return sums;
}

/// Scores of `keysATile` keys.
void Decode::emitProductTile(Unit &unit, const KeyBlock &block, Value first) {
  constexpr int64_t prefetchDistance = 32;
  Value lastKey = b.add(kernel.keyRows, -1);
  SmallVector<Value> keyRows;
  for (int64_t key = 0; key < keysATile; ++key) {
    Value inBlock = b.add(first, key);
    if (!block.full) // Beyond the ragged end the last key repeats.
      inBlock = b.min(inBlock, b.add(block.count, -1));
    keyRows.push_back(b.add(block.keyRow, inBlock));
  }
  SmallVector<Value> sums = emitProductsOf(unit, block, keyRows);
  if (!unit.stagedKeys)
    for (Value row : keyRows)
      for (auto [lane, width] : chunks(kernel.headSize, kWidth))
        b.prefetch(
            block.keys,
            {b.min(b.add(row, prefetchDistance), lastKey), b.index(lane)},
            /*locality=*/3);
  // A vector of scores may hold several rows, and a row several vectors.
  int64_t run = std::min(lanes, keysATile);
  for (int64_t from = 0; from < numAccumulators; from += lanes) {
    Value products = emitSumsOfLanes(b, ArrayRef(sums).slice(from, lanes));
    for (int64_t at = 0; at < lanes; at += run) {
      int64_t row = (from + at) / keysATile, key = (from + at) % keysATile;
      Value scores = vector::ExtractStridedSliceOp::create(
          b, products, ArrayRef<int64_t>{at}, ArrayRef<int64_t>{run},
          ArrayRef<int64_t>{1});
      b.storeVector(scores, unit.scores, {b.index(row), b.add(first, key)});
    }
  }
}

/// Turns the scores of row `r` into probabilities relative to the maximum so
/// far; returns by what sums under the old maximum are multiplied.
Value Decode::emitProbabilities(Unit &unit, const KeyBlock &block, int64_t r) {
  const PackedRow &row = unit.pack[r];
  Value at = b.index(r);
  Value nothing = b.splat(kWidth, -std::numeric_limits<float>::infinity());
  Value before = b.load(unit.state, {b.index(0), at});
  Value maxima =
      b.loop(b.index(0), block.count, kWidth, nothing,
             [&](Value first, ValueRange carried) -> SmallVector<Value> {
               Value active;
               if (!block.full)
                 active = vector::CreateMaskOp::create(
                     b, VectorType::get({kWidth}, b.getI1Type()),
                     ValueRange{b.sub(block.count, first)});
               Lanes domain(b.getLoc(), kWidth, {*unit.outside, b}, active);
               SmallVector<LaneValue> indices = {
                   LaneValue{unit.batch}, LaneValue{row.head},
                   LaneValue{row.row},
                   LaneValue{b.add(block.start, first), 1, {}, 1}};
               Value score = b.loadVector(kWidth, unit.scores, {at, first});
               score = kernel.emitScore(domain, score, /*level=*/1, indices,
                                        !block.full);
               if (active)
                 score = b.select(active, score, nothing);
               b.storeVector(score, unit.scores, {at, first});
               return {b.fmax(score, carried.front())};
             })
          .front();
  Value maximum = vector::ReductionOp::create(b, vector::CombiningKind::MAXNUMF,
                                              maxima, before);
  Value reference = emitReference(b, maximum);
  Value rescale = emitExp2(b, b.fsub(before, reference));
  Value references = b.broadcast(kWidth, reference);
  Value sums =
      b.loop(b.index(0), block.count, kWidth, b.splat(kWidth, 0.0f),
             [&](Value first, ValueRange carried) -> SmallVector<Value> {
               Value score = b.loadVector(kWidth, unit.scores, {at, first});
               Value p = emitExp2(b, b.fsub(score, references));
               b.storeVector(p, unit.scores, {at, first});
               return {b.fadd(carried.front(), p)};
             })
          .front();
  // The order of this sum is the target's, the same in every call.
  Value sum = vector::ReductionOp::create(b, vector::CombiningKind::ADD, sums,
                                          arith::FastMathFlags::reassoc);
  Value total = b.load(unit.state, {b.index(1), at});
  b.store(maximum, unit.state, {b.index(0), at});
  b.store(b.fadd(b.fmul(total, rescale), sum), unit.state, {b.index(1), at});
  return rescale;
}

/// Adds what keys `[first, last)` of the block give the output lanes `tile`.
void Decode::emitValueTile(Unit &unit, const KeyBlock &block,
                           ArrayRef<std::pair<int64_t, int64_t>> tile,
                           Value first, Value last,
                           function_ref<void(Value key)> prefetch) {
  bool guarded = kernel.hidesKeys(block.full);
  SmallVector<Value> zeros;
  for (int64_t r = 0; r < rows; ++r)
    for (auto [lane, width] : tile)
      zeros.push_back(b.splat(width, 0.0f));
  SmallVector<Value> sums = b.loop(
      first, last, 1, zeros,
      [&](Value key, ValueRange carried) -> SmallVector<Value> {
        Value keyRow = b.add(block.start, key);
        SmallVector<Value> values, next;
        prefetch(key);
        for (auto [lane, width] : tile)
          values.push_back(emitToF32(b, load(unit.value, keyRow, lane, width)));
        for (int64_t r = 0; r < rows; ++r) {
          Value p = b.load(unit.scores, {b.index(r), key});
          for (auto [at, piece] : llvm::enumerate(tile)) {
            Value before = carried[next.size()];
            Value factor = b.broadcast(piece.second, p);
            Value after = b.fma(values[at], factor, before);
            // Zero times what is not finite is not a number.
            if (guarded)
              after = b.select(
                  arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, factor,
                                        b.splat(piece.second, 0.0f)),
                  after, before);
            next.push_back(after);
          }
        }
        return next;
      });
  for (int64_t r = 0; r < rows; ++r)
    for (auto [at, piece] : llvm::enumerate(tile)) {
      auto [lane, width] = piece;
      Value total = load(unit.outputs, b.index(r), lane, width);
      b.storeVector(b.fadd(total, sums[r * tile.size() + at]), unit.outputs,
                    {b.index(r), b.index(lane)});
    }
}

void Decode::emitValues(Unit &unit, const KeyBlock &block,
                        ArrayRef<Value> rescale) {
  for (int64_t r = 0; r < rows; ++r)
    for (auto [lane, width] : chunks(kernel.valueSize, kWidth)) {
      Value total = load(unit.outputs, b.index(r), lane, width);
      b.storeVector(b.fmul(total, b.broadcast(width, rescale[r])), unit.outputs,
                    {b.index(r), b.index(lane)});
    }
  auto pieces = chunks(kernel.valueSize, lanes);
  auto tiles = chunks(pieces.size(), numAccumulators / rows);
  Value lastKey = b.add(kernel.keyRows, -1);
  if (tiles.size() <= 2) {
    for (auto [from, size] : tiles) {
      auto tile = ArrayRef(pieces).slice(from, size);
      emitValueTile(unit, block, tile, b.index(0), block.count, [&](Value key) {
        constexpr int64_t ahead = 8;
        Value row = b.min(b.add(b.add(block.start, key), ahead), lastKey);
        for (auto [lane, width] : tile)
          b.prefetch(unit.value, {row, b.index(lane)}, /*locality=*/3);
      });
    }
    return;
  }
  // Few enough keys for their values, and those of as many after them, to stay
  // in L1 from tile to tile. The tiles ask for these in the order of memory.
  constexpr int64_t floatsAtATime = 2048;
  int64_t keys = std::max<int64_t>(8, floatsAtATime / kernel.valueSize);
  b.loop(b.index(0), block.count, keys, [&](Value first) {
    Value last = b.min(b.add(first, keys), block.count);
    for (auto [number, tile] : llvm::enumerate(tiles)) {
      auto prefetch = [&](Value key) {
        Value done = b.add(b.sub(key, first), number * keys);
        Value lane = b.mul(done, kWidth);
        Value row = b.add(b.add(block.start, first),
                          b.add(b.div(lane, kernel.valueSize), keys));
        b.prefetch(unit.value,
                   {b.min(row, lastKey), b.rem(lane, kernel.valueSize)},
                   /*locality=*/3);
      };
      emitValueTile(unit, block,
                    ArrayRef(pieces).slice(tile.first, tile.second), first,
                    last, prefetch);
    }
  });
}
