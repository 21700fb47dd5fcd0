//===- ShapeUtils.cpp - Sizes of results, positions of rows ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

LogicalResult posenc::verifySizes(Operation *op, ValueRange sizes,
                                  ShapedType type) {
  int64_t expected = type.getNumDynamicDims();
  if (static_cast<int64_t>(sizes.size()) == expected)
    return success();
  return op->emitOpError() << "has " << sizes.size() << " 'sizes' but " << type
                           << " has " << expected
                           << " dynamic dimensions; give one size for each, "
                              "in order";
}

SmallVector<OpFoldResult> posenc::getMixedSizes(OpBuilder &b, ValueRange sizes,
                                                ShapedType type) {
  return getMixedValues(type.getShape(), sizes, b);
}

bool posenc::extentsMayAgree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

bool posenc::positionsFit(RankedTensorType positions, int64_t batch,
                          int64_t rows) {
  ArrayRef<int64_t> shape = positions.getShape().take_back(2);
  bool batchFits = shape.size() == 1 || shape.front() == 1 ||
                   extentsMayAgree(shape.front(), batch);
  return batchFits && extentsMayAgree(positions.getShape().back(), rows);
}

LogicalResult posenc::verifySharedByBatch(Operation *op,
                                          RankedTensorType bias) {
  if (bias.getDimSize(0) == 1)
    return success();
  return op->emitOpError() << "result is " << bias
                           << "; the bias is the same for every batch, so it "
                              "must be [1, Hq, Lq, Lk]";
}

LogicalResult posenc::verifyPerHead(Operation *op, Value values, StringRef name,
                                    RankedTensorType bias) {
  int64_t given = cast<RankedTensorType>(values.getType()).getDimSize(0);
  int64_t heads = bias.getDimSize(1);
  if (extentsMayAgree(given, heads))
    return success();
  return op->emitOpError() << "has " << given << " '" << name << "' for "
                           << heads
                           << " heads; they belong to query heads, one each";
}

LogicalResult posenc::verifyWindow(Operation *op, ArrayRef<int64_t> window) {
  constexpr int64_t kMostPlaces = 65536;
  bool fits = window.size() == 2 && llvm::all_of(window, [](int64_t size) {
                return 0 < size && size <= kMostPlaces;
              });
  if (fits && window[0] * window[1] <= kMostPlaces)
    return success();
  return op->emitOpError() << "'window' is [" << window
                           << "]; it must be [Wh, Ww], both positive, with at "
                              "most "
                           << kMostPlaces << " places";
}

int64_t posenc::countWindowDistances(ArrayRef<int64_t> window) {
  return (2 * window[0] - 1) * (2 * window[1] - 1);
}

LogicalResult posenc::verifyPositions(Operation *op, Value positions,
                                      Value offset, RankedTensorType result) {
  if (!positions)
    return success();
  if (offset)
    return op->emitOpError("'offset' numbers the rows only where 'positions' "
                           "do not; drop one");
  auto type = cast<RankedTensorType>(positions.getType());
  int64_t length = result.getShape().take_back(2).front();
  if (type.getRank() < result.getRank() &&
      positionsFit(type, result.getDimSize(0), length))
    return success();
  return op->emitOpError() << "'positions' is " << type << " for a result "
                           << result
                           << "; it must be [L], or with a batch [B or 1, L]";
}

Value posenc::createF32(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(static_cast<float>(value)));
}

Value posenc::castToF32(OpBuilder &b, Location loc, Value value) {
  Type f32 = b.getF32Type();
  if (value.getType() == f32)
    return value;
  if (isa<FloatType>(value.getType()))
    return arith::ExtFOp::create(b, loc, f32, value);
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI32Type(), value);
  return arith::SIToFPOp::create(b, loc, f32, value);
}

Value posenc::castFromF32(OpBuilder &b, Location loc, Value value,
                          Type storage) {
  if (storage.isF32())
    return value;
  return arith::TruncFOp::create(b, loc, storage, value);
}

Value posenc::castToIndex(OpBuilder &b, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

Value posenc::addOptional(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return rhs ? arith::AddIOp::create(b, loc, lhs, rhs).getResult() : lhs;
}

Value posenc::emitRelativePosition(OpBuilder &b, Location loc, ValueRange at,
                                   Value offset) {
  Value row = addOptional(b, loc, at[2], offset);
  return arith::SubIOp::create(b, loc, at[3], row);
}

Value posenc::emitPosition(OpBuilder &b, Location loc, Value positions,
                           Value offset, Value batch, Value row) {
  if (!positions)
    return addOptional(b, loc, row, offset);
  auto type = cast<RankedTensorType>(positions.getType());
  if (type.getRank() == 1)
    return tensor::ExtractOp::create(b, loc, positions, row);
  if (type.getDimSize(0) == 1)
    batch = arith::ConstantIndexOp::create(b, loc, 0);
  return tensor::ExtractOp::create(b, loc, positions, ValueRange{batch, row});
}

Value posenc::clampToExtent(OpBuilder &b, Location loc, Value index,
                            Value tensor, int64_t dim) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  OpFoldResult extent = tensor::getMixedSize(b, loc, tensor, dim);
  Value last;
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    last = constant(*known - 1);
  else
    last = arith::SubIOp::create(b, loc, cast<Value>(extent), constant(1));
  index = arith::MinSIOp::create(b, loc, index, last);
  return arith::MaxSIOp::create(b, loc, index, constant(0));
}

void posenc::appendRangeConditions(
    OpBuilder &b, Location loc, OpFoldResult first, OpFoldResult length,
    Value table, StringRef what, StringRef remedy,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  auto value = [&](OpFoldResult extent) {
    return getValueOrCreateConstantIndexOp(b, loc, extent);
  };
  Value start = value(first);
  Value notBefore = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sge, start, value(b.getIndexAttr(0)));
  conditions.emplace_back(
      notBefore,
      (what + " start before the first row of their table; " + remedy).str());
  Value end = b.createOrFold<arith::AddIOp>(loc, start, value(length));
  Value rows = value(tensor::getMixedSize(b, loc, table, 0));
  Value notAfter =
      b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, end, rows);
  conditions.emplace_back(
      notAfter,
      (what + " end after the last row of their table; " + remedy).str());
}

void posenc::appendRowExists(
    OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Value table,
    StringRef what,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  OpFoldResult extent = tensor::getMixedSize(b, loc, table, 0);
  if (getConstantIntValue(extent).value_or(0) > 0)
    return;
  // No size of zero: at least one element, so at least one row.
  Value needed = arith::ConstantIndexOp::create(b, loc, 1);
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (known == 0)
      return;
    if (!known)
      needed = b.createOrFold<arith::MinSIOp>(loc, cast<Value>(size), needed);
  }
  Value exists = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::sle, needed,
      getValueOrCreateConstantIndexOp(b, loc, extent));
  conditions.emplace_back(
      exists, (what + " has no row to read; give it at least one").str());
}

template <typename Number>
static Value readTable(OpBuilder &b, Location loc, Type element,
                       ArrayRef<Number> numbers, Value index) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(numbers.size())}, element);
  Value table =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, numbers));
  return tensor::ExtractOp::create(b, loc, table, index);
}

Value posenc::readTable(OpBuilder &b, Location loc, ArrayRef<float> numbers,
                        Value index) {
  return ::readTable(b, loc, b.getF32Type(), numbers, index);
}

Value posenc::readTable(OpBuilder &b, Location loc, ArrayRef<int32_t> numbers,
                        Value index) {
  return ::readTable(b, loc, b.getI32Type(), numbers, index);
}

Value posenc::readTable(OpBuilder &b, Location loc, ArrayRef<double> numbers,
                        Value index) {
  return ::readTable(b, loc, b.getF64Type(), numbers, index);
}
