//===- FrequencyScalings.cpp - Longer contexts by pair or length ----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Angles.h"
#include "ShapeUtils.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

/// NTK scaling has the exponent r / (r - 2).
static LogicalResult verifySeveralPairs(EmitError emitError,
                                        int64_t rotaryDim) {
  if (rotaryDim > 2)
    return success();
  return emitError() << "scales the base for " << rotaryDim
                     << " rotary lanes by the exponent r / (r - 2); it takes "
                        "at least 4 lanes";
}

//===----------------------------------------------------------------------===//
// NTK
//===----------------------------------------------------------------------===//

LogicalResult NtkScalingAttr::verify(EmitError emitError, FloatAttr alpha) {
  return verifyPositive(emitError, "alpha", alpha); // C1
}

LogicalResult NtkScalingAttr::verifyRotaryDim(EmitError emitError, double,
                                              int64_t rotaryDim) const {
  return verifySeveralPairs(emitError, rotaryDim); // C2
}

SmallVector<double> NtkScalingAttr::getFrequencies(double base,
                                                   int64_t rotaryDim) const {
  auto r = static_cast<double>(rotaryDim);
  double grown = base * std::pow(getAlpha().getValueAsDouble(), r / (r - 2));
  return getGeometricFrequencies(grown, rotaryDim);
}

//===----------------------------------------------------------------------===//
// YaRN
//===----------------------------------------------------------------------===//

LogicalResult YarnScalingAttr::verify(EmitError emitError, FloatAttr factor,
                                      int64_t originalLength,
                                      FloatAttr betaFast, FloatAttr betaSlow,
                                      bool, FloatAttr attentionFactor,
                                      FloatAttr mscale,
                                      FloatAttr mscaleAllDim) {
  if (failed(verifyPositive(emitError, "factor", factor)) || // C1
      failed(verifyPositive(emitError, "beta_fast", betaFast)) ||
      failed(verifyPositive(emitError, "beta_slow", betaSlow)) ||
      (attentionFactor &&
       failed(verifyPositive(emitError, "attention_factor", attentionFactor))))
    return failure();
  double fast = betaFast.getValueAsDouble(), slow = betaSlow.getValueAsDouble();
  if (fast < slow) // C2
    return emitError() << "'beta_fast' is " << fast << " and 'beta_slow' "
                       << slow << "; the first must not be the smaller";
  if (failed(verifyPositive(emitError, "original_length", originalLength)))
    return failure(); // C3
  auto isNatural = [](FloatAttr real) {
    return !real || (std::isfinite(real.getValueAsDouble()) &&
                     real.getValueAsDouble() >= 0);
  };
  bool ofTerms = mscale || mscaleAllDim;
  if (!isNatural(mscale) || !isNatural(mscaleAllDim) ||
      (attentionFactor && ofTerms)) // C4
    return emitError()
           << "'mscale' and 'mscale_all_dim' must be finite and not "
              "negative, and take the place of 'attention_factor'";
  return success();
}

LogicalResult YarnScalingAttr::verifyRotaryDim(EmitError emitError, double base,
                                               int64_t) const {
  if (base > 1) // C5
    return success();
  return emitError() << "tells pairs by their wavelengths, which do not grow "
                        "with 'base' "
                     << base << "; it must be greater than 1";
}

SmallVector<double> YarnScalingAttr::getFrequencies(double base,
                                                    int64_t rotaryDim) const {
  auto r = static_cast<double>(rotaryDim);
  auto correct = [&](FloatAttr turns) {
    double wavelength = static_cast<double>(getOriginalLength()) /
                        (2 * llvm::numbers::pi * turns.getValueAsDouble());
    return r * std::log(wavelength) / (2 * std::log(base));
  };
  double low = correct(getBetaFast()), high = correct(getBetaSlow());
  if (getTruncate()) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, r - 1);
  if (low == high)
    high += 0.001;
  SmallVector<double> frequencies = getGeometricFrequencies(base, rotaryDim);
  for (auto [pair, frequency] : llvm::enumerate(frequencies)) {
    double ramp =
        std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
    frequency = frequency / getFactor().getValueAsDouble() * ramp +
                frequency * (1 - ramp);
  }
  return frequencies;
}

double YarnScalingAttr::getAttentionFactor() const {
  if (getExplicitFactor())
    return getExplicitFactor().getValueAsDouble();
  double factor = getFactor().getValueAsDouble();
  auto grow = [&](double mscale) {
    return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1;
  };
  auto isSet = [](FloatAttr real) {
    return real && real.getValueAsDouble() != 0;
  };
  if (isSet(getMscale()) && isSet(getMscaleAllDim()))
    return grow(getMscale().getValueAsDouble()) /
           grow(getMscaleAllDim().getValueAsDouble());
  return grow(1);
}

//===----------------------------------------------------------------------===//
// Proportional
//===----------------------------------------------------------------------===//

LogicalResult ProportionalScalingAttr::verify(EmitError emitError,
                                              FloatAttr fraction,
                                              FloatAttr factor) {
  if (failed(verifyPositive(emitError, "factor", factor))) // C1
    return failure();
  double value = fraction.getValueAsDouble();
  if (!(value >= 0 && value <= 1)) // C2
    return emitError() << "'fraction' is " << value
                       << "; it must be from 0 to 1";
  return success();
}

SmallVector<double>
ProportionalScalingAttr::getFrequencies(double base, int64_t rotaryDim) const {
  double turning = std::floor(getFraction().getValueAsDouble() *
                              static_cast<double>(rotaryDim) / 2);
  SmallVector<double> frequencies = getGeometricFrequencies(base, rotaryDim);
  for (auto [pair, frequency] : llvm::enumerate(frequencies))
    frequency = static_cast<double>(pair) < turning
                    ? frequency / getFactor().getValueAsDouble()
                    : 0;
  return frequencies;
}

//===----------------------------------------------------------------------===//
// Dynamic NTK
//===----------------------------------------------------------------------===//

LogicalResult DynamicNtkScalingAttr::verify(EmitError emitError,
                                            FloatAttr factor,
                                            int64_t originalLength) {
  double value = factor.getValueAsDouble();
  if (!std::isfinite(value) || value < 1) // C1
    return emitError() << "'factor' is " << value
                       << "; it must be finite and at least 1";
  return verifyPositive(emitError, "original_length", originalLength); // C2
}

LogicalResult DynamicNtkScalingAttr::verifyRotaryDim(EmitError emitError,
                                                     double,
                                                     int64_t rotaryDim) const {
  return verifySeveralPairs(emitError, rotaryDim); // C3
}

bool DynamicNtkScalingAttr::dependsOnLength() const { return true; }

SmallVector<double>
DynamicNtkScalingAttr::getFrequencies(double base, int64_t rotaryDim) const {
  return getGeometricFrequencies(base, rotaryDim);
}

/// `1 + factor (n - original) / original` in f64, `n` at least the original.
static Value emitAlpha(OpBuilder &b, Location loc, DynamicNtkScalingAttr rule,
                       Value length) {
  auto original = static_cast<double>(rule.getOriginalLength());
  Value least =
      arith::ConstantIndexOp::create(b, loc, rule.getOriginalLength());
  Value more = arith::SubIOp::create(
      b, loc, arith::MaxSIOp::create(b, loc, length, least), least);
  more = arith::SIToFPOp::create(
      b, loc, b.getF64Type(),
      arith::IndexCastOp::create(b, loc, b.getI64Type(), more));
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
  };
  Value growth = arith::MulFOp::create(
      b, loc, more, constant(rule.getFactor().getValueAsDouble() / original));
  return arith::AddFOp::create(b, loc, growth, constant(1));
}

std::pair<Value, Value>
DynamicNtkScalingAttr::emitTurns(OpBuilder &b, Location loc, double base,
                                 ArrayRef<PairFrequency> pairs, Value length,
                                 Value pair) const {
  // (base alpha^(r / (r - 2)))^(-2k / r) = base^(-2k / r) alpha^(-2k / (r - 2))
  SmallVector<double> unscaled, exponents;
  for (auto [rotaryDim, index] : pairs) {
    auto r = static_cast<double>(rotaryDim), k = static_cast<double>(index);
    unscaled.push_back(std::pow(base, -2 * k / r) / (2 * llvm::numbers::pi));
    exponents.push_back(-2 * k / (r - 2));
  }
  // f32 would be wrong by radians at far positions.
  Value growth = math::Log2Op::create(b, loc, emitAlpha(b, loc, *this, length));
  Value power = math::Exp2Op::create(
      b, loc,
      arith::MulFOp::create(b, loc, growth,
                            readTable(b, loc, exponents, pair)));
  Value turns =
      arith::MulFOp::create(b, loc, power, readTable(b, loc, unscaled, pair));
  Value hi = arith::TruncFOp::create(b, loc, b.getF32Type(), turns);
  Value rest = arith::SubFOp::create(
      b, loc, turns, arith::ExtFOp::create(b, loc, b.getF64Type(), hi));
  return {hi, arith::TruncFOp::create(b, loc, b.getF32Type(), rest)};
}

//===----------------------------------------------------------------------===//
// LongRoPE
//===----------------------------------------------------------------------===//

LogicalResult LongropeScalingAttr::verify(EmitError emitError,
                                          DenseF64ArrayAttr shortFactor,
                                          DenseF64ArrayAttr longFactor,
                                          int64_t originalLength,
                                          FloatAttr factor,
                                          FloatAttr attentionFactor) {
  auto isDivisor = [](double value) {
    return std::isfinite(value) && value > 0;
  };
  if (shortFactor.size() != longFactor.size() || // C1
      !llvm::all_of(shortFactor.asArrayRef(), isDivisor) ||
      !llvm::all_of(longFactor.asArrayRef(), isDivisor))
    return emitError() << "'short_factor' has " << shortFactor.size()
                       << " numbers and 'long_factor' " << longFactor.size()
                       << "; they must be as many, finite and positive";
  if (originalLength <= 1) // C2
    return emitError() << "'original_length' is " << originalLength
                       << "; it must be greater than 1";
  if (!factor == !attentionFactor) // C3
    return emitError() << "takes either 'factor' or 'attention_factor'";
  return factor
             ? verifyPositive(emitError, "factor", factor)
             : verifyPositive(emitError, "attention_factor", attentionFactor);
}

LogicalResult LongropeScalingAttr::verifyRotaryDim(EmitError emitError, double,
                                                   int64_t rotaryDim) const {
  if (getShortFactor().size() == rotaryDim / 2) // C4
    return success();
  return emitError() << "has lists of " << getShortFactor().size()
                     << " divisors for " << rotaryDim / 2
                     << " pairs of lanes; one each is needed";
}

bool LongropeScalingAttr::dependsOnLength() const { return true; }

static SmallVector<double> divide(ArrayRef<double> frequencies,
                                  DenseF64ArrayAttr divisors) {
  return llvm::map_to_vector(
      llvm::zip_equal(frequencies, divisors.asArrayRef()), [](auto pair) {
        auto [frequency, divisor] = pair;
        return frequency / divisor;
      });
}

SmallVector<double>
LongropeScalingAttr::getFrequencies(double base, int64_t rotaryDim) const {
  return divide(getGeometricFrequencies(base, rotaryDim), getShortFactor());
}

double LongropeScalingAttr::getAttentionFactor() const {
  if (getExplicitFactor())
    return getExplicitFactor().getValueAsDouble();
  double factor = getFactor().getValueAsDouble();
  auto length = static_cast<double>(getOriginalLength());
  return factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(length));
}

std::pair<Value, Value>
LongropeScalingAttr::emitTurns(OpBuilder &b, Location loc, double base,
                               ArrayRef<PairFrequency> pairs, Value length,
                               Value pair) const {
  auto emit = [&](DenseF64ArrayAttr divisors) {
    auto getFrequencies = [&](int64_t rotaryDim) {
      return divide(getGeometricFrequencies(base, rotaryDim), divisors);
    };
    return emitConstantTurns(b, loc, pairs, getFrequencies, pair);
  };
  auto [longHi, longLo] = emit(getLongFactor());
  auto [shortHi, shortLo] = emit(getShortFactor());
  Value original = arith::ConstantIndexOp::create(b, loc, getOriginalLength());
  Value isLong = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                       length, original);
  return {arith::SelectOp::create(b, loc, isLong, longHi, shortHi),
          arith::SelectOp::create(b, loc, isLong, longLo, shortLo)};
}
