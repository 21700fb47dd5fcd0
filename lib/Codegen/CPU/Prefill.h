//===- Prefill.h - The prefill kernel ---------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_PREFILL_H
#define POSENC_LIB_CODEGEN_CPU_PREFILL_H

#include "AttentionKernel.h"
#include "DenseReads.h"
#include "Transposes.h"

namespace mlir::posenc::prefill {

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
  Prefill(AttentionKernel &kernel, CPUPrefillAttr schedule)
      : kernel(kernel), op(kernel.op), b(kernel.b), lanes(schedule.getLanes()),
        rows(schedule.getRows()), keyBlock(schedule.getKeyBlock()),
        queryBlock(schedule.getQueryBlock()),
        panels(llvm::divideCeil(queryBlock, lanes)),
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
  SmallVector<Value> emitScoreProducts(Unit &unit, Panel &panel,
                                       const KeyBlock &block,
                                       ArrayRef<Value> keyRows);
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
  int64_t lanes, rows, keyBlock, queryBlock, panels, paddedHead, paddedValue;
  /// Tables that score and mask read.
  SmallVector<memref::LoadOp> denseReads;
};

} // namespace mlir::posenc::prefill

#endif // POSENC_LIB_CODEGEN_CPU_PREFILL_H
