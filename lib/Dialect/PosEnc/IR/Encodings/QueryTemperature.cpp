//===- QueryTemperature.cpp - Queries that grow with position -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CanonicalForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

LogicalResult QueryTemperatureOp::verify() {
  RankedTensorType type = getType();
  LanesAttr lanes = getLanesAttr();
  int64_t headSize = type.getDimSize(3);
  if (ShapedType::isDynamic(headSize) ||
      lanes.getFirst() > headSize - lanes.getCount()) // C1
    return emitOpError() << "scales " << lanes.getCount() << " lanes from lane "
                         << lanes.getFirst() << " on of an input " << type
                         << "; the head size must be static and hold them";
  int64_t rows = type.getDimSize(AttentionOp::getAxis(getLayout(), 2));
  if (getPositions() &&
      (getOffset() ||
       !positionsFit(cast<RankedTensorType>(getPositions().getType()),
                     type.getDimSize(0), rows))) // C2
    return emitOpError() << "'positions' is " << getPositions().getType()
                         << " for an input " << type
                         << "; it must be [batch or 1, length] or [length], "
                            "without 'offset'";
  double beta = getBeta().convertToDouble();
  if (!std::isfinite(beta)) // C3
    return emitOpError() << "'beta' is " << beta << "; it must be finite";
  auto length = static_cast<int64_t>(getOriginalLength());
  auto shift = static_cast<int64_t>(getPositionShift());
  if (length <= 0 || shift < 0) // C4
    return emitOpError() << "'original_length' is " << length
                         << " and 'position_shift' " << shift
                         << "; the first must be positive, the second not "
                            "negative";
  return success();
}

OpOperand &QueryTemperatureOp::getRotatedOperand() { return getInputMutable(); }

Layout QueryTemperatureOp::getRotatedLayout() { return getLayout(); }

Value QueryTemperatureOp::rotate(OpBuilder &b, Value input, Layout layout,
                                 int64_t lane) {
  auto scaled = cast<QueryTemperatureOp>(b.clone(*getOperation()));
  scaled.getInputMutable().assign(input);
  scaled.setLayout(layout);
  LanesAttr lanes = getLanesAttr();
  scaled.setLanesAttr(LanesAttr::get(getContext(), lanes.getPairing(),
                                     lanes.getFirst() + lane,
                                     lanes.getCount()));
  scaled.getResult().setType(cast<RankedTensorType>(input.getType()));
  return scaled;
}

std::pair<Value, Value> QueryTemperatureOp::emitCosSin(OpBuilder &b,
                                                       Location loc,
                                                       ValueRange batchHeadRow,
                                                       Value) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value position = castToIndex(b, loc,
                               emitPosition(b, loc, getPositions(), getOffset(),
                                            batchHeadRow[0], batchHeadRow[2]));
  position =
      arith::AddIOp::create(b, loc, position, constant(getPositionShift()));
  position = arith::MaxSIOp::create(b, loc, position, constant(0));
  Value whole =
      arith::DivSIOp::create(b, loc, position, constant(getOriginalLength()));
  Value step =
      castToF32(b, loc, arith::AddIOp::create(b, loc, whole, constant(1)));
  Value growth =
      arith::MulFOp::create(b, loc, math::LogOp::create(b, loc, step),
                            createF32(b, loc, getBeta().convertToDouble()));
  Value factor = arith::AddFOp::create(b, loc, growth, createF32(b, loc, 1.0));
  return {factor, createF32(b, loc, 0.0)};
}

LogicalResult
QueryTemperatureOp::reifyResultShapes(OpBuilder &b,
                                      ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getInput()));
  return success();
}

void QueryTemperatureOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropZeroOffset<QueryTemperatureOp>>(context);
}
