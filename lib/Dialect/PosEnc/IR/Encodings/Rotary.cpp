//===- Rotary.cpp - Rotary position embedding -----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CanonicalForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

/// Whether cosines and sines are read at the row itself, not at its position.
static bool hasDirectCaches(RotaryOp op) {
  return op.getCos() && cast<ShapedType>(op.getCos().getType()).getRank() == 3;
}

/// Extents of the rotated operand.
static int64_t getExtent(RotaryOp op, int64_t bhldAxis) {
  return op.getType().getDimSize(
      AttentionOp::getAxis(op.getLayout(), bhldAxis));
}

/// C2.
static LogicalResult verifyLanes(RotaryOp op) {
  int64_t headSize = getExtent(op, 3);
  LanesAttr lanes = op.getLanesAttr();
  if (!ShapedType::isDynamic(headSize) &&
      lanes.getFirst() <= headSize - lanes.getCount())
    return success();
  InFlightDiagnostic error =
      op.emitOpError() << "rotates " << lanes.getCount() << " lanes from lane "
                       << lanes.getFirst() << " on of a head of size ";
  ShapedType::isDynamic(headSize) ? error << "?" : error << headSize;
  return error << "; the head size must be static and hold them";
}

/// C3, for an op with caches.
static LogicalResult verifyCaches(RotaryOp op) {
  auto cos = cast<RankedTensorType>(op.getCos().getType());
  Type sin = op.getSin().getType();
  int64_t pairs = op.getLanesAttr().getNumPairs();
  bool rowsFit = cos.getRank() == 2 ||
                 ((cos.getDimSize(0) == 1 ||
                   extentsMayAgree(cos.getDimSize(0), getExtent(op, 0))) &&
                  extentsMayAgree(cos.getDimSize(1), getExtent(op, 2)));
  if (cos == sin && rowsFit && extentsMayAgree(cos.getShape().back(), pairs))
    return success();
  return op.emitOpError() << "caches are " << cos << " and " << sin
                          << " for an input " << op.getType()
                          << "; they must be [rows, " << pairs
                          << "] or [batch or 1, length, " << pairs
                          << "], both alike";
}

/// C4, for an op with positions.
static LogicalResult verifyRowPositions(RotaryOp op) {
  auto positions = cast<RankedTensorType>(op.getPositions().getType());
  bool real = isa<FloatType>(positions.getElementType());
  if (!hasDirectCaches(op) && !(op.getCos() && real) &&
      positionsFit(positions, getExtent(op, 0), getExtent(op, 2)))
    return success();
  return op.emitOpError() << "'positions' is " << positions << " for an input "
                          << op.getType()
                          << "; it must be [batch or 1, length] or [length], "
                             "of integers where caches are read, and not "
                             "come with caches of rank 3";
}

LogicalResult RotaryOp::verify() {
  if (!getCos() != !getSin() || !getCos() == !getFrequencies()) // C1
    return emitOpError("takes either 'frequencies' or both 'cos' and 'sin'");
  if (failed(verifyLanes(*this)) ||                          // C2
      (getCos() && failed(verifyCaches(*this))) ||           // C3
      (getPositions() && failed(verifyRowPositions(*this)))) // C4
    return failure();
  if (getOffset() && (getPositions() || hasDirectCaches(*this))) // C5
    return emitOpError("'offset' numbers the rows only where neither "
                       "'positions' nor caches of rank 3 do; drop one");
  FrequenciesAttrInterface frequencies = getFrequenciesAttr();
  if (!frequencies)
    return success();
  LanesAttr lanes = getLanesAttr();
  auto count =
      static_cast<int64_t>(frequencies.getFrequencies(lanes.getCount()).size());
  if (count != lanes.getNumPairs()) // C6
    return emitOpError() << "has " << count << " frequencies for "
                         << lanes.getNumPairs()
                         << " pairs of lanes; one each is needed";
  return success();
}

OpOperand &RotaryOp::getRotatedOperand() { return getInputMutable(); }

Layout RotaryOp::getRotatedLayout() { return getLayout(); }

Value RotaryOp::rotate(OpBuilder &b, Value input, Layout layout, int64_t lane) {
  auto rotated = cast<RotaryOp>(b.clone(*getOperation()));
  rotated.getInputMutable().assign(input);
  rotated.setLayout(layout);
  LanesAttr lanes = getLanesAttr();
  rotated.setLanesAttr(LanesAttr::get(getContext(), lanes.getPairing(),
                                      lanes.getFirst() + lane,
                                      lanes.getCount()));
  rotated.getResult().setType(cast<RankedTensorType>(input.getType()));
  return rotated;
}

/// `lhs + rhs` or `lhs - rhs` of position tensors of one integer type.
static Value combinePositions(OpBuilder &b, Location loc, Value lhs, Value rhs,
                              bool add) {
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, lhs),
      cast<RankedTensorType>(lhs.getType()).getElementType());
  if (add)
    return linalg::AddOp::create(b, loc, ValueRange{lhs, rhs}, init)
        .getResult(0);
  return linalg::SubOp::create(b, loc, ValueRange{lhs, rhs}, init).getResult(0);
}

/// All that says by which angles a rotation turns a position, and which lanes.
static DictionaryAttr getTurning(RotaryOp op) {
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase(op.getInverseAttrName());
  attributes.erase(op.getOperandSegmentSizesAttrName());
  return attributes.getDictionary(op.getContext());
}

Value RotaryOp::composeWith(OpBuilder &b, RotaryOpInterface other) {
  auto inner = dyn_cast<RotaryOp>(other.getOperation());
  FrequenciesAttrInterface frequencies = getFrequenciesAttr();
  // Caches and attention factors scale as well as turn: only angles add up.
  if (!inner || !frequencies || frequencies.getAttentionFactor() != 1.0 ||
      getTurning(*this) != getTurning(inner))
    return {};
  Value positions = getPositions(), innerPositions = inner.getPositions();
  bool sameWay = getInverse() == inner.getInverse();
  if (!sameWay && positions == innerPositions &&
      getOffset() == inner.getOffset())
    return inner.getInput();
  if (!positions || !innerPositions ||
      positions.getType() != innerPositions.getType() ||
      isa<FloatType>(cast<ShapedType>(positions.getType()).getElementType()))
    return {};
  Value sum = combinePositions(b, getLoc(), positions, innerPositions, sameWay);
  auto composed = cast<RotaryOp>(b.clone(*getOperation()));
  composed.getInputMutable().assign(inner.getInput());
  composed.getPositionsMutable().assign(sum);
  return composed;
}

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
    Value position =
        emitPosition(b, loc, op.getPositions(), op.getOffset(), batch, row);
    // A position past the end must not read past the end.
    position = clampToExtent(b, loc, castToIndex(b, loc, position), cache,
                             /*dim=*/0);
    at = {position, pair};
  }
  return castToF32(b, loc, tensor::ExtractOp::create(b, loc, cache, at));
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
    Value f = createF32(b, loc, factor);
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

void RotaryOp::emitRangeConditions(
    OpBuilder &b, Location loc,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  if (!getCos() || hasDirectCaches(*this))
    return;
  if (getPositions()) {
    // The caches are alike.
    appendRowExists(b, loc, tensor::getMixedSizes(b, loc, getInput()), getCos(),
                    "the cos and sin cache of a rotary encoding", conditions);
    return;
  }
  OpFoldResult first = b.getIndexAttr(0);
  if (getOffset())
    first = getOffset();
  OpFoldResult length = tensor::getMixedSize(
      b, loc, getInput(), AttentionOp::getAxis(getLayout(), 2));
  // The caches are alike.
  appendRangeConditions(b, loc, first, length, getCos(),
                        "the positions of a rotary encoding",
                        "shorten the sequence, or lengthen its cos and sin "
                        "caches",
                        conditions);
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
  Value relative =
      arith::SubIOp::create(b, loc, lane, constant(lanes.getFirst()));
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
    second = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq,
        arith::RemUIOp::create(b, loc, relative, two), constant(1));
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
  return castFromF32(b, loc, y, getType().getElementType());
}

LogicalResult RotaryOp::reifyResultShapes(OpBuilder &b,
                                          ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getInput()));
  return success();
}

void RotaryOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropZeroOffset<RotaryOp>>(context);
}
