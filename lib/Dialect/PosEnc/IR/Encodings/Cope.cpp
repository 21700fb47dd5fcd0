//===- Cope.cpp - Positions counted by gates ------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ContentTerms.h"
#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "posenc/Dialect/PosEnc/IR/Tabulate.h"

using namespace mlir;
using namespace mlir::posenc;

/// Keys whose gates are summed before those of the keys behind them, so that a
/// position takes a sum over keys and one over blocks of keys.
static constexpr int64_t kBlock = 64;

LogicalResult CopeOp::verify() {
  RankedTensorType type = getType();
  ContentTerm query = {getQuery(), /*ofKeys=*/false, getTable()};
  ContentTerm key = {getKey(), /*ofKeys=*/true, getTable()};
  if (failed(verifyTokens(*this, "query", query, type)) ||
      failed(verifyTokens(*this, "key", key, type))) // C1
    return failure();
  for (const ContentTerm &term : {query, key})
    if (failed(verifyTable(*this, "table", term, type,
                           /*staticRows=*/true))) // C2
      return failure();
  if (!getMask())
    return success();
  auto mask = cast<RankedTensorType>(getMask().getType());
  for (auto [extent, size] :
       llvm::zip_equal(mask.getShape(), type.getShape())) // C3
    if (extent != 1 && !extentsMayAgree(extent, size))
      return emitOpError() << "'mask' is " << mask << " for a result " << type
                           << "; each of its extents must be 1 or the result's";
  return success();
}

LogicalResult CopeOp::reifyResultShapes(OpBuilder &b,
                                        ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, getLoc(), getQuery());
  sizes[3] = tensor::getMixedSize(b, getLoc(), getKey(), 2);
  // What the result type knows, the operands need not.
  for (auto [size, extent] : llvm::zip_equal(sizes, getType().getShape()))
    if (!ShapedType::isDynamic(extent))
      size = b.getIndexAttr(extent);
  shapes.push_back(std::move(sizes));
  return success();
}

/// The f32 tensor of `sizes` and the formula of its elements.
static Value tabulateF32(OpBuilder &b, Location loc,
                         ArrayRef<OpFoldResult> sizes, EmitElementAt emit) {
  auto type =
      RankedTensorType::get(decomposeMixedValues(sizes).first, b.getF32Type());
  return tabulate(b, loc, type, sizes, emit);
}

/// The sum of `tensor[.., first]` up to `tensor[.., end - 1]`.
static Value emitSum(OpBuilder &b, Location loc, Value tensor, ValueRange at,
                     Value first, Value end) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  return scf::ForOp::create(
             b, loc, first, end, one, createF32(b, loc, 0),
             [&](OpBuilder &b, Location loc, Value last, ValueRange sum) {
               Value x = tensor::ExtractOp::create(
                   b, loc, tensor, ValueRange{at[0], at[1], at[2], last});
               scf::YieldOp::create(
                   b, loc,
                   arith::AddFOp::create(b, loc, sum[0], x).getResult());
             })
      .getResult(0);
}

/// gate[b, h, i, j].
static Value createGates(CopeOp op, OpBuilder &b, Location loc,
                         ArrayRef<OpFoldResult> sizes) {
  Value keys = repeatHeads(b, loc, op.getKey(), sizes[1]);
  Value scores = multiplyRows(b, loc, op.getQuery(), keys);
  return tabulateF32(
      b, loc, sizes, [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        Value score = tensor::ExtractOp::create(b, loc, scores, at);
        Value x = arith::MulFOp::create(b, loc, score, op.getScale());
        Value one = createF32(b, loc, 1);
        Value e = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
        Value gate = arith::DivFOp::create(
            b, loc, one, arith::AddFOp::create(b, loc, one, e));
        if (!op.getMask())
          return gate;
        SmallVector<Value> seenAt(at);
        for (auto [index, extent] : llvm::zip_equal(
                 seenAt,
                 cast<RankedTensorType>(op.getMask().getType()).getShape()))
          if (extent == 1)
            index = arith::ConstantIndexOp::create(b, loc, 0);
        Value seen = tensor::ExtractOp::create(b, loc, op.getMask(), seenAt);
        return arith::SelectOp::create(b, loc, seen, gate,
                                       createF32(b, loc, 0));
      });
}

/// sum over l >= j of gate[b, h, i, l].
static Value createPositions(OpBuilder &b, Location loc, Value gates,
                             ArrayRef<OpFoldResult> sizes) {
  Value block = arith::ConstantIndexOp::create(b, loc, kBlock);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value numKeys = getValueOrCreateConstantIndexOp(b, loc, sizes[3]);
  Value numBlocks = b.createOrFold<arith::CeilDivUIOp>(loc, numKeys, block);
  SmallVector<OpFoldResult> blockSizes(sizes);
  blockSizes[3] = getAsOpFoldResult(numBlocks);
  auto emitEnd = [&](OpBuilder &b, Location loc, Value number) -> Value {
    Value next = arith::AddIOp::create(b, loc, number, one);
    return arith::MinSIOp::create(
        b, loc, arith::MulIOp::create(b, loc, next, block), numKeys);
  };
  Value blocks = tabulateF32(
      b, loc, blockSizes, [&](OpBuilder &b, Location loc, ValueRange at) {
        Value first = arith::MulIOp::create(b, loc, at[3], block);
        return emitSum(b, loc, gates, at, first, emitEnd(b, loc, at[3]));
      });
  return tabulateF32(
      b, loc, sizes, [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        Value number = arith::DivUIOp::create(b, loc, at[3], block);
        Value near = emitSum(b, loc, gates, at, at[3], emitEnd(b, loc, number));
        Value next = arith::AddIOp::create(b, loc, number, one);
        Value far = emitSum(b, loc, blocks, at, next, numBlocks);
        return arith::AddFOp::create(b, loc, near, far);
      });
}

/// The product of the query at row `position` of the table, between two rows.
static Value emitBetweenRows(OpBuilder &b, Location loc, Value product,
                             ValueRange at, Value position, int64_t rows) {
  // Of two numbers the one that is one: rows must be in range, whatever gates
  // are.
  Value p = arith::MaxNumFOp::create(b, loc, position, createF32(b, loc, 0));
  p = arith::MinNumFOp::create(b, loc, p, createF32(b, loc, rows - 1));
  Value below = math::FloorOp::create(b, loc, p);
  auto read = [&](Value row) -> Value {
    Value integer = arith::FPToSIOp::create(b, loc, b.getI32Type(), row);
    return tensor::ExtractOp::create(
        b, loc, product,
        ValueRange{at[0], at[1], at[2], castToIndex(b, loc, integer)});
  };
  Value low = read(below), high = read(math::CeilOp::create(b, loc, p));
  Value weight = arith::SubFOp::create(b, loc, p, below);
  Value step = arith::SubFOp::create(b, loc, high, low);
  return arith::AddFOp::create(b, loc, low,
                               arith::MulFOp::create(b, loc, weight, step));
}

FailureOr<SmallVector<Value>> CopeOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(b, shapes)))
    return failure();
  ArrayRef<OpFoldResult> sizes = shapes.front();
  Value gates = createGates(*this, b, loc, sizes);
  Value positions = createPositions(b, loc, gates, sizes);
  Value product = multiplyRows(b, loc, getQuery(), getTable());
  int64_t rows = getTable().getType().getShape().take_back(2).front();
  return SmallVector<Value>{tabulate(
      b, loc, getType(), sizes, [&](OpBuilder &b, Location loc, ValueRange at) {
        Value position = tensor::ExtractOp::create(b, loc, positions, at);
        return emitBetweenRows(b, loc, product, at, position, rows);
      })};
}
