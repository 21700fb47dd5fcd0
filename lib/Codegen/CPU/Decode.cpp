//===- Decode.cpp - Attention of few query rows ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes are head lanes, and keys and values are read once, as they lie in
// memory. A unit of work is a *pack* of `rows` query rows that share a key head
// (its query heads, then their rows) against one of `split` ranges of the
// keys. For each block of keys
//
//   S[row][key]   16 vectors of products at a time, summed across lanes
//   P = 2^(S - max), sums       lanes are keys
//   O[row][d]     += P V        as many rows and lanes as registers hold
//
// With more than one range, ranges leave partial results that a second loop
// combines in the order of the keys.
//
//===----------------------------------------------------------------------===//

#include "Decode.h"

#include "OnlineSoftmax.h"
#include "RowStaging.h"

using namespace mlir;
using namespace mlir::posenc;
using namespace mlir::posenc::decode;

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

void Decode::emit() {
  Value rowsAKeyHead = b.mul(kernel.headGroup, kernel.queryRows);
  Value packs = b.ceilDiv(rowsAKeyHead, rows);
  Value count =
      b.mul(b.mul(b.mul(kernel.batch, kernel.keyHeads), packs), split);
  if (split == 1) {
    b.parallel(count, [&](Value number) { emitUnit(number, packs, {}); });
    return;
  }
  Value allRows = rowNumber(kernel.batch, b.index(0), b.index(0));
  Value parts = b.mul(allRows, split);
  auto allocate = [&](int64_t width) -> Value {
    auto type = MemRefType::get({ShapedType::kDynamic, width}, b.getF32Type());
    return memref::AllocOp::create(b, type, ValueRange{parts},
                                   b.getI64IntegerAttr(64));
  };
  Partials partials{allocate(kernel.valueSize), allocate(2)};
  b.parallel(count, [&](Value number) { emitUnit(number, packs, partials); });
  b.parallel(allRows, [&](Value number) { emitCombination(number, partials); });
  memref::DeallocOp::create(b, partials.outputs);
  memref::DeallocOp::create(b, partials.states);
}

/// What unit `number` works on, and its scratch.
Unit Decode::openUnit(Value number, Value packs) {
  Unit unit;
  unit.split = b.rem(number, split);
  Value packed = b.div(number, split);
  Value pack = b.rem(packed, packs);
  Value batchHead = b.div(packed, packs);
  unit.batch = b.div(batchHead, kernel.keyHeads);
  unit.keyHead = b.rem(batchHead, kernel.keyHeads);
  Value last = b.add(b.mul(kernel.headGroup, kernel.queryRows), -1);
  for (int64_t r = 0; r < rows; ++r) {
    Value number = b.add(b.mul(pack, rows), r);
    Value held = b.min(number, last);
    unit.pack.push_back({b.add(b.mul(unit.keyHead, kernel.headGroup),
                               b.rem(held, kernel.headGroup)),
                         b.div(held, kernel.headGroup),
                         b.compare(arith::CmpIPredicate::sle, number, last)});
  }
  unit.key =
      kernel.emitHead(op.getKey(), op.getKeyLayout(), unit.batch, unit.keyHead);
  unit.value = kernel.emitHead(op.getValue(), op.getValueLayout(), unit.batch,
                               unit.keyHead);
  unit.queries = b.scratch({rows, paddedHead});
  unit.outputs = b.scratch({rows, paddedValue});
  unit.scores = b.scratch({rows, keyBlock});
  unit.state = b.scratch({2, rows});
  if (!op.getRotateKey().empty())
    unit.stagedKeys = b.scratch({keyBlock, kernel.headSize});
  return unit;
}

void Decode::emitUnit(Value number, Value packs, const Partials &partials) {
  Unit unit = openUnit(number, packs);
  emitQueries(unit);
  emitInitialState(unit);
  SmallVector<QueryRows> asking;
  for (const PackedRow &row : unit.pack)
    asking.push_back({unit.batch, row.head, row.row, b.add(row.row, 1)});
  KeyRange range = emitRange(unit, asking);
  unit.outside = OpBuilder(b);
  kernel.emitKeyBlocks(range, keyBlock, asking,
                       [&](Value start, Value count, bool full) {
                         emitKeyBlock(unit, start, count, full);
                       });
  emitUnitResults(unit, partials);
  b.freeScratch();
}

/// Writes what the unit's keys give each row: the result, or its part of it
/// where the keys are split.
void Decode::emitUnitResults(const Unit &unit, const Partials &partials) {
  for (auto [r, row] : llvm::enumerate(unit.pack)) {
    Value at = b.index(r);
    Value maximum = b.load(unit.state, {b.index(0), at});
    Value sum = b.load(unit.state, {b.index(1), at});
    b.ifElse(row.exists, [&, row = row] {
      if (!partials.outputs) {
        emitResult(unit.batch, row.head, row.row, unit.outputs, at, maximum,
                   sum);
        return;
      }
      Value part = b.add(b.mul(rowNumber(unit.batch, row.head, row.row), split),
                         unit.split);
      for (auto [lane, width] : chunks(kernel.valueSize, kWidth))
        b.storeVector(load(unit.outputs, at, lane, width), partials.outputs,
                      {part, b.index(lane)});
      b.store(maximum, partials.states, {part, b.index(0)});
      b.store(sum, partials.states, {part, b.index(1)});
    });
  }
}

void Decode::emitQueries(Unit &unit) {
  Value zero = b.splat(kWidth, 0.0f);
  for (auto [r, row] : llvm::enumerate(unit.pack)) {
    // Lanes beyond the head add nothing to a product.
    if (paddedHead != kernel.headSize)
      b.storeVector(zero, unit.queries,
                    {b.index(r), b.index(paddedHead - kWidth)});
    RowRotation rotation{&op.getRotateQuery(),
                         op.getQueryLanes().value_or(LanesAttr()), unit.batch,
                         row.head};
    Value target = memref::SubViewOp::create(
        b, unit.queries, ArrayRef<int64_t>{static_cast<int64_t>(r), 0},
        ArrayRef<int64_t>{1, paddedHead}, ArrayRef<int64_t>{1, 1});
    emitStageRows(b,
                  kernel.emitHead(op.getQuery(), op.getQueryLayout(),
                                  unit.batch, row.head),
                  row.row, row.row, b.index(1), target, kernel.headSize,
                  kernel.queryFactor,
                  op.getRotateQuery().empty() ? nullptr : &rotation);
  }
}

void Decode::emitInitialState(Unit &unit) {
  Value nothing = b.f32(-std::numeric_limits<float>::infinity());
  for (auto [r, row] : llvm::enumerate(unit.pack)) {
    Value maximum = nothing, sum = b.f32(0.0f);
    // A sink is a key without a value, before all others.
    if (Value sink = kernel.emitSink(row.head)) {
      Value first = b.compare(arith::CmpIPredicate::eq, unit.split, b.index(0));
      maximum = b.select(first, sink, nothing);
      sum = emitExp2(b, b.fsub(maximum, emitReference(b, maximum)));
    }
    b.store(maximum, unit.state, {b.index(0), b.index(r)});
    b.store(sum, unit.state, {b.index(1), b.index(r)});
    for (auto [lane, width] : chunks(paddedValue, kWidth))
      b.storeVector(b.splat(width, 0.0f), unit.outputs,
                    {b.index(r), b.index(lane)});
  }
}

/// The keys of the unit's range that any row of the pack may see, and those
/// that all rows see.
KeyRange Decode::emitRange(const Unit &unit, ArrayRef<QueryRows> rows) {
  std::optional<KeyRange> seen;
  for (const QueryRows &row : rows) {
    KeyRange one = kernel.emitBounds(row);
    if (!seen) {
      seen = one;
      continue;
    }
    seen->low = b.min(seen->low, one.low);
    seen->high = b.max(seen->high, one.high);
    seen->fullLow = b.max(seen->fullLow, one.fullLow);
    seen->fullHigh = b.min(seen->fullHigh, one.fullHigh);
  }
  KeyRange range = *seen;
  if (split != 1) {
    Value keys = b.sub(range.high, range.low);
    Value share = b.mul(b.ceilDiv(b.ceilDiv(keys, split), kWidth), kWidth);
    Value low = b.add(range.low, b.mul(unit.split, share));
    range.low = b.min(low, range.high);
    range.high = b.min(b.add(low, share), range.high);
  }
  range.fullLow = b.clamp(range.fullLow, range.low, range.high);
  range.fullHigh = b.clamp(range.fullHigh, range.fullLow, range.high);
  return range;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void Decode::emitCombination(Value number, const Partials &partials) {
  Value row = b.rem(number, kernel.queryRows);
  Value batchHead = b.div(number, kernel.queryRows);
  Value head = b.rem(batchHead, kernel.queryHeads);
  Value batch = b.div(batchHead, kernel.queryHeads);
  Value outputs = b.scratch({1, paddedValue});
  Value first = b.mul(number, split);
  SmallVector<Value> maxima;
  for (int64_t s = 0; s < split; ++s)
    maxima.push_back(b.load(partials.states, {b.add(first, s), b.index(0)}));
  Value maximum = maxima.front();
  for (Value other : ArrayRef(maxima).drop_front())
    maximum = b.fmax(other, maximum);
  Value reference = emitReference(b, maximum);
  SmallVector<Value> weights;
  Value sum = b.f32(0.0f);
  for (int64_t s = 0; s < split; ++s) {
    weights.push_back(emitExp2(b, b.fsub(maxima[s], reference)));
    Value part = b.load(partials.states, {b.add(first, s), b.index(1)});
    sum = b.fadd(sum, b.fmul(part, weights.back()));
  }
  for (auto [lane, width] : chunks(kernel.valueSize, kWidth)) {
    Value total = b.splat(width, 0.0f);
    for (int64_t s = 0; s < split; ++s)
      total = b.fma(load(partials.outputs, b.add(first, s), lane, width),
                    b.broadcast(width, weights[s]), total);
    b.storeVector(total, outputs, {b.index(0), b.index(lane)});
  }
  emitResult(batch, head, row, outputs, b.index(0), maximum, sum);
  b.freeScratch();
}

void Decode::emitResult(Value batch, Value head, Value row, Value outputs,
                        Value from, Value maximum, Value sum) {
  Value output =
      kernel.emitHead(op.getOutputInit(), op.getOutputLayout(), batch, head);
  Type storage = cast<MemRefType>(output.getType()).getElementType();
  auto emit = [&](Value source, Value sourceRow, Value factor) {
    for (auto [lane, width] : chunks(kernel.valueSize, kWidth)) {
      Value values = b.fmul(load(source, sourceRow, lane, width),
                            b.broadcast(width, factor));
      b.storeVector(emitFromF32(b, values, storage), output,
                    {row, b.index(lane)});
    }
  };
  emit(outputs, from, emitReciprocalOrZero(b, sum));
  if (op.getEmptyRows() == EmptyRows::Average) {
    Value empty =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, b.f32(0.0f));
    b.ifElse(empty, [&] {
      Value mean = memref::SubViewOp::create(
          b, outputs, ArrayRef<OpFoldResult>{from, b.getIndexAttr(0)},
          ArrayRef<OpFoldResult>{b.getIndexAttr(1),
                                 b.getIndexAttr(paddedValue)},
          ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(1)});
      Value keyHead = b.div(head, kernel.headGroup);
      kernel.emitMeanOfValues(
          kernel.emitHead(op.getValue(), op.getValueLayout(), batch, keyHead),
          mean);
      emit(mean, b.index(0), b.f32(1.0f));
    });
  }
  if (Value logsumexp = op.getLogsumexpInit())
    b.store(emitLogSumExp(b, maximum, sum), logsumexp, {batch, head, row});
}

void posenc::emitDecode(AttentionKernel &kernel, CPUDecodeAttr schedule) {
  Decode(kernel, schedule).emit();
}
