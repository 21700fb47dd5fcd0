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
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

/// Most heads that the rule computes slopes of.
static constexpr int64_t kMostHeads = 65536;

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

/// C6: a shard's heads are heads of the whole.
static LogicalResult verifyShard(AlibiOp op) {
  std::optional<int64_t> total = op.getTotalHeads();
  if (!op.getFirstHead() && !total)
    return success();
  if (!op.getFirstHead() || !total || op.getSlopes())
    return op.emitOpError("'first_head' and 'total_heads' say together which "
                          "slopes of the rule a shard has; give both, or "
                          "'slopes' alone");
  if (*total < 1 || *total > kMostHeads)
    return op.emitOpError() << "'total_heads' is " << *total
                            << "; it must be from 1 to " << kMostHeads;
  int64_t heads = op.getType().getDimSize(1);
  std::optional<int64_t> first = getConstantIntValue(op.getFirstHead());
  if (ShapedType::isDynamic(heads) || (heads <= *total && !first) ||
      (first && *first >= 0 && *first <= *total - heads))
    return success();
  InFlightDiagnostic error = op.emitOpError() << "has " << heads << " heads";
  if (first)
    error << " from head " << *first << " on";
  return error << ", of 'total_heads' " << *total
               << "; a shard has only heads of the whole model";
}

LogicalResult AlibiOp::verify() {
  RankedTensorType type = getType();
  if (failed(verifySharedByBatch(*this, type))) // C1
    return failure();
  if (!getSlopes() && !getTotalHeads() && type.isDynamicDim(1)) // C1
    return emitOpError() << "cannot compute slopes for an unknown number of "
                            "heads; give a static head dimension, 'slopes' or "
                            "'total_heads'";
  if (getSlopes() &&
      failed(verifyPerHead(*this, getSlopes(), "slopes", type))) // C2
    return failure();
  if (getLaterSlopes() &&
      failed(verifyPerHead(*this, getLaterSlopes(), "later_slopes",
                           type))) // C2
    return failure();
  if (getLaterSlopes() && (!getSlopes() || getSymmetric())) // C5
    return emitOpError("'later_slopes' are those of keys after the query; give "
                       "those before it as 'slopes', and drop 'symmetric'");
  double maxBias = getMaxBias().convertToDouble();
  if (!std::isfinite(maxBias) || maxBias <= 0) // C4
    return emitOpError() << "'max_bias' is " << maxBias
                         << "; it must be finite and positive";
  if (failed(verifyShard(*this))) // C6
    return failure();
  return verifySizes(*this, getSizes(), type); // C3
}

/// The slope of the rule of head `head` of the op, or of the shard it is of.
static Value emitPaperSlope(OpBuilder &b, Location loc, AlibiOp op,
                            Value head) {
  int64_t total = op.getTotalHeads().value_or(op.getType().getDimSize(1));
  SmallVector<float> slopes =
      AlibiOp::getPaperSlopes(total, op.getMaxBias().convertToDouble());
  if (op.getFirstHead()) {
    head = arith::AddIOp::create(b, loc, head, op.getFirstHead());
    head = arith::MinSIOp::create(
        b, loc, head, arith::ConstantIndexOp::create(b, loc, total - 1));
    head = arith::MaxSIOp::create(b, loc, head,
                                  arith::ConstantIndexOp::create(b, loc, 0));
  }
  return readTable(b, loc, slopes, head);
}

Value AlibiOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  auto read = [&](Value slopes) -> Value {
    return tensor::ExtractOp::create(b, loc, slopes, at[1]);
  };
  Value slope =
      getSlopes() ? read(getSlopes()) : emitPaperSlope(b, loc, *this, at[1]);
  // The distance is exact as an integer; slope * j - slope * i would not be.
  Value relative = emitRelativePosition(b, loc, at, getOffset());
  Value distance = castToF32(b, loc, relative);
  if (getSymmetric())
    distance =
        arith::NegFOp::create(b, loc, math::AbsFOp::create(b, loc, distance));
  if (getLaterSlopes()) {
    Value isLater =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, relative,
                              arith::ConstantIndexOp::create(b, loc, 0));
    Value later = arith::NegFOp::create(b, loc, read(getLaterSlopes()));
    slope = arith::SelectOp::create(b, loc, isLater, later, slope);
  }
  return arith::MulFOp::create(b, loc, slope, distance);
}
