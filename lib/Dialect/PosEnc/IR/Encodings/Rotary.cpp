//===- Rotary.cpp - Rotary position embedding -----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

LogicalResult RotaryOp::verify() {
  bool caches = getCos() && getSin();
  if (static_cast<bool>(getCos()) != static_cast<bool>(getSin()) ||
      caches == static_cast<bool>(getFrequencies())) // C1
    return emitOpError("takes either 'frequencies' or both 'cos' and 'sin'");
  auto type = cast<RankedTensorType>(getInput().getType());
  int64_t headSize = type.getDimSize(3);
  LanesAttr lanes = getLanesAttr();
  if (ShapedType::isDynamic(headSize) ||
      lanes.getFirst() + lanes.getCount() > headSize) // C2
    return emitOpError() << "rotates lanes " << lanes.getFirst() << " to "
                         << lanes.getFirst() + lanes.getCount() - 1
                         << " of a head of size "
                         << (ShapedType::isDynamic(headSize)
                                 ? std::string("?")
                                 : std::to_string(headSize))
                         << "; the head size must be static and hold them";
  int64_t batch = type.getDimSize(0);
  int64_t rows = type.getDimSize(AttentionOp::getAxis(getLayout(), 2));
  if (caches) {
    auto cosType = cast<RankedTensorType>(getCos().getType());
    auto sinType = cast<RankedTensorType>(getSin().getType());
    bool widthFits = extentsMayAgree(cosType.getShape().back(),
                                     lanes.getNumPairs());
    bool rank3Fits =
        cosType.getRank() == 2 ||
        ((cosType.getDimSize(0) == 1 ||
          extentsMayAgree(cosType.getDimSize(0), batch)) &&
         extentsMayAgree(cosType.getDimSize(1), rows));
    if (cosType != sinType || !widthFits || !rank3Fits) // C3
      return emitOpError() << "caches are " << cosType << " and " << sinType
                           << " for an input " << type << "; they must be "
                           << "[rows, " << lanes.getNumPairs()
                           << "] or [batch or 1, length, "
                           << lanes.getNumPairs() << "], both alike";
  }
  bool directCaches =
      caches && cast<ShapedType>(getCos().getType()).getRank() == 3;
  if (Value positions = getPositions()) {
    auto positionType = cast<RankedTensorType>(positions.getType());
    bool batchFits = positionType.getRank() == 1 ||
                     positionType.getDimSize(0) == 1 ||
                     extentsMayAgree(positionType.getDimSize(0), batch);
    if (directCaches || !batchFits ||
        !extentsMayAgree(positionType.getShape().back(), rows)) // C4
      return emitOpError() << "'positions' is " << positionType
                           << " for an input " << type
                           << "; it must be [batch or 1, length] or [length], "
                              "and not come with caches of rank 3";
  }
  if (getOffset() && (getPositions() || directCaches)) // C5
    return emitOpError("'offset' numbers the rows only where neither "
                       "'positions' nor caches of rank 3 do; drop one");
  return success();
}

OpOperand &RotaryOp::getRotatedOperand() { return getInputMutable(); }

Layout RotaryOp::getRotatedLayout() { return getLayout(); }

/// Reads `cache` at the row (rank 3) or at the position of the row (rank 2).
static Value readCache(OpBuilder &b, Location loc, RotaryOp op, Value cache,
                       Value batch, Value row, Value pair) {
  auto type = cast<RankedTensorType>(cache.getType());
  SmallVector<Value> at;
  if (type.getRank() == 3) {
    if (type.getDimSize(0) == 1)
      batch = arith::ConstantIndexOp::create(b, loc, 0);
    at = {batch, row, pair};
  } else {
    Value position = emitPosition(b, loc, op.getPositions(), op.getOffset(),
                                  batch, row);
    at = {castToIndex(b, loc, position), pair};
  }
  return castToF32(b, loc, tensor::ExtractOp::create(b, loc, cache, at));
}

/// A constant table of f32 numbers read at `index`.
static Value readTable(OpBuilder &b, Location loc, ArrayRef<float> numbers,
                       Value index) {
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())},
                                    b.getF32Type());
  Value table = arith::ConstantOp::create(b, loc,
                                          DenseElementsAttr::get(type, numbers));
  return tensor::ExtractOp::create(b, loc, table, index);
}

/// Cosine and sine of the row's position times the frequency of `pair`.
static std::pair<Value, Value> emitAngle(OpBuilder &b, Location loc,
                                         RotaryOp op, Value batch, Value row,
                                         Value pair) {
  FrequenciesAttrInterface frequencies = op.getFrequenciesAttr();
  SmallVector<float> his, los;
  for (double radians :
       frequencies.getFrequencies(op.getLanesAttr().getCount())) {
    auto [hi, lo] = CosSinOp::splitTurns(radians);
    his.push_back(hi);
    los.push_back(lo);
  }
  Value position = castToF32(
      b, loc,
      emitPosition(b, loc, op.getPositions(), op.getOffset(), batch, row));
  auto angle = CosSinOp::create(b, loc, position, readTable(b, loc, his, pair),
                                readTable(b, loc, los, pair));
  Value cos = angle.getCos(), sin = angle.getSin();
  double factor = frequencies.getAttentionFactor();
  if (factor != 1.0) {
    Value f = arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(static_cast<float>(factor)));
    cos = arith::MulFOp::create(b, loc, cos, f);
    sin = arith::MulFOp::create(b, loc, sin, f);
  }
  return {cos, sin};
}

std::pair<Value, Value> RotaryOp::emitCosSin(OpBuilder &b, Location loc,
                                             ValueRange batchHeadRow,
                                             Value pair) {
  Value batch = batchHeadRow[0], row = batchHeadRow[2];
  std::pair<Value, Value> cosSin;
  if (getFrequencies())
    cosSin = emitAngle(b, loc, *this, batch, row, pair);
  else
    cosSin = {readCache(b, loc, *this, getCos(), batch, row, pair),
              readCache(b, loc, *this, getSin(), batch, row, pair)};
  if (getInverse())
    cosSin.second = arith::NegFOp::create(b, loc, cosSin.second);
  return cosSin;
}

Value RotaryOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  };
  LanesAttr lanes = getLanesAttr();
  // Where the lane stands: `relative` to the first, in which pair, as which of
  // its members. Lanes that pass through read pair 0 and are selected last.
  Value lane = at[3];
  Value relative = arith::SubIOp::create(b, loc, lane, constant(lanes.getFirst()));
  Value rotates = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        relative, constant(lanes.getCount()));
  relative = select(rotates, relative, constant(0));
  bool half = lanes.getPairing() == Pairing::Half;
  Value stride = constant(half ? lanes.getNumPairs() : 1);
  Value pair, second;
  if (half) {
    second = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, relative,
                                   stride);
    pair = select(second, arith::SubIOp::create(b, loc, relative, stride),
                  relative);
  } else {
    Value two = constant(2);
    pair = arith::DivUIOp::create(b, loc, relative, two);
    second = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                   arith::RemUIOp::create(b, loc, relative, two),
                                   constant(1));
  }
  Value partner = select(second, arith::SubIOp::create(b, loc, lane, stride),
                         arith::AddIOp::create(b, loc, lane, stride));
  partner = select(rotates, partner, lane);

  auto read = [&](Value lane) {
    SmallVector<Value> index(at);
    index[3] = lane;
    return castToF32(b, loc,
                     tensor::ExtractOp::create(b, loc, getInput(), index));
  };
  Layout layout = getLayout();
  auto [cos, sin] = emitCosSin(b, loc,
                               {at[0], at[AttentionOp::getAxis(layout, 1)],
                                at[AttentionOp::getAxis(layout, 2)]},
                               pair);
  Value signedSin = select(second, sin, arith::NegFOp::create(b, loc, sin));
  Value x = read(lane);
  Value rotated = arith::AddFOp::create(
      b, loc, arith::MulFOp::create(b, loc, x, cos),
      arith::MulFOp::create(b, loc, read(partner), signedSin));
  Value y = select(rotates, rotated, x);
  Type storage = getType().getElementType();
  return storage.isF32() ? y
                         : arith::TruncFOp::create(b, loc, storage, y).getResult();
}

LogicalResult
RotaryOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getInput()));
  return success();
}
