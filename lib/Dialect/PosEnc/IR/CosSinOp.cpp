//===- CosSinOp.cpp - The angle of a position -----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

std::pair<float, float> CosSinOp::splitTurns(double radians) {
  double turns = radians / (2 * llvm::numbers::pi);
  float hi = static_cast<float>(turns);
  return {hi, static_cast<float>(turns - hi)};
}

LogicalResult CosSinOp::fold(FoldAdaptor adaptor,
                             SmallVectorImpl<OpFoldResult> &results) {
  auto position = dyn_cast_or_null<FloatAttr>(adaptor.getPosition());
  auto hi = dyn_cast_or_null<FloatAttr>(adaptor.getHi());
  auto lo = dyn_cast_or_null<FloatAttr>(adaptor.getLo());
  if (!position || !hi || !lo)
    return failure();
  double turns = position.getValueAsDouble() *
                 (hi.getValueAsDouble() + lo.getValueAsDouble());
  double angle = 2 * llvm::numbers::pi * (turns - std::round(turns));
  results.push_back(FloatAttr::get(getCos().getType(), std::cos(angle)));
  results.push_back(FloatAttr::get(getSin().getType(), std::sin(angle)));
  return success();
}
