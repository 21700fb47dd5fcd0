//===- BlockTables.cpp - Least and greatest elements by block -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockTables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/FormulaOps.h"
#include "posenc/Formula/Recording.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::posenc;

static Value constant(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// The greatest or the least number of a type of integers or conditions, from
/// which a search for the least or the greatest element starts.
static Value emitLimit(OpBuilder &b, Location loc, Type type, bool greatest) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  APInt limit = width == 1 ? APInt(1, greatest)
                : greatest ? APInt::getSignedMaxValue(width)
                           : APInt::getSignedMinValue(width);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, limit));
}

/// Yields the least and the greatest element of the block at the current
/// iteration; `dimension` of the iteration space counts blocks. A tensor
/// without elements has one block, of none.
static void emitBlock(OpBuilder &b, Location loc, Value tensor,
                      int64_t dimension, Value extent) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> at;
  for (int64_t d = 0; d < type.getRank(); ++d)
    at.push_back(linalg::IndexOp::create(b, loc, d));
  Value block = constant(b, loc, BlockTables::kBlock);
  Value first = arith::MulIOp::create(b, loc, at[dimension], block);
  Value end = arith::MinSIOp::create(
      b, loc, arith::AddIOp::create(b, loc, first, block), extent);
  Value greatest = emitLimit(b, loc, type.getElementType(), true);
  Value least = emitLimit(b, loc, type.getElementType(), false);
  auto loop = scf::ForOp::create(
      b, loc, first, end, constant(b, loc, 1), ValueRange{greatest, least},
      [&](OpBuilder &b, Location loc, Value element, ValueRange carried) {
        at[dimension] = element;
        Value next = tensor::ExtractOp::create(b, loc, tensor, at);
        scf::YieldOp::create(
            b, loc,
            ValueRange{emitLeast(b, loc, carried[0], next),
                       emitGreatest(b, loc, carried[1], next)});
      });
  linalg::YieldOp::create(b, loc, loop.getResults());
}

BlockTables::Table BlockTables::getTable(Value tensor, int64_t dimension) {
  auto [it, isNew] = tables.try_emplace({tensor, dimension});
  if (!isNew)
    return it->second;
  OpBuilder b(tensor.getContext());
  b.setInsertionPointAfterValue(tensor);
  Location loc = tensor.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  Value extent = tensor::DimOp::create(b, loc, tensor, dimension);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  // A mask reads a block even where there is no element.
  if (type.isDynamicDim(dimension))
    sizes[dimension] = Value(arith::MaxSIOp::create(
        b, loc, constant(b, loc, 1),
        arith::CeilDivSIOp::create(b, loc, extent, constant(b, loc, kBlock))));
  else
    sizes[dimension] = b.getIndexAttr(std::max<int64_t>(
        1, llvm::divideCeil(type.getDimSize(dimension), kBlock)));
  Value init = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto table = linalg::GenericOp::create(
      b, loc, TypeRange{init.getType(), init.getType()},
      /*inputs=*/ValueRange(), /*outputs=*/ValueRange{init, init}, maps,
      iterators, [&](OpBuilder &b, Location loc, ValueRange) {
        emitBlock(b, loc, tensor, dimension, extent);
      });
  it->second = {table.getResult(0), table.getResult(1)};
  return it->second;
}

namespace {
/// A domain of the region interpreter: how many consecutive rows, or keys,
/// share a value, at least, where it comes from them by divisions by constants;
/// 1 for what follows every row, `kUniform` for what follows none.
struct StrideDomain {
  using Value = int64_t;
  static constexpr int64_t kUniform = std::numeric_limits<int64_t>::max();

  int64_t capture(mlir::Value) { return kUniform; }
  int64_t index(int64_t) { return kUniform; }

  SmallVector<int64_t> apply(Operation *op, ArrayRef<int64_t> operands) {
    int64_t least = kUniform;
    for (int64_t operand : operands)
      least = std::min(least, operand);
    auto varies = [](int64_t stride) { return stride != kUniform; };
    bool hasOne = llvm::count_if(operands, varies) == 1;
    APInt divisor;
    if (isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op) &&
        hasOne && varies(operands[0]) &&
        matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
        divisor.isStrictlyPositive() && divisor.isSignedIntN(32))
      least = llvm::SaturatingMultiply<uint64_t>(least, divisor.getSExtValue());
    else if (least != kUniform && !isCastOfPositions(op) &&
             !isa<arith::MinSIOp, arith::MaxSIOp>(op) &&
             !(isa<arith::AddIOp, arith::SubIOp>(op) && hasOne))
      least = 1;
    return SmallVector<int64_t>(op->getNumResults(), least);
  }
};

/// Emits the elements that bound a read: those at every choice of an index for
/// each dimension.
struct Choices {
  OpBuilder &b;
  Location loc;
  SmallVector<SmallVector<Value>> indices;
  Value valid;

  /// The indices from `first` to `last`, `count` at most.
  void addRange(Value first, Value last, int64_t count) {
    SmallVector<Value> range;
    for (int64_t n = 0; n < count; ++n) {
      Value next = arith::AddIOp::create(b, loc, first, constant(b, loc, n));
      range.push_back(arith::MinSIOp::create(b, loc, next, last));
    }
    Value holds = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sle, last,
        arith::AddIOp::create(b, loc, first, constant(b, loc, count - 1)));
    valid = valid ? arith::AndIOp::create(b, loc, valid, holds) : holds;
    indices.push_back(std::move(range));
  }

  /// The elements of `table` at all choices.
  SmallVector<Value> read(Value table) const {
    SmallVector<SmallVector<Value>> places = {{}};
    for (const SmallVector<Value> &dimension : indices) {
      SmallVector<SmallVector<Value>> longer;
      for (const SmallVector<Value> &place : places)
        for (Value index : dimension) {
          longer.push_back(place);
          longer.back().push_back(index);
        }
      places = std::move(longer);
    }
    return llvm::map_to_vector(places, [&](const SmallVector<Value> &place) {
      return tensor::ExtractOp::create(b, loc, table, place).getResult();
    });
  }
};
} // namespace

/// How many values the index `value` of `read` takes, at most, while rows or
/// keys run over a block; none if those are too many to read.
static std::optional<int64_t> getFewValues(Operation *read, Value value) {
  Block *mask = read->getBlock();
  if (!isa<AttentionOp>(mask->getParentOp()) || value.getParentBlock() != mask)
    return std::nullopt;
  Recording<StrideDomain> strides;
  strides.run(*mask, {StrideDomain::kUniform, StrideDomain::kUniform, 1, 1});
  constexpr int64_t least = 16;
  int64_t stride = strides.find(value).value_or(1);
  if (stride < least)
    return std::nullopt;
  return (BlockTables::kBlock - 2) / stride + 2;
}

namespace {
/// How the elements that a read may meet are got.
struct ReadPlan {
  /// How many indices are tried, a dimension each.
  SmallVector<int64_t> counts;
  /// The dimension whose index runs over a block, so that it needs a table.
  std::optional<int64_t> tabled;
};
} // namespace

/// One index may run over a block of rows or keys; others must take few values
/// there, which are read one by one. Nothing where that is not so.
static std::optional<ReadPlan> planRead(tensor::ExtractOp read,
                                        ArrayRef<Interval> indices) {
  constexpr unsigned mostRanges = 2;
  ReadPlan plan{SmallVector<int64_t>(indices.size(), 1), std::nullopt};
  unsigned numRanges = 0;
  for (auto [dimension, index] : llvm::enumerate(indices)) {
    if (index.isPoint())
      continue;
    if (++numRanges > mostRanges)
      return std::nullopt;
    std::optional<int64_t> few =
        getFewValues(read, read.getIndices()[dimension]);
    if (!few && plan.tabled)
      return std::nullopt;
    if (!few)
      plan.tabled = dimension;
    plan.counts[dimension] = few.value_or(2);
  }
  return plan;
}

Interval BlockTables::read(OpBuilder &b, Operation *read,
                           ArrayRef<Interval> indices, Value &valid) {
  auto extract = dyn_cast<tensor::ExtractOp>(read);
  if (!extract || !extract.getType().isIntOrIndex())
    return {};
  std::optional<ReadPlan> plan = planRead(extract, indices);
  if (!plan)
    return {};
  Location loc = read->getLoc();
  Value tensor = extract.getTensor();
  auto [leasts, greatests] =
      plan->tabled ? getTable(tensor, *plan->tabled) : Table(tensor, tensor);
  Choices choices{b, loc, {}, {}};
  for (size_t dimension = 0; dimension < indices.size(); ++dimension) {
    Interval index = indices[dimension];
    if (index.isPoint()) {
      choices.indices.push_back({index.getLow()});
      continue;
    }
    // An interval may be wider than what its index takes, so it is cut to the
    // tensor.
    Value last = arith::SubIOp::create(
        b, loc, tensor::DimOp::create(b, loc, tensor, dimension),
        constant(b, loc, 1));
    auto inside = [&](Value end) -> Value {
      Value within = arith::MaxSIOp::create(
          b, loc, arith::MinSIOp::create(b, loc, end, last),
          constant(b, loc, 0));
      if (plan->tabled != static_cast<int64_t>(dimension))
        return within;
      return arith::DivSIOp::create(b, loc, within, constant(b, loc, kBlock));
    };
    choices.addRange(inside(index.getLow()), inside(index.getHigh()),
                     plan->counts[dimension]);
  }
  valid = choices.valid;
  SmallVector<Value> lows = choices.read(leasts);
  SmallVector<Value> highs = plan->tabled ? choices.read(greatests) : lows;
  Value low = lows.front(), high = highs.front();
  for (auto [nextLow, nextHigh] : llvm::drop_begin(llvm::zip(lows, highs))) {
    low = emitLeast(b, loc, low, nextLow);
    high = emitGreatest(b, loc, high, nextHigh);
  }
  return {low, high};
}
