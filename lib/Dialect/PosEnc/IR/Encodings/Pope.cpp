//===- Pope.cpp - Polar position embedding --------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Angles.h"
#include "../CanonicalForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

LogicalResult PopeOp::verify() {
  RankedTensorType input = getInput().getType();
  int64_t width = input.getDimSize(3);
  if (ShapedType::isDynamic(width) || width == 0 ||
      getType().getElementType() != input.getElementType() ||
      getType().getShape().drop_back() != input.getShape().drop_back() ||
      getType().getDimSize(3) != 2 * width) // C1
    return emitOpError()
           << "result is " << getType() << " for an input " << input
           << "; it must be twice as wide and the same otherwise, "
              "of a static head size";
  if (getPositions() &&
      (getOffset() ||
       !positionsFit(cast<RankedTensorType>(getPositions().getType()),
                     input.getDimSize(0), input.getDimSize(2)))) // C2
    return emitOpError() << "'positions' is " << getPositions().getType()
                         << " for an input " << input
                         << "; it must be [batch or 1, length] or [length], "
                            "without 'offset'";
  if (getPhase()) {
    auto phase = cast<RankedTensorType>(getPhase().getType());
    bool headsFit = phase.getDimSize(0) == 1 ||
                    extentsMayAgree(phase.getDimSize(0), input.getDimSize(1));
    if (!headsFit || !extentsMayAgree(phase.getDimSize(1), width)) // C3
      return emitOpError() << "'phase' is " << phase << " for an input "
                           << input << "; it must be [heads or 1, " << width
                           << "]";
  }
  if (failed(verifyFrequencies(*this, getFrequencies(),
                               getOrdinaryFrequencies(width)))) // C4
    return failure();
  return verifyLength(*this, getFrequencies(), getLength()); // C5
}

/// `max(x, 0) + log(1 + exp(-|x|))`, which never overflows.
static Value emitSoftplus(OpBuilder &b, Location loc, Value x) {
  Value below = arith::NegFOp::create(b, loc, math::AbsFOp::create(b, loc, x));
  Value rest =
      math::Log1pOp::create(b, loc, math::ExpOp::create(b, loc, below));
  Value natural = arith::MaximumFOp::create(b, loc, x, createF32(b, loc, 0.0));
  return arith::AddFOp::create(b, loc, natural, rest);
}

/// Cosine and sine of the angle plus the clamped phase of head and lane.
static std::pair<Value, Value> addPhase(OpBuilder &b, Location loc, PopeOp op,
                                        std::pair<Value, Value> angle,
                                        Value head, Value lane) {
  auto phases = cast<RankedTensorType>(op.getPhase().getType());
  if (phases.getDimSize(0) == 1)
    head = arith::ConstantIndexOp::create(b, loc, 0);
  Value phase =
      tensor::ExtractOp::create(b, loc, op.getPhase(), ValueRange{head, lane});
  phase = arith::MaximumFOp::create(b, loc, phase,
                                    createF32(b, loc, -2 * llvm::numbers::pi));
  phase = arith::MinimumFOp::create(b, loc, phase, createF32(b, loc, 0.0));
  Value cos = math::CosOp::create(b, loc, phase);
  Value sin = math::SinOp::create(b, loc, phase);
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, loc, x, y);
  };
  return {arith::SubFOp::create(b, loc, mul(angle.first, cos),
                                mul(angle.second, sin)),
          arith::AddFOp::create(b, loc, mul(angle.second, cos),
                                mul(angle.first, sin))};
}

Value PopeOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  int64_t width = getInput().getType().getDimSize(3);
  Value half = arith::ConstantIndexOp::create(b, loc, width);
  Value isSine =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, at[3], half);
  Value lane = arith::SelectOp::create(
      b, loc, isSine, arith::SubIOp::create(b, loc, at[3], half), at[3]);
  Value position = castToF32(
      b, loc, emitPosition(b, loc, getPositions(), getOffset(), at[0], at[2]));
  auto angle =
      emitAngle(b, loc, getFrequencies(), getOrdinaryFrequencies(width),
                getLength(), position, lane);
  if (getPhase())
    angle = addPhase(b, loc, *this, angle, at[1], lane);
  Value factor =
      arith::SelectOp::create(b, loc, isSine, angle.second, angle.first);
  double attention = getFrequencies().getAttentionFactor();
  if (attention != 1.0)
    factor =
        arith::MulFOp::create(b, loc, factor, createF32(b, loc, attention));
  Value x =
      castToF32(b, loc,
                tensor::ExtractOp::create(
                    b, loc, getInput(), ValueRange{at[0], at[1], at[2], lane}));
  Value element =
      arith::MulFOp::create(b, loc, emitSoftplus(b, loc, x), factor);
  return castFromF32(b, loc, element, getType().getElementType());
}

LogicalResult PopeOp::reifyResultShapes(OpBuilder &b,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getInput()));
  shapes.back().back() = b.getIndexAttr(getType().getDimSize(3));
  return success();
}

void PopeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropZeroOffset<PopeOp>>(context);
}
