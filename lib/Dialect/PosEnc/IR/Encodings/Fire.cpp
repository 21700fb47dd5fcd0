//===- Fire.cpp - A perceptron of the relative distance -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "posenc/Formula/FormulaOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

LogicalResult FireOp::verify() {
  RankedTensorType type = getType();
  if (failed(verifySharedByBatch(*this, type))) // C1
    return failure();
  RankedTensorType weight = getHiddenWeight().getType();
  RankedTensorType bias = getHiddenBias().getType();
  int64_t units = weight.getDimSize(0);
  if (weight != bias || ShapedType::isDynamic(units) || units < 1 ||
      units > kMostTrips) // C2
    return emitOpError() << "'hidden' is " << weight << " and " << bias
                         << "; both must be [W], with a static W from 1 to "
                         << kMostTrips;
  RankedTensorType output = getOutputWeight().getType();
  if (!extentsMayAgree(output.getDimSize(0), type.getDimSize(1)) ||
      output.getDimSize(1) != units) // C3
    return emitOpError() << "'output' weight is " << output << " for "
                         << type.getDimSize(1) << " heads and " << units
                         << " hidden units; it must be [Hq, W]";
  if (failed(verifyPerHead(*this, getOutputBias(), "output bias", type))) // C3
    return failure();
  auto first = static_cast<int64_t>(getFirstPosition());
  if (first != 0 && first != 1) // C5
    return emitOpError() << "'first_position' is " << first
                         << "; positions count from 0 or from 1";
  double epsilon = getEpsilon().convertToDouble();
  if (!std::isfinite(epsilon) || epsilon <= 0) // C6
    return emitOpError() << "'epsilon' is " << epsilon
                         << "; it must be finite and positive";
  return verifySizes(*this, getSizes(), type); // C4
}

/// ln(|scale x| + 1).
static Value emitLog(OpBuilder &b, Location loc, Value scale, Value x) {
  Value scaled = arith::MulFOp::create(b, loc, scale, x);
  return math::Log1pOp::create(b, loc, math::AbsFOp::create(b, loc, scaled));
}

/// Output `head` of the perceptron of `x`.
static Value emitPerceptron(OpBuilder &b, Location loc, FireOp op, Value x,
                            Value head) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  int64_t units = op.getHiddenWeight().getType().getDimSize(0);
  Value bias = tensor::ExtractOp::create(b, loc, op.getOutputBias(), head);
  Value zero = createF32(b, loc, 0.0);
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(units), constant(1), bias,
      [&](OpBuilder &b, Location loc, Value k, ValueRange sum) {
        auto read = [&](Value tensor, ValueRange at) -> Value {
          return tensor::ExtractOp::create(b, loc, tensor, at);
        };
        Value unit = math::FmaOp::create(b, loc, read(op.getHiddenWeight(), k),
                                         x, read(op.getHiddenBias(), k));
        unit = arith::MaximumFOp::create(b, loc, unit, zero);
        Value next = math::FmaOp::create(
            b, loc, read(op.getOutputWeight(), {head, k}), unit, sum.front());
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResult(0);
}

Value FireOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value relative =
      castToF32(b, loc, emitRelativePosition(b, loc, at, getOffset()));
  Value distance = emitLog(b, loc, getScale(), relative);
  Value position = addOptional(b, loc, at[2], getOffset());
  if (auto first = static_cast<int64_t>(getFirstPosition()))
    position = arith::AddIOp::create(
        b, loc, position, arith::ConstantIndexOp::create(b, loc, first));
  Value reach = arith::MaximumFOp::create(b, loc, castToF32(b, loc, position),
                                          getThreshold());
  Value norm =
      arith::AddFOp::create(b, loc, emitLog(b, loc, getScale(), reach),
                            createF32(b, loc, getEpsilon().convertToDouble()));
  // A factor of the row's own, so that no element divides.
  Value factor = arith::DivFOp::create(b, loc, createF32(b, loc, 1.0), norm);
  Value x = arith::MulFOp::create(b, loc, distance, factor);
  return emitPerceptron(b, loc, *this, x, /*head=*/at[1]);
}
