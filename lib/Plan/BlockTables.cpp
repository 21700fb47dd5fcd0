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

/// The only index that is no point; none if there are more.
static std::optional<int64_t> findRange(ArrayRef<Interval> indices) {
  std::optional<int64_t> range;
  for (auto [number, index] : llvm::enumerate(indices)) {
    if (index.isPoint())
      continue;
    if (range)
      return std::nullopt;
    range = number;
  }
  return range;
}

Interval BlockTables::read(OpBuilder &b, Operation *read,
                           ArrayRef<Interval> indices, Value &valid) {
  auto extract = dyn_cast<tensor::ExtractOp>(read);
  std::optional<int64_t> dimension = findRange(indices);
  if (!extract || !dimension || !extract.getType().isIntOrIndex())
    return {};
  Location loc = read->getLoc();
  auto [leasts, greatests] = getTable(extract.getTensor(), *dimension);

  // An interval may be wider than what its index takes, so it is cut to the
  // tensor.
  Value extent = tensor::DimOp::create(b, loc, extract.getTensor(), *dimension);
  Value last = arith::SubIOp::create(b, loc, extent, constant(b, loc, 1));
  auto getBlock = [&](Value index) -> Value {
    Value inside = arith::MaxSIOp::create(
        b, loc, arith::MinSIOp::create(b, loc, index, last),
        constant(b, loc, 0));
    return arith::DivSIOp::create(b, loc, inside, constant(b, loc, kBlock));
  };
  Value first = getBlock(indices[*dimension].getLow());
  Value second = getBlock(indices[*dimension].getHigh());
  auto readTable = [&](Value table, Value block) -> Value {
    SmallVector<Value> at;
    for (Interval index : indices)
      at.push_back(index.getLow());
    at[*dimension] = block;
    return tensor::ExtractOp::create(b, loc, table, at);
  };
  valid = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::sle, second,
      arith::AddIOp::create(b, loc, first, constant(b, loc, 1)));
  return {
      emitLeast(b, loc, readTable(leasts, first), readTable(leasts, second)),
      emitGreatest(b, loc, readTable(greatests, first),
                   readTable(greatests, second))};
}
