//===- Prefill.cpp - Attention of many query rows -------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes are query rows. A unit of work is a block of rows of one head, held as
// panels of `lanes` rows, transposed: queries Q^T[D][lanes], outputs
// O^T[Dv][lanes]. For each block of keys and each panel
//
//   S[key][lane] = K Q^T          tiles of `rows` keys in registers
//   P = 2^(S - max), sums         one pass over S
//   O^T[d][lane] += V^T P         tiles of `rows` value lanes in registers
//
// where every sum over a block starts from zero before it joins the total.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "DenseReads.h"
#include "MicroKernel.h"
#include "OnlineSoftmax.h"
#include "RowStaging.h"
#include "Transposes.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// One panel of a unit.
struct Panel {
  Value number;
  /// First query row, and how many there are.
  Value firstRow, rowCount;
  /// First rows of the panel in queryT and outputT.
  Value queryRow, outputRow;
  /// b, h, i as the regions see them; i varies from lane to lane.
  SmallVector<LaneValue> at;
  /// Lanes that are rows; null: all, or it does not matter.
  Value active;
  /// Where code of the unit, and of the panel, goes.
  SmallVector<OpBuilder> levels;
};

/// What is known while one unit is emitted.
struct Unit {
  Value batch, head, keyHead;
  /// First query row, number of rows, number of panels that have rows.
  Value firstRow, rowCount, panelCount;
  /// `[rows, head size]` views.
  Value query, key, value, output;
  /// Scratch: [panels * D][lanes], [panels * Dv][lanes], [key block][lanes].
  Value queryT, outputT, scores;
  /// Scratch: [panels][lanes] running maxima and sums.
  Value maxima, sums;
  /// Scratch: [1][lanes] of the block at hand.
  Value blockMaxima, rescale;
  /// Scratch: [lanes][D or Dv], rows before and after a transposition.
  Value rows;
  /// Scratch: keys and values of the block as f32; null where read in place.
  Value stagedKeys, stagedValues;
  /// Scratch: [key block][lanes] of each dense read.
  SmallVector<Value> denseTiles;
  /// Where code of the unit goes that no block of keys repeats.
  std::optional<OpBuilder> outside;
  /// The panel, where there is one only.
  std::optional<Panel> onlyPanel;
};

/// A block of keys: rows of `keys` from `keyRow` on, likewise values.
struct KeyBlock {
  Value start, count;
  bool full;
  Value keys, keyRow, values, valueRow;
  /// Whether V holds what is not finite (i1); null where it does not matter.
  Value valuesNotFinite;
};

class Prefill {
public:
  explicit Prefill(AttentionKernel &kernel)
      : kernel(kernel), op(kernel.op), b(kernel.b),
        lanes(kernel.schedule.getLanes()), rows(kernel.schedule.getRows()),
        keyBlock(kernel.schedule.getKeyBlock()),
        panels(llvm::divideCeil(kernel.schedule.getQueryBlock(), lanes)),
        paddedHead(llvm::alignTo(kernel.headSize, kTransposeSide)),
        paddedValue(llvm::alignTo(kernel.valueSize, kTransposeSide)) {
    if (keyBlock % kTransposeSide == 0)
      denseReads = findDenseReads(op);
  }

  void emit();

private:
  void emitUnit(Value number, Value blocks);
  void emitScratch(Unit &unit);
  void emitQueries(Unit &unit);
  void emitInitialState(Unit &unit);
  void emitKeyBlock(Unit &unit, Value start, Value count, bool full);
  KeyBlock emitStaging(Unit &unit, Value start, Value count, bool full);
  Value emitHasNotFinite(const KeyBlock &block);
  void emitScores(Unit &unit, Panel &panel, const KeyBlock &block);
  void emitScoreTile(Unit &unit, Panel &panel, const KeyBlock &block,
                     Value first, int64_t height);
  void emitProbabilities(Unit &unit, Panel &panel, const KeyBlock &block);
  void emitValues(Unit &unit, Panel &panel, const KeyBlock &block);
  void emitValueTile(Unit &unit, Panel &panel, const KeyBlock &block, Value d,
                     int64_t height);
  void emitGuardedValues(Unit &unit, Panel &panel, const KeyBlock &block);
  void emitOutput(Unit &unit);
  void emitMeanOfEmptyRows(Unit &unit, Panel &panel, Value sum);
  void emitLogSumExps(Unit &unit, Panel &panel);

  /// Emits `body` for each panel that has rows.
  void forEachPanel(Unit &unit, function_ref<void(Panel &)> body);
  Panel emitPanel(Unit &unit, Value number);
  /// Where to ask for `count` rows that come next, within the keys there are.
  Value prefetchBase(Value next, int64_t count) {
    return b.max(b.min(next, b.add(kernel.keyRows, -count)), b.index(0));
  }
  Value loadLanes(Value memref, Value row) {
    return b.loadVector(lanes, memref, {row, b.index(0)});
  }
  void storeLanes(Value vector, Value memref, Value row) {
    b.storeVector(vector, memref, {row, b.index(0)});
  }
  Type storageType(Value operand) {
    return cast<MemRefType>(operand.getType()).getElementType();
  }

  AttentionKernel &kernel;
  AttentionOp op;
  KernelBuilder &b;
  int64_t lanes, rows, keyBlock, panels, paddedHead, paddedValue;
  /// Tables that score and mask read.
  SmallVector<memref::LoadOp> denseReads;
};
} // namespace

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

void Prefill::emit() {
  Value blocks = b.ceilDiv(kernel.queryRows, kernel.schedule.getQueryBlock());
  Value count = b.mul(b.mul(kernel.batch, kernel.queryHeads), blocks);
  b.parallel(count, [&](Value number) { emitUnit(number, blocks); });
}

void Prefill::emitUnit(Value number, Value blocks) {
  Unit unit;
  // The last block of a head first: under a causal mask it is the longest.
  // Heads stay together, since they share keys.
  Value block = b.sub(b.add(blocks, -1), b.rem(number, blocks));
  Value batchHead = b.div(number, blocks);
  unit.batch = b.div(batchHead, kernel.queryHeads);
  unit.head = b.rem(batchHead, kernel.queryHeads);
  unit.keyHead = b.div(unit.head, kernel.headGroup);
  unit.firstRow = b.mul(block, kernel.schedule.getQueryBlock());
  unit.rowCount = b.min(b.index(kernel.schedule.getQueryBlock()),
                        b.sub(kernel.queryRows, unit.firstRow));
  unit.panelCount = b.ceilDiv(unit.rowCount, lanes);
  unit.query = kernel.emitHead(op.getQuery(), op.getQueryLayout(), unit.batch,
                               unit.head);
  unit.key =
      kernel.emitHead(op.getKey(), op.getKeyLayout(), unit.batch, unit.keyHead);
  unit.value = kernel.emitHead(op.getValue(), op.getValueLayout(), unit.batch,
                               unit.keyHead);
  unit.output = kernel.emitHead(op.getOutputInit(), op.getOutputLayout(),
                                unit.batch, unit.head);
  emitScratch(unit);
  if (panels == 1)
    unit.onlyPanel = emitPanel(unit, b.index(0));
  emitQueries(unit);
  emitInitialState(unit);
  QueryRows asking{unit.batch, unit.head, unit.firstRow,
                   b.add(unit.firstRow, unit.rowCount)};
  KeyRange range = kernel.emitBounds(asking);
  unit.outside = OpBuilder(b);
  if (unit.onlyPanel)
    unit.onlyPanel->levels.assign(2, *unit.outside);
  kernel.emitKeyBlocks(range, &asking,
                       [&](Value start, Value count, bool full) {
                         emitKeyBlock(unit, start, count, full);
                       });
  emitOutput(unit);
  b.freeScratch();
}

void Prefill::emitScratch(Unit &unit) {
  unit.queryT = b.scratch({panels * paddedHead, lanes});
  unit.outputT = b.scratch({panels * paddedValue, lanes});
  // Tiles at the ragged end of a block reach beyond it.
  unit.scores = b.scratch({(keyBlock + rows - 1) / rows * rows, lanes});
  unit.maxima = b.scratch({panels, lanes});
  unit.sums = b.scratch({panels, lanes});
  unit.blockMaxima = b.scratch({1, lanes});
  unit.rescale = b.scratch({1, lanes});
  unit.rows = b.scratch({lanes, std::max(paddedHead, paddedValue)});
  if (!storageType(unit.key).isF32() || !op.getRotateKey().empty())
    unit.stagedKeys = b.scratch({keyBlock, kernel.headSize});
  if (!storageType(unit.value).isF32())
    unit.stagedValues = b.scratch({keyBlock, kernel.valueSize});
  for (size_t read = 0; read < denseReads.size(); ++read)
    unit.denseTiles.push_back(b.scratch({keyBlock, lanes}));
}

Panel Prefill::emitPanel(Unit &unit, Value number) {
  Panel panel;
  panel.number = number;
  panel.queryRow = b.mul(number, paddedHead);
  panel.outputRow = b.mul(number, paddedValue);
  panel.firstRow = b.add(unit.firstRow, b.mul(number, lanes));
  unsigned level = panels > 1;
  panel.at = {LaneValue{unit.batch}, LaneValue{unit.head},
              LaneValue{panel.firstRow, 1, {}, level}};
  panel.rowCount =
      b.min(b.sub(unit.rowCount, b.mul(number, lanes)), b.index(lanes));
  if (kernel.readsPerElement())
    panel.active = vector::CreateMaskOp::create(
        b, VectorType::get({lanes}, b.getI1Type()), ValueRange{panel.rowCount});
  panel.levels = {unit.outside ? *unit.outside : OpBuilder(b), b};
  return panel;
}

void Prefill::forEachPanel(Unit &unit, function_ref<void(Panel &)> body) {
  if (unit.onlyPanel) {
    body(*unit.onlyPanel);
    return;
  }
  b.loop(b.index(0), unit.panelCount, 1, [&](Value number) {
    Panel panel = emitPanel(unit, number);
    body(panel);
  });
}

/// The view of one panel's rows in a scratch buffer that holds all panels.
static Value panelView(KernelBuilder &b, Value scratch, Value firstRow,
                       int64_t height) {
  int64_t width = cast<MemRefType>(scratch.getType()).getDimSize(1);
  auto attrs = [&](int64_t x, int64_t y) {
    return SmallVector<OpFoldResult>{b.getIndexAttr(x), b.getIndexAttr(y)};
  };
  SmallVector<OpFoldResult> offsets = {firstRow, b.getIndexAttr(0)};
  return memref::SubViewOp::create(b, scratch, offsets, attrs(height, width),
                                   attrs(1, 1));
}

void Prefill::emitQueries(Unit &unit) {
  RowRotation rotation{&op.getRotateQuery(),
                       op.getQueryLanes().value_or(LanesAttr()), unit.batch,
                       unit.head};
  Value last = b.add(kernel.queryRows, -1);
  forEachPanel(unit, [&](Panel &panel) {
    // Lanes without a row repeat the last one: their results are not stored.
    emitStageRows(b, unit.query, panel.firstRow, last, b.index(lanes),
                  unit.rows, kernel.headSize, kernel.queryFactor,
                  op.getRotateQuery().empty() ? nullptr : &rotation);
    Value source = memref::SubViewOp::create(
        b, unit.rows, ArrayRef<int64_t>{0, 0},
        ArrayRef<int64_t>{lanes, paddedHead}, ArrayRef<int64_t>{1, 1});
    emitTranspose(b, source,
                  panelView(b, unit.queryT, panel.queryRow, paddedHead));
  });
}

void Prefill::emitInitialState(Unit &unit) {
  Value maximum = b.splat(lanes, -std::numeric_limits<float>::infinity());
  Value sum = b.splat(lanes, 0.0f);
  // A sink is a key without a value.
  if (Value sink = kernel.emitSink(unit.head)) {
    maximum = b.broadcast(lanes, sink);
    sum = emitExp2(b, b.fsub(maximum, emitReference(b, maximum)));
  }
  forEachPanel(unit, [&](Panel &panel) {
    storeLanes(maximum, unit.maxima, panel.number);
    storeLanes(sum, unit.sums, panel.number);
    b.loop(b.index(0), b.index(kernel.valueSize), 1, [&](Value d) {
      storeLanes(b.splat(lanes, 0.0f), unit.outputT, b.add(panel.outputRow, d));
    });
  });
}

//===----------------------------------------------------------------------===//
// One block of keys
//===----------------------------------------------------------------------===//

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
  if (!full && kernel.hasMask())
    block.valuesNotFinite = emitHasNotFinite(block);
  return block;
}

/// Zero times what is not finite is not a number: the sum over the block says
/// whether there is any.
Value Prefill::emitHasNotFinite(const KeyBlock &block) {
  auto pieces = chunks(kernel.valueSize, 16);
  SmallVector<Value> init;
  for (auto [offset, width] : pieces)
    init.push_back(b.splat(width, 0.0f));
  SmallVector<Value> sums = b.loop(
      b.index(0), block.count, 1, init, [&](Value k, ValueRange carried) {
        SmallVector<Value> next;
        for (auto [piece, sum] : llvm::zip_equal(pieces, carried)) {
          auto [offset, width] = piece;
          Value row = b.loadVector(width, block.values,
                                   {b.add(block.valueRow, k), b.index(offset)});
          next.push_back(b.fma(row, b.splat(width, 0.0f), sum));
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
  SmallVector<Value> zeros(height, b.splat(lanes, 0.0f));
  // A step asks for eight lanes of one of the next eight rows.
  constexpr int64_t ahead = 8;
  Value nextTile = prefetchBase(b.add(keyRows.front(), height), ahead);
  auto prefetch = [&](Value d) {
    Value row = b.rem(d, ahead);
    b.prefetch(block.keys, {b.add(nextTile, row), b.sub(d, row)},
               /*locality=*/3);
  };
  MicroKernelOperands operands;
  auto column = [&](Value d) {
    return llvm::map_to_vector(
        keyRows, [&](Value row) { return b.load(block.keys, {row, d}); });
  };
  auto row = [&](Value d) {
    return loadLanes(unit.queryT, b.add(panel.queryRow, d));
  };
  operands.column = column;
  operands.row = row;
  if (!unit.stagedKeys)
    operands.prefetch = prefetch;
  SmallVector<Value> sums =
      emitMicroKernel(b, b.index(kernel.headSize), zeros, operands);
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

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void Prefill::emitOutput(Unit &unit) {
  forEachPanel(unit, [&](Panel &panel) {
    Value sum = loadLanes(unit.sums, panel.number);
    Value inverse = emitReciprocalOrZero(b, sum);
    b.loop(b.index(0), b.index(kernel.valueSize), 1, [&](Value d) {
      Value at = b.add(panel.outputRow, d);
      storeLanes(b.fmul(loadLanes(unit.outputT, at), inverse), unit.outputT,
                 at);
    });
    if (op.getEmptyRows() == EmptyRows::Average)
      emitMeanOfEmptyRows(unit, panel, sum);
    Value target = memref::SubViewOp::create(
        b, unit.rows, ArrayRef<int64_t>{0, 0},
        ArrayRef<int64_t>{lanes, paddedValue}, ArrayRef<int64_t>{1, 1});
    emitTranspose(b, panelView(b, unit.outputT, panel.outputRow, paddedValue),
                  target);
    Type storage = storageType(unit.output);
    b.loop(b.index(0), panel.rowCount, 1, [&](Value r) {
      for (auto [offset, width] : chunks(kernel.valueSize, 16)) {
        Value lane = b.index(offset);
        Value row = b.loadVector(width, unit.rows, {r, lane});
        b.storeVector(emitFromF32(b, row, storage), unit.output,
                      {b.add(panel.firstRow, r), lane});
      }
    });
    if (op.getLogsumexpInit())
      emitLogSumExps(unit, panel);
  });
}

/// Rows without a key take the mean of all values.
void Prefill::emitMeanOfEmptyRows(Unit &unit, Panel &panel, Value sum) {
  Value empty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum,
                                      b.splat(lanes, 0.0f));
  Value any = vector::ReductionOp::create(b, vector::CombiningKind::OR, empty);
  b.ifElse(any, [&] {
    kernel.emitMeanOfValues(unit.value, unit.rows);
    b.loop(b.index(0), b.index(kernel.valueSize), 1, [&](Value d) {
      Value at = b.add(panel.outputRow, d);
      Value average = b.broadcast(lanes, b.load(unit.rows, {b.index(0), d}));
      storeLanes(b.select(empty, average, loadLanes(unit.outputT, at)),
                 unit.outputT, at);
    });
  });
}

void Prefill::emitLogSumExps(Unit &unit, Panel &panel) {
  // The maxima are not needed again: their place holds the results.
  storeLanes(emitLogSumExp(b, loadLanes(unit.maxima, panel.number),
                           loadLanes(unit.sums, panel.number)),
             unit.maxima, panel.number);
  b.loop(b.index(0), panel.rowCount, 1, [&](Value r) {
    b.store(b.load(unit.maxima, {panel.number, r}), op.getLogsumexpInit(),
            {unit.batch, unit.head, b.add(panel.firstRow, r)});
  });
}

void posenc::emitPrefill(AttentionKernel &kernel) { Prefill(kernel).emit(); }
