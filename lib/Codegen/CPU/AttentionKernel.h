//===- AttentionKernel.h - What every attention kernel needs ----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of one posenc.attention on memrefs, its regions as code, and the
// walk over the blocks of keys that a set of rows sees.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_ATTENTIONKERNEL_H
#define POSENC_LIB_CODEGEN_CPU_ATTENTIONKERNEL_H

#include "KernelBuilder.h"
#include "posenc/Codegen/CPU/Lanes.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

namespace mlir::posenc {

/// Keys that a set of rows may see, `[low, high)`, and those that all of its
/// rows see, `[fullLow, fullHigh)`: nested and within the keys there are.
struct KeyRange {
  Value low, fullLow, fullHigh, high;
};

/// The rows that ask: query rows `[begin, end)` of a head.
struct QueryRows {
  Value batch, head, begin, end;
};

/// `size` cut into pieces of at most `width`, as (offset, width).
SmallVector<std::pair<int64_t, int64_t>> chunks(int64_t size, int64_t width);

struct AttentionKernel {
  /// Emits sizes and the scale at `b`.
  AttentionKernel(AttentionOp op, KernelBuilder &b);

  AttentionOp op;
  KernelBuilder &b;
  int64_t headSize, valueSize;
  Value batch, queryHeads, queryRows, keyRows;
  Value keyHeads, headGroup;
  /// What queries are multiplied by: the scale, and log2 e unless a score
  /// region wants natural scores.
  Value queryFactor;

  /// The `[rows, head size]` view of one head of an operand.
  Value emitHead(Value operand, Layout layout, Value batch, Value head);

  //===--------------------------------------------------------------------===//
  // Regions
  //===--------------------------------------------------------------------===//

  KeyRange emitBounds(const QueryRows &rows);

  bool hasMask() { return !op.getMask().empty(); }
  /// Whether keys of a block may have probability zero while others of it do
  /// not: what they hold must not matter then.
  bool hidesKeys(bool full) { return (!full && hasMask()) || scoreReadsKeys; }
  /// Whether score or mask read memory: at places that may vary by lane.
  bool readsPerElement();

  /// The base-2 score from `x`, a vector of products of scaled queries with
  /// keys, of `level`; `at` is b, h, i, j. Minus infinity where `masked` and
  /// the mask says so.
  ///
  /// Of a score `x + g` the products keep base 2 and g joins them last: sums
  /// that start at a large g would round at its magnitude in every step.
  Value emitScore(Lanes &lanes, Value x, unsigned level, ArrayRef<LaneValue> at,
                  bool masked);

  /// The base-2 score of the head's sink; null without sinks.
  Value emitSink(Value head);

  //===--------------------------------------------------------------------===//
  // Blocks of keys
  //===--------------------------------------------------------------------===//

  /// Calls `body(start, count, full)` to emit the code of a block of `count`
  /// keys from `start` on: once for full blocks (`schedule`'s size, seen by
  /// all rows), once for others (fewer keys, or masked in part). The `tile`
  /// region is asked about each of `rows`.
  void emitKeyBlocks(const KeyRange &range, int64_t size,
                     ArrayRef<QueryRows> rows,
                     function_ref<void(Value, Value, bool)> body);

  /// The mean of all rows of `values` (`[rows, Dv]`) as row 0 of `mean`, f32
  /// scratch of rank 2.
  void emitMeanOfValues(Value values, Value mean);

private:
  SmallVector<Value> emitTiles(ArrayRef<QueryRows> rows, Value start,
                               Value count, int64_t size);

  /// Natural scores within what base 2 holds: a finite one stays finite.
  Value emitWithinBase2(Value natural);

  SmallVector<LaneValue> boundByShapes(ArrayRef<LaneValue> at);

  /// A region of uniform arguments as scalar code.
  SmallVector<Value> emitUniform(Region &region, ValueRange arguments);

  /// Whether score is `x + g`.
  bool scoreIsAdditive;
  /// Whether the score region reads floats by key: minus infinity masks too.
  bool scoreReadsKeys;
  /// Whether the score region may make finite scores that base 2 cannot hold.
  bool scoreMayBeHuge;
};

/// The kernels, one a file: replace nothing, emit at `kernel.b`.
void emitPrefill(AttentionKernel &kernel, CPUPrefillAttr schedule);
void emitDecode(AttentionKernel &kernel, CPUDecodeAttr schedule);

} // namespace mlir::posenc

#endif // POSENC_LIB_CODEGEN_CPU_ATTENTIONKERNEL_H
