//===- Decode.cpp - Attention of few query rows ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

#include "AttentionKernel.h"
#include "OnlineSoftmax.h"
#include "RowStaging.h"
#include "Transposes.h"

using namespace mlir;
using namespace mlir::posenc;

/// Lanes of a vector of keys, and of a piece of a head.
static constexpr int64_t kWidth = kTransposeSide;

namespace {
/// One query row of a pack.
struct PackedRow {
  Value head, row;
  /// Whether the pack has it:
  /// beyond the last, the last repeats, and is not stored.
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
  explicit Decode(AttentionKernel &kernel)
      : kernel(kernel), op(kernel.op), b(kernel.b),
        rows(kernel.schedule.getRows()),
        keyBlock(kernel.schedule.getKeyBlock()),
        split(kernel.schedule.getSplit()), keysATile(kWidth / rows),
        paddedHead((kernel.headSize + kWidth - 1) / kWidth * kWidth),
        paddedValue((kernel.valueSize + kWidth - 1) / kWidth * kWidth) {}

  void emit();

private:
  void emitUnit(Value number, Value packs, const Partials &partials);
  void emitQueries(Unit &unit);
  void emitInitialState(Unit &unit);
  KeyRange emitRange(Unit &unit);
  void emitKeyBlock(Unit &unit, Value start, Value count, bool full);
  void emitProducts(Unit &unit, const KeyBlock &block);
  void emitProductTile(Unit &unit, const KeyBlock &block, Value first);
  Value emitProbabilities(Unit &unit, const KeyBlock &block, int64_t r);
  void emitValues(Unit &unit, const KeyBlock &block, ArrayRef<Value> rescale);
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
  int64_t rows, keyBlock, split, keysATile, paddedHead, paddedValue;
};
} // namespace

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

void Decode::emitUnit(Value number, Value packs, const Partials &partials) {
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
  emitQueries(unit);
  emitInitialState(unit);
  KeyRange range = emitRange(unit);
  unit.outside = OpBuilder(b);
  kernel.emitKeyBlocks(range, /*rows=*/nullptr,
                       [&](Value start, Value count, bool full) {
                         emitKeyBlock(unit, start, count, full);
                       });
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
  b.freeScratch();
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
KeyRange Decode::emitRange(Unit &unit) {
  std::optional<KeyRange> seen;
  for (const PackedRow &row : unit.pack) {
    KeyRange one =
        kernel.emitBounds({unit.batch, row.head, row.row, b.add(row.row, 1)});
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
// One block of keys
//===----------------------------------------------------------------------===//

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

/// Scores of `keysATile` keys: lane `r * keysATile + key` of the sums.
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
  SmallVector<Value> sums(kWidth, b.splat(kWidth, 0.0f));
  for (auto [lane, width] : chunks(kernel.headSize, kWidth)) {
    SmallVector<Value> queries;
    for (int64_t r = 0; r < rows; ++r)
      queries.push_back(load(unit.queries, b.index(r), lane, kWidth));
    for (int64_t key = 0; key < keysATile; ++key) {
      Value values = emitToF32(b, load(block.keys, keyRows[key], lane, width));
      if (width != kWidth)
        values = vector::InsertStridedSliceOp::create(
            b, values, b.splat(kWidth, 0.0f), ArrayRef<int64_t>{0},
            ArrayRef<int64_t>{1});
      for (int64_t r = 0; r < rows; ++r) {
        Value &sum = sums[r * keysATile + key];
        sum = b.fma(values, queries[r], sum);
      }
    }
  }
  if (!unit.stagedKeys)
    for (Value row : keyRows)
      for (auto [lane, width] : chunks(kernel.headSize, kWidth))
        b.prefetch(
            block.keys,
            {b.min(b.add(row, prefetchDistance), lastKey), b.index(lane)},
            /*locality=*/3);
  Value products = emitSumsOfLanes(b, sums);
  for (int64_t r = 0; r < rows; ++r) {
    Value scores = vector::ExtractStridedSliceOp::create(
        b, products, ArrayRef<int64_t>{r * keysATile},
        ArrayRef<int64_t>{keysATile}, ArrayRef<int64_t>{1});
    b.storeVector(scores, unit.scores, {b.index(r), first});
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

void Decode::emitValues(Unit &unit, const KeyBlock &block,
                        ArrayRef<Value> rescale) {
  constexpr int64_t prefetchDistance = 8;
  // Accumulators that leave registers for the row of values.
  int64_t piecesATile = std::max<int64_t>(1, 16 / rows);
  Value lastKey = b.add(kernel.keyRows, -1);
  bool guarded = !block.full && kernel.hasMask();
  auto pieces = chunks(kernel.valueSize, kWidth);
  for (auto [from, tileSize] : chunks(pieces.size(), piecesATile)) {
    auto tile = ArrayRef(pieces).slice(from, tileSize);
    SmallVector<Value> zeros;
    for (int64_t r = 0; r < rows; ++r)
      for (std::pair<int64_t, int64_t> piece : tile)
        zeros.push_back(b.splat(piece.second, 0.0f));
    SmallVector<Value> sums = b.loop(
        b.index(0), block.count, 1, zeros,
        [&](Value key, ValueRange carried) -> SmallVector<Value> {
          Value keyRow = b.add(block.start, key);
          Value ahead = b.min(b.add(keyRow, prefetchDistance), lastKey);
          SmallVector<Value> values, next;
          for (auto [lane, width] : tile) {
            values.push_back(
                emitToF32(b, load(unit.value, keyRow, lane, width)));
            b.prefetch(unit.value, {ahead, b.index(lane)}, /*locality=*/3);
          }
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
        b.storeVector(b.fma(total, b.broadcast(width, rescale[r]),
                            sums[r * tileSize + at]),
                      unit.outputs, {b.index(r), b.index(lane)});
      }
  }
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

void posenc::emitDecode(AttentionKernel &kernel) { Decode(kernel).emit(); }
