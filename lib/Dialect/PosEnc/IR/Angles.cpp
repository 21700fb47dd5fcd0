//===- Angles.cpp - Cosines and sines of rotary pairs ---------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Angles.h"

#include "ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

LogicalResult posenc::verifyPositive(EmitError emitError, StringRef name,
                                     FloatAttr real) {
  double value = real.getValueAsDouble();
  if (std::isfinite(value) && value > 0)
    return success();
  return emitError() << "'" << name << "' is " << value
                     << "; it must be finite and positive";
}

LogicalResult posenc::verifyPositive(EmitError emitError, StringRef name,
                                     int64_t value) {
  if (value > 0)
    return success();
  return emitError() << "'" << name << "' is " << value
                     << "; it must be positive";
}

SmallVector<PairFrequency> posenc::getOrdinaryFrequencies(int64_t numPairs) {
  SmallVector<PairFrequency> pairs;
  for (int64_t pair = 0; pair < numPairs; ++pair)
    pairs.push_back({2 * numPairs, pair});
  return pairs;
}

LogicalResult posenc::verifyFrequencies(Operation *op,
                                        FrequenciesAttrInterface frequencies,
                                        ArrayRef<PairFrequency> pairs) {
  int64_t verified = 0;
  for (PairFrequency pair : pairs) {
    if (pair.rotaryDim == verified)
      continue;
    verified = pair.rotaryDim;
    auto emitError = [&]() { return op->emitOpError(); };
    if (failed(frequencies.verifyRotaryDim(emitError, verified)))
      return failure();
    size_t count = frequencies.getFrequencies(verified).size();
    if (count != static_cast<size_t>(verified / 2))
      return op->emitOpError()
             << "has " << static_cast<int64_t>(count) << " frequencies for "
             << verified / 2 << " pairs of lanes; one each is needed";
  }
  return success();
}

LogicalResult posenc::verifyLength(Operation *op,
                                   FrequenciesAttrInterface frequencies,
                                   Value length) {
  bool depends = frequencies && frequencies.dependsOnLength();
  if (depends == static_cast<bool>(length))
    return success();
  if (depends)
    return op->emitOpError("has frequencies that depend on the length of the "
                           "call; give it as 'length'");
  return op->emitOpError("'length' is for frequencies that depend on it, and "
                         "these do not; drop it");
}

std::pair<Value, Value> posenc::emitAngle(OpBuilder &b, Location loc,
                                          FrequenciesAttrInterface frequencies,
                                          ArrayRef<PairFrequency> pairs,
                                          Value length, Value position,
                                          Value pair) {
  auto [hi, lo] = frequencies.emitTurns(b, loc, pairs, length, pair);
  auto angle = CosSinOp::create(b, loc, position, hi, lo);
  return {angle.getCos(), angle.getSin()};
}

Value posenc::emitDecay(OpBuilder &b, Location loc, XposAttr decay,
                        int64_t numPairs, Value position, Value centre,
                        Value pair) {
  // log2 of the factor of one position, in two parts: a product with a far
  // distance keeps the bits of f32.
  SmallVector<float> his, los;
  double sign = decay.getRole() == Role::Query ? 1 : -1;
  for (int64_t p = 0; p < numPairs; ++p) {
    double r = 2.0 * static_cast<double>(numPairs);
    double zeta = (2.0 * static_cast<double>(p) + 0.4 * r) / (1.4 * r);
    double rate =
        sign * std::log2(zeta) / decay.getScaleBase().getValueAsDouble();
    his.push_back(static_cast<float>(rate));
    los.push_back(static_cast<float>(rate - his.back()));
  }
  Value hi = readTable(b, loc, his, pair), lo = readTable(b, loc, los, pair);
  Value distance =
      arith::SubFOp::create(b, loc, position, castToF32(b, loc, centre));
  Value exponent = arith::MulFOp::create(b, loc, distance, hi);
  Value error = math::FmaOp::create(b, loc, distance, hi,
                                    arith::NegFOp::create(b, loc, exponent));
  error = math::FmaOp::create(b, loc, distance, lo, error);
  // 2^(x + e) = 2^x + 2^x e ln 2
  Value power = math::Exp2Op::create(b, loc, exponent);
  Value more = arith::MulFOp::create(b, loc, error,
                                     createF32(b, loc, llvm::numbers::ln2));
  return math::FmaOp::create(b, loc, power, more, power);
}
