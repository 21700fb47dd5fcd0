//===- AttentionKernel.cpp - What every attention kernel needs ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

#include "RowStaging.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Dialect/PosEnc/IR/AttentionDependences.h"
#include "posenc/Formula/RegionInterpreter.h"

using namespace mlir;
using namespace mlir::posenc;

SmallVector<std::pair<int64_t, int64_t>> posenc::chunks(int64_t size,
                                                        int64_t width) {
  SmallVector<std::pair<int64_t, int64_t>> pieces;
  for (int64_t offset = 0; offset < size; offset += width)
    pieces.emplace_back(offset, std::min(width, size - offset));
  return pieces;
}

/// Whether the region yields `x + g` and reads its x nowhere else.
static bool yieldsSumWithScore(Region &score) {
  if (score.empty())
    return false;
  BlockArgument x = score.getArgument(0);
  auto sum = score.front()
                 .getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  return sum && x.hasOneUse() && *x.getUsers().begin() == sum;
}

/// Whether the region loads a float at a place that depends on the key.
static bool readsFloatsByKey(Region &score) {
  if (score.empty())
    return false;
  Dependences dependences(score);
  auto isByKey = [&](Value index) {
    return dependences.of(index).isOn(Dependence::Key);
  };
  return score
      .walk([&](memref::LoadOp load) {
        return isa<FloatType>(load.getType()) &&
                       llvm::any_of(load.getIndices(), isByKey)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the region uses a float that may be as large as penalties are: a
/// large constant, a captured float, or one in memory. A slope, which is read
/// at the head alone, is taken to be none.
static bool usesHugeFloats(Region &score) {
  if (score.empty())
    return false;
  constexpr double huge = 1e30;
  BlockArgument head = score.getArgument(2);
  auto mayBeHuge = [&](Value value) {
    APFloat constant(0.0f);
    if (!isa<FloatType>(value.getType()))
      return false;
    if (matchPattern(value, m_ConstantFloat(&constant)))
      return !(std::abs(constant.convertToDouble()) < huge);
    if (auto load = value.getDefiningOp<memref::LoadOp>())
      return load.getIndices().empty() ||
             llvm::any_of(load.getIndices(),
                          [&](Value index) { return index != head; });
    return !score.isAncestor(value.getParentRegion());
  };
  return score
      .walk([&](Operation *op) {
        return llvm::any_of(op->getOperands(), mayBeHuge)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

AttentionKernel::AttentionKernel(AttentionOp op, KernelBuilder &b)
    : op(op), b(b), scoreIsAdditive(yieldsSumWithScore(op.getScore())),
      scoreReadsKeys(readsFloatsByKey(op.getScore())),
      scoreMayBeHuge(usesHugeFloats(op.getScore())) {
  auto extent = [&](RegionArgument index) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                           op.getExtent(b, index));
  };
  headSize = op.getShapeBHLD(op.getQuery(), op.getQueryLayout())[3];
  valueSize = op.getShapeBHLD(op.getValue(), op.getValueLayout())[3];
  batch = extent(RegionArgument::B);
  queryHeads = extent(RegionArgument::H);
  queryRows = extent(RegionArgument::I);
  keyHeads = extent(RegionArgument::G);
  keyRows = extent(RegionArgument::J);
  // No head at all must not be a division by zero.
  headGroup = b.max(b.div(queryHeads, b.max(keyHeads, b.index(1))), b.index(1));
  bool natural = !op.getScore().empty() && !scoreIsAdditive;
  queryFactor = natural ? op.getScale()
                        : b.fmul(op.getScale(), b.f32(llvm::numbers::log2ef));
}

Value AttentionKernel::emitHead(Value operand, Layout layout, Value batch,
                                Value head) {
  auto type = cast<MemRefType>(operand.getType());
  int64_t headAxis = AttentionOp::getAxis(layout, 1);
  int64_t rowAxis = AttentionOp::getAxis(layout, 2);
  SmallVector<OpFoldResult> offsets(4, b.getIndexAttr(0)), sizes;
  SmallVector<OpFoldResult> strides(4, b.getIndexAttr(1));
  sizes = memref::getMixedSizes(b, b.getLoc(), operand);
  offsets[0] = batch;
  offsets[headAxis] = head;
  sizes[0] = sizes[headAxis] = b.getIndexAttr(1);
  MemRefType view = memref::SubViewOp::inferRankReducedResultType(
      {type.getDimSize(rowAxis), type.getDimSize(3)}, type, offsets, sizes,
      strides);
  return memref::SubViewOp::create(b, view, operand, offsets, sizes, strides);
}

SmallVector<Value> AttentionKernel::emitUniform(Region &region,
                                                ValueRange arguments) {
  Lanes scalars(b.getLoc(), /*width=*/1, {b});
  SmallVector<LaneValue> uniform = llvm::map_to_vector(
      arguments, [](Value argument) { return LaneValue{argument}; });
  return llvm::map_to_vector(interpret<Lanes>(region, uniform, scalars),
                             [](const LaneValue &value) { return value.base; });
}

KeyRange AttentionKernel::emitBounds(const QueryRows &rows) {
  Value zero = b.index(0);
  if (!hasMask())
    return {zero, zero, keyRows, keyRows};
  if (op.getBounds().empty())
    return {zero, zero, zero, keyRows};
  SmallVector<Value> bounds = emitUniform(
      op.getBounds(), {rows.batch, rows.head, rows.begin, rows.end});
  KeyRange range;
  range.low = b.clamp(bounds[0], zero, keyRows);
  range.high = b.clamp(bounds[3], range.low, keyRows);
  range.fullLow = b.clamp(bounds[1], range.low, range.high);
  range.fullHigh = b.clamp(bounds[2], range.fullLow, range.high);
  return range;
}

bool AttentionKernel::readsPerElement() {
  auto reads = [](Region &region) {
    return region.walk([](memref::LoadOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  };
  return reads(op.getScore()) || reads(op.getMask());
}

Value AttentionKernel::emitWithinBase2(Value natural) {
  // Below the largest f32 / log2 e, with room for the product that joins it.
  constexpr float bound = 2.35e38f;
  Value low = b.constantLike(natural, -bound);
  Value high = b.constantLike(natural, bound);
  // Not a number stays so.
  Value within = b.fmax(low, natural);
  within = b.select(
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, within, high), high,
      within);
  Value infinite = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OEQ, math::AbsFOp::create(b, natural),
      b.constantLike(natural, std::numeric_limits<float>::infinity()));
  return b.select(infinite, natural, within);
}

/// The indices `at` with the bounds that static shapes give them.
SmallVector<LaneValue> AttentionKernel::boundByShapes(ArrayRef<LaneValue> at) {
  SmallVector<int64_t> extents =
      op.getShapeBHLD(op.getQuery(), op.getQueryLayout());
  extents[3] = op.getBlockTable()
                   ? ShapedType::kDynamic
                   : op.getShapeBHLD(op.getKey(), op.getKeyLayout())[2];
  SmallVector<LaneValue> bounded(at);
  for (auto [index, extent] : llvm::zip_equal(bounded, extents))
    if (!ShapedType::isDynamic(extent))
      index.magnitude = extent;
  return bounded;
}

Value AttentionKernel::emitScore(Lanes &lanes, Value x, unsigned level,
                                 ArrayRef<LaneValue> indices, bool masked) {
  SmallVector<LaneValue> at = boundByShapes(indices);
  int64_t width = cast<VectorType>(x.getType()).getDimSize(0);
  if (!op.getScore().empty()) {
    // Of `x + g` only g is asked for: x is -0, whose sum with g is g.
    SmallVector<LaneValue> arguments = {
        scoreIsAdditive ? LaneValue{b.f32(-0.0f), 0, {}, level}
                        : LaneValue{{}, 0, x, level}};
    llvm::append_range(arguments, at);
    Value natural = lanes.asVector(
        interpret<Lanes>(op.getScore(), arguments, lanes).front());
    if (scoreMayBeHuge)
      natural = emitWithinBase2(natural);
    Value log2e = b.splat(width, llvm::numbers::log2ef);
    x = scoreIsAdditive ? b.fma(natural, log2e, x) : b.fmul(natural, log2e);
  }
  if (!masked || !hasMask())
    return x;
  LaneValue visible = interpret<Lanes>(op.getMask(), at, lanes).front();
  return arith::SelectOp::create(
      b, lanes.asVector(visible), x,
      b.splat(width, -std::numeric_limits<float>::infinity()));
}

Value AttentionKernel::emitSink(Value head) {
  if (!op.getSinks())
    return {};
  return b.fmul(b.load(op.getSinks(), head), b.f32(llvm::numbers::log2ef));
}

/// Whether any of `rows` sees any of the keys `[start, start + count)`, and
/// whether all see all, as far as the mask tells.
SmallVector<Value> AttentionKernel::emitTiles(ArrayRef<QueryRows> rows,
                                              Value start, Value count,
                                              int64_t size) {
  // Intervals of more keys say little.
  constexpr int64_t askedKeys = 64;
  Value end = b.add(start, count);
  auto ask = [&](Value first, Value last) {
    Value any, all;
    for (const QueryRows &one : rows) {
      SmallVector<Value> said = emitUniform(
          op.getTile(), {one.batch, one.head, one.begin, one.end, first, last});
      any = any ? b.createOrFold<arith::OrIOp>(any, said[0]) : said[0];
      all = all ? b.createOrFold<arith::AndIOp>(all, said[1]) : said[1];
    }
    return SmallVector<Value>{any, all};
  };
  if (size <= askedKeys)
    return ask(start, end);
  return b.loop(start, end, askedKeys,
                ValueRange{b.boolean(false), b.boolean(true)},
                [&](Value first, ValueRange before) -> SmallVector<Value> {
                  Value last = b.min(b.add(first, askedKeys), end);
                  SmallVector<Value> said = ask(first, last);
                  return {b.createOrFold<arith::OrIOp>(before[0], said[0]),
                          b.createOrFold<arith::AndIOp>(before[1], said[1])};
                });
}

void AttentionKernel::emitKeyBlocks(
    const KeyRange &range, int64_t size, ArrayRef<QueryRows> rows,
    function_ref<void(Value, Value, bool)> body) {
  Value left = b.ceilDiv(b.sub(range.fullLow, range.low), size);
  Value full = b.div(b.sub(range.fullHigh, range.fullLow), size);
  Value fullEnd = b.add(range.fullLow, b.mul(full, size));
  Value right = b.ceilDiv(b.sub(range.high, fullEnd), size);
  Value leftAndFull = b.add(left, full);
  b.loop(b.index(0), b.add(leftAndFull, right), 1, [&](Value block) {
    Value isLeft = b.compare(arith::CmpIPredicate::slt, block, left);
    Value start =
        b.select(isLeft, b.add(range.low, b.mul(block, size)),
                 b.add(range.fullLow, b.mul(b.sub(block, left), size)));
    Value end = b.select(isLeft, range.fullLow, range.high);
    Value count = b.min(b.index(size), b.sub(end, start));
    Value isFull = b.createOrFold<arith::AndIOp>(
        b.compare(arith::CmpIPredicate::sge, block, left),
        b.compare(arith::CmpIPredicate::slt, block, leftAndFull));
    auto emitBlock = [&](Value isFull) {
      b.ifElse(
          isFull, [&] { body(start, b.index(size), /*full=*/true); },
          [&] { body(start, count, /*full=*/false); });
    };
    if (op.getTile().empty()) {
      emitBlock(isFull);
      return;
    }
    // What the mask says of the block: whether any element is visible, or all.
    SmallVector<Value> anyAll =
        scf::IfOp::create(
            b, isFull,
            [&](OpBuilder &, Location) {
              scf::YieldOp::create(
                  b, ValueRange{b.boolean(true), b.boolean(true)});
            },
            [&](OpBuilder &, Location) {
              scf::YieldOp::create(b, emitTiles(rows, start, count, size));
            })
            .getResults();
    b.ifElse(anyAll[0], [&] {
      Value whole = b.compare(arith::CmpIPredicate::eq, count, b.index(size));
      emitBlock(b.createOrFold<arith::AndIOp>(anyAll[1], whole));
    });
  });
}

void AttentionKernel::emitMeanOfValues(Value values, Value mean) {
  constexpr int64_t block = 64;
  Value zero = b.index(0);
  Value keys = b.max(keyRows, b.index(1));
  Value count = arith::SIToFPOp::create(
      b, b.getF32Type(), arith::IndexCastOp::create(b, b.getI32Type(), keys));
  for (std::pair<int64_t, int64_t> piece : chunks(valueSize, 16)) {
    int64_t offset = piece.first, width = piece.second;
    Value lane = b.index(offset), none = b.splat(width, 0.0f);
    // Two levels: the sum of a block, then the total.
    Value total =
        b.loop(zero, keyRows, block, none,
               [&](Value start, ValueRange totals) -> SmallVector<Value> {
                 Value end = b.min(b.add(start, block), keyRows);
                 Value sum =
                     b.loop(start, end, 1, none,
                            [&](Value key,
                                ValueRange sums) -> SmallVector<Value> {
                              Value row =
                                  b.loadVector(width, values, {key, lane});
                              return {b.fadd(sums.front(), emitToF32(b, row))};
                            })
                         .front();
                 return {b.fadd(totals.front(), sum)};
               })
            .front();
    b.storeVector(b.fdiv(total, b.broadcast(width, count)), mean, {zero, lane});
  }
}
