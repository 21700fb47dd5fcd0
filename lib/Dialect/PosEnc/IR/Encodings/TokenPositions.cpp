//===- TokenPositions.cpp - Positions that count real tokens --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

LogicalResult TokenPositionsOp::verify() {
  RankedTensorType type = getType(), mask = getMask().getType();
  int64_t length = type.getDimSize(1), tokens = mask.getDimSize(1);
  if (type.getDimSize(0) != mask.getDimSize(0)) // C1
    return emitOpError() << "result is " << type << " for a mask " << mask
                         << "; it must be [B, L] with the mask's B";
  if (getLength() && !ShapedType::isDynamic(length)) // C2
    return emitOpError() << "has a 'length', but " << type
                         << " has a static one; drop it";
  if (!getLength() && ShapedType::isDynamic(length) &&
      !ShapedType::isDynamic(tokens)) // C2
    return emitOpError() << "result is " << type << " for a mask of " << tokens
                         << " tokens; give its 'length'";
  if (!ShapedType::isDynamic(length) && !ShapedType::isDynamic(tokens) &&
      length > tokens) // C3
    return emitOpError() << "numbers the last " << length << " tokens of "
                         << tokens << "; number no more than there are";
  return success();
}

OpFoldResult TokenPositionsOp::getMixedLength(OpBuilder &b) {
  if (getLength())
    return getLength();
  int64_t length = getType().getDimSize(1);
  return ShapedType::isDynamic(length)
             ? tensor::getMixedSize(b, getLoc(), getMask(), 1)
             : OpFoldResult(b.getIndexAttr(length));
}

LogicalResult
TokenPositionsOp::reifyResultShapes(OpBuilder &b,
                                    ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      {tensor::getMixedSize(b, getLoc(), getMask(), 0), getMixedLength(b)});
  return success();
}

namespace {
/// Counts the real tokens of one batch entry.
struct Counter {
  TokenPositionsOp op;
  Value entry, zero, one;

  /// The number of real tokens up to `token`, of which there are `before`
  /// before it.
  Value step(OpBuilder &b, Location loc, Value token, Value before) {
    Value real = tensor::ExtractOp::create(b, loc, op.getMask(),
                                           ValueRange{entry, token});
    Value next = arith::AddIOp::create(b, loc, before, one);
    return arith::SelectOp::create(b, loc, real, next, before);
  }

  /// The number of real tokens before token `end`.
  Value countUpTo(OpBuilder &b, Location loc, Value end) {
    auto loop = scf::ForOp::create(
        b, loc, zero, end, one, zero,
        [&](OpBuilder &b, Location loc, Value token, ValueRange count) {
          scf::YieldOp::create(b, loc, step(b, loc, token, count.front()));
        });
    return loop.getResult(0);
  }

  /// `counts` with, for each of the entry's last `length` tokens, the number of
  /// real ones before it.
  Value count(OpBuilder &b, Location loc, Value counts, Value past,
              Value length) {
    Type element = op.getType().getElementType();
    auto loop = scf::ForOp::create(
        b, loc, zero, length, one, ValueRange{countUpTo(b, loc, past), counts},
        [&](OpBuilder &b, Location loc, Value row, ValueRange carried) {
          Value token = arith::AddIOp::create(b, loc, row, past);
          Value before =
              arith::IndexCastOp::create(b, loc, element, carried[0]);
          Value next = tensor::InsertOp::create(b, loc, before, carried[1],
                                                ValueRange{entry, row});
          scf::YieldOp::create(
              b, loc, ValueRange{step(b, loc, token, carried[0]), next});
        });
    return loop.getResult(1);
  }
};
} // namespace

/// The position of the token whose number among real ones is `count`.
static Value emitTokenPosition(OpBuilder &b, Location loc, TokenPositionsOp op,
                               ValueRange token, Value count) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value first = addOptional(
      b, loc, constant(static_cast<int64_t>(op.getFirst())), op.getOffset());
  Value position =
      arith::AddIOp::create(b, loc, first, castToIndex(b, loc, count));
  Value real = tensor::ExtractOp::create(b, loc, op.getMask(), token);
  position = arith::SelectOp::create(
      b, loc, real, position, constant(static_cast<int64_t>(op.getPadding())));
  return arith::IndexCastOp::create(b, loc, count.getType(), position);
}

FailureOr<SmallVector<Value>>
TokenPositionsOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  auto value = [&](OpFoldResult extent) {
    return getValueOrCreateConstantIndexOp(b, loc, extent);
  };
  SmallVector<OpFoldResult> sizes{tensor::getMixedSize(b, loc, getMask(), 0),
                                  getMixedLength(b)};
  Value zero = value(b.getIndexAttr(0)), one = value(b.getIndexAttr(1));
  Value rows = value(sizes[1]);
  Value past = b.createOrFold<arith::SubIOp>(
      loc, value(tensor::getMixedSize(b, loc, getMask(), 1)), rows);
  Value empty =
      tensor::EmptyOp::create(b, loc, sizes, getType().getElementType());
  auto loop = scf::ForOp::create(
      b, loc, zero, value(sizes[0]), one, empty,
      [&](OpBuilder &b, Location loc, Value entry, ValueRange counts) {
        Counter counter{*this, entry, zero, one};
        scf::YieldOp::create(b, loc,
                             counter.count(b, loc, counts.front(), past, rows));
      });
  // The counts are no operand, so that the result has the extents of `empty`:
  // those of a loop's result nobody can tell.
  auto positions = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange(), empty, b.getMultiDimIdentityMap(2),
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value entry = linalg::IndexOp::create(b, loc, 0);
        Value row = linalg::IndexOp::create(b, loc, 1);
        Value count = tensor::ExtractOp::create(b, loc, loop.getResult(0),
                                                ValueRange{entry, row});
        Value token = arith::AddIOp::create(b, loc, row, past);
        linalg::YieldOp::create(
            b, loc, emitTokenPosition(b, loc, *this, {entry, token}, count));
      });
  Value result = positions.getResult(0);
  if (result.getType() != getType())
    result = tensor::CastOp::create(b, loc, getType(), result);
  return SmallVector<Value>{result};
}

void TokenPositionsOp::emitRangeConditions(
    OpBuilder &b, Location loc,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  if (!getLength() && getType().isDynamicDim(1))
    return;
  auto value = [&](OpFoldResult extent) {
    return getValueOrCreateConstantIndexOp(b, loc, extent);
  };
  conditions.emplace_back(
      b.createOrFold<arith::CmpIOp>(
          loc, arith::CmpIPredicate::ule, value(getMixedLength(b)),
          value(tensor::getMixedSize(b, loc, getMask(), 1))),
      "more tokens are to be numbered than their mask has; number no more "
      "than there are");
}
