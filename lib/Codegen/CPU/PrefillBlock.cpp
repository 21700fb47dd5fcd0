//===- PrefillBlock.cpp - Prefill: one block of keys ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prefill.h"

#include "MicroKernel.h"
#include "OnlineSoftmax.h"
#include "RowStaging.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::prefill;

void Prefill::emitKeyBlock(Unit &unit, Value start, Value count, bool full) {
  KeyBlock block = emitStaging(unit, start, count, full);
  forEachPanel(unit, [&](Panel &panel) {
    emitScores(unit, panel, block);
    emitProbabilities(unit, panel, block);
    if (!block.valuesNotFinite) {
      emitValues(unit, panel, block);
      return;
    }
    b.ifElse(
        block.valuesNotFinite, [&] { emitGuardedValues(unit, panel, block); },
        [&] { emitValues(unit, panel, block); });
  });
}

KeyBlock Prefill::emitStaging(Unit &unit, Value start, Value count, bool full) {
  KeyBlock block{start, count, full, unit.key, start, unit.value, start, {}};
  Value last = b.add(kernel.keyRows, -1);
  if (unit.stagedKeys) {
    RowRotation rotation{&op.getRotateKey(),
                         op.getKeyLanes().value_or(LanesAttr()), unit.batch,
                         unit.keyHead};
    emitStageRows(b, unit.key, start, last, count, unit.stagedKeys,
                  kernel.headSize, /*factor=*/{},
                  op.getRotateKey().empty() ? nullptr : &rotation);
    block.keys = unit.stagedKeys;
    block.keyRow = b.index(0);
  }
  if (unit.stagedValues) {
    emitStageRows(b, unit.value, start, last, count, unit.stagedValues,
                  kernel.valueSize, /*factor=*/{}, /*rotation=*/nullptr);
    block.values = unit.stagedValues;
    block.valueRow = b.index(0);
  }
  if (kernel.hidesKeys(full))
    block.valuesNotFinite = emitHasNotFinite(block);
  return block;
}

/// Zero times what is not finite is not a number: the sum over the block says
/// whether there is any.
Value Prefill::emitHasNotFinite(const KeyBlock &block) {
  // Four sums hide the latency of the additions and leave registers free; what
  // the vectors leave over has one of its own.
  constexpr int64_t width = 16, numSums = 4;
  auto pieces = chunks(kernel.valueSize, width);
  auto sumOf = [&](size_t piece) {
    return pieces[piece].second == width ? piece % numSums
                                         : std::min<size_t>(piece, numSums);
  };
  SmallVector<Value> init;
  for (auto [at, piece] : llvm::enumerate(pieces))
    if (sumOf(at) == init.size())
      init.push_back(b.splat(piece.second, 0.0f));
  SmallVector<Value> sums = b.loop(
      b.index(0), block.count, 1, init, [&](Value k, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (auto [at, piece] : llvm::enumerate(pieces)) {
          auto [offset, width] = piece;
          Value row = b.loadVector(width, block.values,
                                   {b.add(block.valueRow, k), b.index(offset)});
          Value &sum = next[sumOf(at)];
          sum = b.fma(row, b.splat(width, 0.0f), sum);
        }
        return next;
      });
  Value any = b.boolean(false);
  for (Value sum : sums)
    any = vector::ReductionOp::create(
        b, vector::CombiningKind::OR,
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, sum, sum), any);
  return any;
}

void Prefill::emitScores(Unit &unit, Panel &panel, const KeyBlock &block) {
  storeLanes(loadLanes(unit.maxima, panel.number), unit.blockMaxima,
             b.index(0));
  DenseTile tile{unit.batch,  unit.head,   panel.firstRow, panel.rowCount,
                 block.start, block.count, block.full};
  for (auto [read, scratch] : llvm::zip_equal(denseReads, unit.denseTiles))
    emitDenseTile(b, read, tile, scratch);
  Value zero = b.index(0);
  if (!block.full) {
    b.loop(zero, block.count, rows, [&](Value first) {
      emitScoreTile(unit, panel, block, first, rows);
    });
    return;
  }
  int64_t even = keyBlock / rows * rows;
  b.loop(zero, b.index(even), rows,
         [&](Value first) { emitScoreTile(unit, panel, block, first, rows); });
  if (keyBlock != even)
    emitScoreTile(unit, panel, block, b.index(even), keyBlock - even);
}

/// The products of the panel's queries and the keys at `keyRows`, one vector of
/// lanes a key.
SmallVector<Value> Prefill::emitScoreProducts(Unit &unit, Panel &panel,
                                              const KeyBlock &block,
                                              ArrayRef<Value> keyRows) {
  int64_t height = keyRows.size();
  SmallVector<Value> zeros(height, b.splat(lanes, 0.0f));
  // Two steps ask for sixteen lanes, a line, of one of the next eight rows.
  constexpr int64_t ahead = 8, steps = 2;
  Value nextTile = prefetchBase(b.add(keyRows.front(), height), ahead);
  auto prefetch = [&](Value d) {
    Value request = b.div(d, steps);
    Value row = b.rem(request, ahead);
    b.prefetch(block.keys,
               {b.add(nextTile, row), b.mul(b.sub(request, row), steps)},
               /*locality=*/3);
  };
  auto column = [&](Value d) {
    return llvm::map_to_vector(
        keyRows, [&](Value row) { return b.load(block.keys, {row, d}); });
  };
  auto row = [&](Value d) {
    return loadLanes(unit.queryT, b.add(panel.queryRow, d));
  };
  MicroKernelOperands operands;
  operands.column = column;
  operands.row = row;
  if (kernel.headSize % steps == 0)
    operands.unroll = steps;
  if (!unit.stagedKeys)
    operands.prefetch = prefetch;
  return emitMicroKernel(b, b.index(kernel.headSize), zeros, operands);
}

void Prefill::emitScoreTile(Unit &unit, Panel &panel, const KeyBlock &block,
                            Value first, int64_t height) {
  SmallVector<OpBuilder> levels = panel.levels;
  levels.push_back(b);
  Lanes domain(b.getLoc(), lanes, levels, panel.active);
  SmallVector<Value> inBlock, keyRows;
  SmallVector<SmallVector<LaneValue>> at;
  for (int64_t r = 0; r < height; ++r) {
    Value key = b.add(first, r);
    // Beyond the ragged end the last key repeats: it changes no maximum.
    if (!block.full)
      key = b.min(key, b.add(block.count, -1));
    inBlock.push_back(key);
    keyRows.push_back(b.add(block.keyRow, key));
    at.push_back(panel.at);
    at.back().push_back(LaneValue{b.add(block.start, key), 0, {}, 2});
  }
  SmallVector<Value> sums = emitScoreProducts(unit, panel, block, keyRows);
  Value maximum = loadLanes(unit.blockMaxima, b.index(0));
  for (int64_t r = 0; r < height; ++r) {
    domain.setKnownReads([&](memref::LoadOp load) -> Value {
      auto read = llvm::find(denseReads, load);
      if (read == denseReads.end())
        return {};
      Value scratch = unit.denseTiles[read - denseReads.begin()];
      return emitDenseRow(b, load, scratch, inBlock[r]);
    });
    Value score =
        kernel.emitScore(domain, sums[r], /*level=*/2, at[r], !block.full);
    storeLanes(score, unit.scores, b.add(first, r));
    maximum = b.fmax(score, maximum);
  }
  storeLanes(maximum, unit.blockMaxima, b.index(0));
}

void Prefill::emitProbabilities(Unit &unit, Panel &panel,
                                const KeyBlock &block) {
  Value before = loadLanes(unit.maxima, panel.number);
  Value maximum = loadLanes(unit.blockMaxima, b.index(0));
  Value reference = emitReference(b, maximum);
  Value rescale = emitExp2(b, b.fsub(before, reference));
  storeLanes(maximum, unit.maxima, panel.number);
  storeLanes(rescale, unit.rescale, b.index(0));
  Value sum = b.loop(b.index(0), block.count, 1, b.splat(lanes, 0.0f),
                     [&](Value key, ValueRange carried) -> SmallVector<Value> {
                       Value p = emitExp2(
                           b, b.fsub(loadLanes(unit.scores, key), reference));
                       storeLanes(p, unit.scores, key);
                       return {b.fadd(carried.front(), p)};
                     })
                  .front();
  Value total = loadLanes(unit.sums, panel.number);
  storeLanes(b.fma(total, rescale, sum), unit.sums, panel.number);
}

void Prefill::emitValues(Unit &unit, Panel &panel, const KeyBlock &block) {
  int64_t even = kernel.valueSize / rows * rows;
  b.loop(b.index(0), b.index(even), rows,
         [&](Value d) { emitValueTile(unit, panel, block, d, rows); });
  if (kernel.valueSize != even)
    emitValueTile(unit, panel, block, b.index(even), kernel.valueSize - even);
}

void Prefill::emitValueTile(Unit &unit, Panel &panel, const KeyBlock &block,
                            Value d, int64_t height) {
  Value nextBlock = prefetchBase(b.add(block.valueRow, keyBlock), keyBlock);
  auto column = [&](Value key) {
    SmallVector<Value> values;
    for (int64_t r = 0; r < height; ++r)
      values.push_back(
          b.load(block.values, {b.add(block.valueRow, key), b.add(d, r)}));
    return values;
  };
  auto row = [&](Value key) { return loadLanes(unit.scores, key); };
  auto prefetch = [&](Value key) {
    b.prefetch(block.values, {b.add(nextBlock, key), d}, /*locality=*/2);
  };
  MicroKernelOperands operands{column, row};
  if (!unit.stagedValues)
    operands.prefetch = prefetch;
  SmallVector<Value> zeros(height, b.splat(lanes, 0.0f));
  SmallVector<Value> sums = emitMicroKernel(b, block.count, zeros, operands);
  Value rescale = loadLanes(unit.rescale, b.index(0));
  for (int64_t r = 0; r < height; ++r) {
    Value at = b.add(panel.outputRow, b.add(d, r));
    storeLanes(b.fma(loadLanes(unit.outputT, at), rescale, sums[r]),
               unit.outputT, at);
  }
}

/// As emitValues, where a masked key's value may be infinite or not a number:
/// what has no probability is left out rather than multiplied by zero.
void Prefill::emitGuardedValues(Unit &unit, Panel &panel,
                                const KeyBlock &block) {
  Value zero = b.splat(lanes, 0.0f);
  Value rescale = loadLanes(unit.rescale, b.index(0));
  b.loop(b.index(0), b.index(kernel.valueSize), 1, [&](Value d) {
    Value sum =
        b.loop(b.index(0), block.count, 1, zero,
               [&](Value key, ValueRange carried) -> SmallVector<Value> {
                 Value p = loadLanes(unit.scores, key);
                 Value value =
                     b.load(block.values, {b.add(block.valueRow, key), d});
                 Value next =
                     b.fma(b.broadcast(lanes, value), p, carried.front());
                 Value counts = arith::CmpFOp::create(
                     b, arith::CmpFPredicate::UNE, p, zero);
                 return {b.select(counts, next, carried.front())};
               })
            .front();
    Value at = b.add(panel.outputRow, d);
    storeLanes(b.fma(loadLanes(unit.outputT, at), rescale, sum), unit.outputT,
               at);
  });
}
