//===- Alibi.cpp - Attention with linear biases ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

SmallVector<float> AlibiOp::getPaperSlopes(int64_t numHeads, double maxBias) {
  auto slope = [&](int64_t head, int64_t heads) {
    return static_cast<float>(std::exp2(
        -maxBias * static_cast<double>(head + 1) / static_cast<double>(heads)));
  };
  auto power = static_cast<int64_t>(llvm::bit_floor<uint64_t>(numHeads));
  SmallVector<float> slopes;
  for (int64_t head = 0; head < power; ++head)
    slopes.push_back(slope(head, power));
  for (int64_t head = 0; head < numHeads - power; ++head)
    slopes.push_back(slope(2 * head, 2 * power));
  return slopes;
}

LogicalResult AlibiOp::verify() {
  RankedTensorType type = getType();
  if (type.getDimSize(0) != 1) // C1
    return emitOpError() << "result is " << type
                         << "; a linear bias is the same for every batch, so "
                            "it must be [1, Hq, Lq, Lk]";
  if (!getSlopes() && type.isDynamicDim(1)) // C1
    return emitOpError() << "cannot compute slopes for an unknown number of "
                            "heads; give a static head dimension or 'slopes'";
  if (getSlopes() && !extentsMayAgree(getSlopes().getType().getDimSize(0),
                                      type.getDimSize(1))) // C2
    return emitOpError() << "has " << getSlopes().getType().getDimSize(0)
                         << " 'slopes' for " << type.getDimSize(1)
                         << " heads; slopes belong to query heads, one each";
  double maxBias = getMaxBias().convertToDouble();
  if (!std::isfinite(maxBias) || maxBias <= 0) // C4
    return emitOpError() << "'max_bias' is " << maxBias
                         << "; it must be finite and positive";
  return verifySizes(*this, getSizes(), type); // C3
}

Value AlibiOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value slope;
  if (getSlopes())
    slope = tensor::ExtractOp::create(b, loc, getSlopes(), at[1]);
  else
    slope = readTable(
        b, loc,
        getPaperSlopes(getType().getDimSize(1), getMaxBias().convertToDouble()),
        at[1]);
  Value row = addOptional(b, loc, at[2], getOffset());
  // The distance is exact as an integer; slope * j - slope * i would not be.
  Value distance = castToF32(b, loc, arith::SubIOp::create(b, loc, at[3], row));
  if (getSymmetric())
    distance =
        arith::NegFOp::create(b, loc, math::AbsFOp::create(b, loc, distance));
  return arith::MulFOp::create(b, loc, slope, distance);
}
