//===- Decode.h - The decode kernel -----------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_DECODE_H
#define POSENC_LIB_CODEGEN_CPU_DECODE_H

#include "AttentionKernel.h"
#include "Transposes.h"

namespace mlir::posenc::decode {

/// Keys whose scores are a vector; a head's scratch is a multiple of it.
constexpr int64_t kWidth = kTransposeSide;

/// Vectors of `lanes` lanes that are summed up at a time: half the registers.
/// Only AVX2, which has eight lanes, has 16; others have 32.
inline int64_t getNumAccumulators(int64_t lanes) { return lanes == 8 ? 8 : 16; }

/// One query row of a pack.
struct PackedRow {
  Value head, row;
  /// Whether the pack has it: beyond the last, the last repeats, and is not
  /// stored.
  Value exists;
};

/// What is known while one unit is emitted.
struct Unit {
  Value batch, keyHead, split;
  SmallVector<PackedRow> pack;
  /// `[rows, size]` views of the key head.
  Value key, value;
  /// Scratch: [rows][padded D] scaled queries, [rows][padded Dv] outputs,
  /// [rows][key block] scores.
  Value queries, outputs, scores;
  /// Scratch: [2][rows], maxima and sums.
  Value state;
  /// Scratch: [key block][D], rotated keys; null where read in place.
  Value stagedKeys;
  /// Where code goes that no block of keys repeats.
  std::optional<OpBuilder> outside;
};

struct KeyBlock {
  Value start, count;
  bool full;
  Value keys, keyRow;
};

/// What the ranges of keys leave: f32 `[query rows of all heads * split, Dv]`
/// and, `[..., 2]`, maximum and sum.
struct Partials {
  Value outputs, states;
};

class Decode {
public:
  Decode(AttentionKernel &kernel, CPUDecodeAttr schedule)
      : kernel(kernel), op(kernel.op), b(kernel.b), rows(schedule.getRows()),
        keyBlock(schedule.getKeyBlock()), split(schedule.getSplit()),
        lanes(schedule.getLanes()),
        numAccumulators(std::max(rows, getNumAccumulators(lanes))),
        keysATile(numAccumulators / rows),
        paddedHead((kernel.headSize + kWidth - 1) / kWidth * kWidth),
        paddedValue((kernel.valueSize + kWidth - 1) / kWidth * kWidth) {}

  void emit();

private:
  void emitUnit(Value number, Value packs, const Partials &partials);
  Unit openUnit(Value number, Value packs);
  void emitUnitResults(const Unit &unit, const Partials &partials);
  void emitQueries(Unit &unit);
  void emitInitialState(Unit &unit);
  KeyRange emitRange(const Unit &unit, ArrayRef<QueryRows> rows);
  void emitKeyBlock(Unit &unit, Value start, Value count, bool full);
  void emitProducts(Unit &unit, const KeyBlock &block);
  void emitProductTile(Unit &unit, const KeyBlock &block, Value first);
  SmallVector<Value> emitProductsOf(Unit &unit, const KeyBlock &block,
                                    ArrayRef<Value> keyRows);
  Value emitProbabilities(Unit &unit, const KeyBlock &block, int64_t r);
  void emitValues(Unit &unit, const KeyBlock &block, ArrayRef<Value> rescale);
  void emitValueTile(Unit &unit, const KeyBlock &block,
                     ArrayRef<std::pair<int64_t, int64_t>> tile, Value first,
                     Value last, function_ref<void(Value key)> prefetch);
  void emitCombination(Value number, const Partials &partials);

  /// Number of a query row among those of all heads.
  Value rowNumber(Value batch, Value head, Value row) {
    return b.add(
        b.mul(b.add(b.mul(batch, kernel.queryHeads), head), kernel.queryRows),
        row);
  }
  /// Writes a row of the output and its log-sum-exp. `outputs` holds its sums,
  /// not yet divided by `sum`, at row `from`.
  void emitResult(Value batch, Value head, Value row, Value outputs, Value from,
                  Value maximum, Value sum);
  Value load(Value memref, Value row, int64_t lane, int64_t width) {
    return b.loadVector(width, memref, {row, b.index(lane)});
  }

  AttentionKernel &kernel;
  AttentionOp op;
  KernelBuilder &b;
  int64_t rows, keyBlock, split, lanes, numAccumulators, keysATile;
  int64_t paddedHead, paddedValue;
};

} // namespace mlir::posenc::decode

#endif // POSENC_LIB_CODEGEN_CPU_DECODE_H
