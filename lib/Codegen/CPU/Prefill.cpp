//===- Prefill.cpp - Attention of many query rows -------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

#include "Prefill.h"

#include "OnlineSoftmax.h"
#include "RowStaging.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::prefill;

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

void Prefill::emit() {
  Value blocks = b.ceilDiv(kernel.queryRows, queryBlock);
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
  unit.firstRow = b.mul(block, queryBlock);
  unit.rowCount =
      b.min(b.index(queryBlock), b.sub(kernel.queryRows, unit.firstRow));
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
  kernel.emitKeyBlocks(range, keyBlock, asking,
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

void posenc::emitPrefill(AttentionKernel &kernel, CPUPrefillAttr schedule) {
  Prefill(kernel, schedule).emit();
}
