//===- Sinusoidal.cpp - Sines and cosines of positions --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

int64_t SinusoidalOp::getNumFrequencies() {
  bool extraSine = getWidth() % 2 && getOdd() == OddWidth::ExtraSine;
  return getWidth() / 2 + extraSine;
}

SmallVector<double> SinusoidalOp::getFrequencies() {
  int64_t width = getWidth();
  double span =
      getExponents() == SinusoidExponents::ModelDim
          ? static_cast<double>(width) / 2
          : static_cast<double>(width / 2) - getShift()->convertToDouble();
  SmallVector<double> frequencies;
  for (int64_t k = 0; k < getNumFrequencies(); ++k) {
    // The first frequency is 1 also where a single one leaves no span (0 / 0).
    double exponent = k == 0 ? 0.0 : static_cast<double>(k) / span;
    frequencies.push_back(getAngleScale().convertToDouble() *
                          std::pow(getBase().convertToDouble(), -exponent));
  }
  return frequencies;
}

/// C6, C7.
static LogicalResult verifyFrequencies(SinusoidalOp op) {
  double base = op.getBase().convertToDouble();
  double angleScale = op.getAngleScale().convertToDouble();
  double scale = op.getScale().convertToDouble();
  if (!(std::isfinite(base) && base > 0 && std::isfinite(angleScale) &&
        angleScale > 0 && std::isfinite(scale))) // C6
    return op.emitOpError()
           << "'base' is " << base << ", 'angle_scale' " << angleScale
           << " and 'scale' " << scale
           << "; all must be finite and the first two positive";
  bool halfDim = op.getExponents() == SinusoidExponents::HalfDim;
  if (op.getShift().has_value() != halfDim) // C7
    return op.emitOpError("'shift' goes with exponents(<half_dim>); give both "
                          "or neither");
  if (!halfDim || op.getNumFrequencies() < 2)
    return success();
  double half = static_cast<double>(op.getWidth() / 2);
  double shift = op.getShift()->convertToDouble();
  if (!(std::isfinite(shift) && shift < half)) // C7
    return op.emitOpError()
           << "'shift' is " << shift << " for " << op.getWidth()
           << " columns; it must be below " << half << ", half of them";
  return success();
}

LogicalResult SinusoidalOp::verify() {
  RankedTensorType type = getType();
  if (ShapedType::isDynamic(getWidth()) || getWidth() == 0) // C1
    return emitOpError() << "result is " << type
                         << "; its last dimension must be static and at least "
                            "1, since every column has its own frequency";
  if (getWidth() % 2 && !getOdd()) // C2
    return emitOpError() << "has " << getWidth()
                         << " columns; say what an odd number does: "
                            "'odd(<zero_column>)' or 'odd(<extra_sine>)'";
  if (failed(verifyPositions(*this, getPositions(), getOffset(),
                             type)) ||  // C3, C5
      failed(verifyFrequencies(*this))) // C6, C7
    return failure();
  if (getPaddingPosition() && getPositions() &&
      isa<FloatType>(getPositions().getType().getElementType())) // C8
    return emitOpError("'padding_position' needs integer positions, these are "
                       "real; drop it");
  return verifySizes(*this, getSizes(), type); // C4
}

namespace {
/// What column c holds: sine * sines[c] + cosine * cosines[c] of the angle of
/// frequency (his[c] + los[c]); the weights are 0 or the scale.
struct Columns {
  SmallVector<float> his, los, sines, cosines;
};
} // namespace

static Columns getColumns(SinusoidalOp op) {
  int64_t width = op.getWidth(), numSines = op.getNumFrequencies();
  int64_t numCosines = width / 2;
  auto scale = static_cast<float>(op.getScale().convertToDouble());
  SmallVector<double> frequencies = op.getFrequencies();
  bool interleaved = op.getOrder() == SinusoidOrder::Interleaved;
  Columns columns;
  for (int64_t c = 0; c < width; ++c) {
    bool zero = c == numSines + numCosines;
    bool second = interleaved ? c % 2 : c >= numSines;
    int64_t k = interleaved ? c / 2 : second ? c - numSines : c;
    bool cosine = second != op.getCosFirst();
    auto [hi, lo] = CosSinOp::splitTurns(zero ? 0.0 : frequencies[k]);
    columns.his.push_back(hi);
    columns.los.push_back(lo);
    columns.sines.push_back(zero || cosine ? 0.0f : scale);
    columns.cosines.push_back(zero || !cosine ? 0.0f : scale);
  }
  return columns;
}

Value SinusoidalOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Columns columns = getColumns(*this);
  Value column = at.back();
  Value position =
      emitPosition(b, loc, getPositions(), getOffset(), /*batch=*/at.front(),
                   /*row=*/at.take_back(2).front());
  auto angle = CosSinOp::create(b, loc, castToF32(b, loc, position),
                                readTable(b, loc, columns.his, column),
                                readTable(b, loc, columns.los, column));
  Value sine = arith::MulFOp::create(b, loc, angle.getSin(),
                                     readTable(b, loc, columns.sines, column));
  Value cosine = arith::MulFOp::create(
      b, loc, angle.getCos(), readTable(b, loc, columns.cosines, column));
  Value element = arith::AddFOp::create(b, loc, sine, cosine);
  if (!getPaddingPosition())
    return element;
  Value padding = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(position.getType(), *getPaddingPosition()));
  Value isPadding = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          position, padding);
  return arith::SelectOp::create(b, loc, isPadding, createF32(b, loc, 0.0),
                                 element);
}
