//===- Rotary.cpp - Rotary position embedding -----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Angles.h"
#include "../CanonicalForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "llvm/Support/FormatVariadic.h"

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
  SectionsAttr sections = op.getSectionsAttr();
  bool real = isa<FloatType>(positions.getElementType());
  bool ofAxes = positions.getRank() == 3;
  if (!hasDirectCaches(op) && !(op.getCos() && real) &&
      ofAxes == static_cast<bool>(sections) &&
      (!ofAxes ||
       extentsMayAgree(positions.getDimSize(0), sections.getNumAxes())) &&
      positionsFit(positions, getExtent(op, 0), getExtent(op, 2)))
    return success();
  InFlightDiagnostic error = op.emitOpError()
                             << "'positions' is " << positions
                             << " for an input " << op.getType();
  if (sections)
    return error << "; with 'sections' it must be [" << sections.getNumAxes()
                 << ", batch or 1, length]";
  return error << "; it must be [batch or 1, length] or [length], of integers "
                  "where caches are read, and not come with caches of rank 3";
}

static SmallVector<PairFrequency> getPairFrequencies(RotaryOp op) {
  SectionsAttr sections = op.getSectionsAttr();
  int64_t numPairs = op.getLanesAttr().getNumPairs();
  if (!sections)
    return getOrdinaryFrequencies(numPairs);
  SmallVector<PairFrequency> pairs;
  for (int64_t pair = 0; pair < numPairs; ++pair)
    pairs.push_back(sections.getFrequency(pair));
  return pairs;
}

/// C6 to C9.
static LogicalResult verifyTurning(RotaryOp op) {
  FrequenciesAttrInterface frequencies = op.getFrequenciesAttr();
  SectionsAttr sections = op.getSectionsAttr();
  int64_t numPairs = op.getLanesAttr().getNumPairs();
  if (sections && (!frequencies || !op.getPositions() ||
                   sections.getNumPairs() != numPairs)) // C8
    return op.emitOpError()
           << "has sections of " << sections.getNumPairs() << " pairs for "
           << numPairs
           << "; they must be as many, and come with 'frequencies' and "
              "'positions'";
  if (frequencies && failed(verifyFrequencies(op, frequencies,
                                              getPairFrequencies(op)))) // C6
    return failure();
  if (failed(verifyLength(op, frequencies, op.getLength()))) // C7
    return failure();
  if (!op.getDecay() != !op.getCentre() ||
      (op.getDecay() && (!frequencies || op.getInverse()))) // C9
    return op.emitOpError("takes 'decay' and 'centre' together, with "
                          "'frequencies' and not with 'inverse'");
  return success();
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
  return verifyTurning(*this);
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
  // Caches, attention factors and decay scale as well as turn: only angles add
  // up.
  if (!inner || !frequencies || frequencies.getAttentionFactor() != 1.0 ||
      getDecay() || getLength() != inner.getLength() ||
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

/// The position that pair `pair` of a row turns with, as f32.
static Value emitPairPosition(OpBuilder &b, Location loc, RotaryOp op,
                              Value batch, Value row, Value pair) {
  SectionsAttr sections = op.getSectionsAttr();
  if (!sections)
    return castToF32(
        b, loc,
        emitPosition(b, loc, op.getPositions(), op.getOffset(), batch, row));
  SmallVector<int32_t> axes;
  for (int64_t p = 0; p < sections.getNumPairs(); ++p)
    axes.push_back(static_cast<int32_t>(sections.getAxis(p)));
  Value axis = castToIndex(b, loc, readTable(b, loc, axes, pair));
  if (cast<ShapedType>(op.getPositions().getType()).getDimSize(1) == 1)
    batch = arith::ConstantIndexOp::create(b, loc, 0);
  return castToF32(b, loc,
                   tensor::ExtractOp::create(b, loc, op.getPositions(),
                                             ValueRange{axis, batch, row}));
}

/// Cosine and sine of the row's position times the frequency of `pair`, and
/// what scales both.
static std::pair<Value, Value> emitTurn(OpBuilder &b, Location loc, RotaryOp op,
                                        Value batch, Value row, Value pair) {
  FrequenciesAttrInterface frequencies = op.getFrequenciesAttr();
  Value position = emitPairPosition(b, loc, op, batch, row, pair);
  auto [cos, sin] = emitAngle(b, loc, frequencies, getPairFrequencies(op),
                              op.getLength(), position, pair);
  Value amplitude;
  double factor = frequencies.getAttentionFactor();
  if (factor != 1.0)
    amplitude = createF32(b, loc, factor);
  if (XposAttr decay = op.getDecayAttr()) {
    Value power = emitDecay(b, loc, decay, op.getLanesAttr().getNumPairs(),
                            position, op.getCentre(), pair);
    amplitude =
        amplitude ? arith::MulFOp::create(b, loc, amplitude, power).getResult()
                  : power;
  }
  if (!amplitude)
    return {cos, sin};
  return {arith::MulFOp::create(b, loc, cos, amplitude),
          arith::MulFOp::create(b, loc, sin, amplitude)};
}

std::pair<Value, Value> RotaryOp::emitCosSin(OpBuilder &b, Location loc,
                                             ValueRange batchHeadRow,
                                             Value pair) {
  Value batch = batchHeadRow[0], row = batchHeadRow[2];
  std::pair<Value, Value> cosSin;
  if (getFrequencies())
    cosSin = emitTurn(b, loc, *this, batch, row, pair);
  else
    cosSin = {readCache(b, loc, *this, getCos(), batch, row, pair),
              readCache(b, loc, *this, getSin(), batch, row, pair)};
  if (getInverse())
    cosSin.second = arith::NegFOp::create(b, loc, cosSin.second);
  return cosSin;
}

std::string RotaryOp::whyNotKept() {
  if (getLength())
    return "its frequencies change with the length of the call";
  if (getDecay())
    return "its decay changes with the centre";
  return {};
}

std::string RotaryOp::whyUnlike(RotaryOpInterface key) {
  auto other = dyn_cast<RotaryOp>(key.getOperation());
  XposAttr decay = getDecayAttr();
  XposAttr keyDecay = other ? other.getDecayAttr() : XposAttr();
  if (!decay && !keyDecay)
    return {};
  if (!decay || !keyDecay || decay.getRole() != Role::Query ||
      keyDecay.getRole() != Role::Key ||
      decay.getScaleBase() != keyDecay.getScaleBase())
    return "the decay of xPos must be that of a query on one side and that of "
           "a "
           "key on the other, of one 'scale_base'";
  std::optional<int64_t> centre = getConstantIntValue(getCentre());
  std::optional<int64_t> keyCentre = getConstantIntValue(other.getCentre());
  if (!centre || !keyCentre || *centre == *keyCentre)
    return {};
  return llvm::formatv("the centre of the decay is {0} for queries and {1} for "
                       "keys, which scales the scores; give both the same",
                       *centre, *keyCentre);
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
