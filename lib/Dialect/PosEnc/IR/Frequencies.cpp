//===- Frequencies.cpp - How fast rotary pairs turn -----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Angles.h"
#include "ShapeUtils.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

LogicalResult FrequenciesAttr::verify(EmitError emitError, FloatAttr base,
                                      Attribute scaling) {
  if (failed(verifyPositive(emitError, "base", base))) // C1
    return failure();
  if (scaling && !isa<FrequencyScalingAttrInterface>(scaling)) // C2
    return emitError() << "'scaling' is " << scaling
                       << ", which is no rule for scaling frequencies";
  return success();
}

SmallVector<double> posenc::getGeometricFrequencies(double base,
                                                    int64_t rotaryDim) {
  SmallVector<double> frequencies;
  for (int64_t pair = 0; pair < rotaryDim / 2; ++pair)
    frequencies.push_back(std::pow(base, -2.0 * static_cast<double>(pair) /
                                             static_cast<double>(rotaryDim)));
  return frequencies;
}

std::pair<Value, Value> posenc::emitConstantTurns(
    OpBuilder &b, Location loc, ArrayRef<PairFrequency> pairs,
    function_ref<SmallVector<double>(int64_t rotaryDim)> getFrequencies,
    Value pair) {
  llvm::SmallDenseMap<int64_t, SmallVector<double>> frequencies;
  SmallVector<float> his, los;
  for (auto [rotaryDim, index] : pairs) {
    auto [found, isNew] = frequencies.try_emplace(rotaryDim);
    if (isNew)
      found->second = getFrequencies(rotaryDim);
    auto [hi, lo] = CosSinOp::splitTurns(found->second[index]);
    his.push_back(hi);
    los.push_back(lo);
  }
  Value hi = readTable(b, loc, his, pair);
  return {hi, readTable(b, loc, los, pair)};
}

static FrequencyScalingAttrInterface getRule(FrequenciesAttr frequencies) {
  return dyn_cast_or_null<FrequencyScalingAttrInterface>(
      frequencies.getScaling());
}

SmallVector<double> FrequenciesAttr::getFrequencies(int64_t rotaryDim) const {
  double base = getBase().getValueAsDouble();
  if (FrequencyScalingAttrInterface rule = getRule(*this))
    return rule.getFrequencies(base, rotaryDim);
  return getGeometricFrequencies(base, rotaryDim);
}

double FrequenciesAttr::getAttentionFactor() const {
  FrequencyScalingAttrInterface rule = getRule(*this);
  return rule ? rule.getAttentionFactor() : 1.0;
}

LogicalResult FrequenciesAttr::verifyRotaryDim(EmitError emitError,
                                               int64_t rotaryDim) const {
  FrequencyScalingAttrInterface rule = getRule(*this);
  return success(!rule ||
                 succeeded(rule.verifyRotaryDim(
                     emitError, getBase().getValueAsDouble(), rotaryDim)));
}

bool FrequenciesAttr::dependsOnLength() const {
  FrequencyScalingAttrInterface rule = getRule(*this);
  return rule && rule.dependsOnLength();
}

std::pair<Value, Value>
FrequenciesAttr::emitTurns(OpBuilder &b, Location loc,
                           ArrayRef<PairFrequency> pairs, Value length,
                           Value pair) const {
  double base = getBase().getValueAsDouble();
  if (FrequencyScalingAttrInterface rule = getRule(*this))
    return rule.emitTurns(b, loc, base, pairs, length, pair);
  auto getFrequencies = [&](int64_t rotaryDim) {
    return getGeometricFrequencies(base, rotaryDim);
  };
  return emitConstantTurns(b, loc, pairs, getFrequencies, pair);
}

LogicalResult ExplicitFrequenciesAttr::verify(EmitError emitError,
                                              DenseF64ArrayAttr values,
                                              FloatAttr attentionFactor) {
  if (values.empty() || // C1
      !llvm::all_of(values.asArrayRef(),
                    [](double v) { return std::isfinite(v); }))
    return emitError() << "expected at least one frequency, all finite";
  return verifyPositive(emitError, "attention_factor", attentionFactor);
}

SmallVector<double>
ExplicitFrequenciesAttr::getFrequencies(int64_t rotaryDim) const {
  return SmallVector<double>(getValues().asArrayRef());
}

double ExplicitFrequenciesAttr::getAttentionFactor() const {
  return getFactor().getValueAsDouble();
}

LogicalResult PixelFrequenciesAttr::verify(EmitError emitError, Spacing,
                                           FloatAttr maxFrequency) {
  return verifyPositive(emitError, "max_frequency", maxFrequency); // C1
}

SmallVector<double>
PixelFrequenciesAttr::getFrequencies(int64_t rotaryDim) const {
  int64_t count = rotaryDim / 2;
  double last = getMaxFrequency().getValueAsDouble() / 2;
  SmallVector<double> frequencies;
  for (int64_t pair = 0; pair < count; ++pair) {
    double share =
        count == 1 ? 0
                   : static_cast<double>(pair) / static_cast<double>(count - 1);
    double band = getSpacing() == Spacing::Linear ? 1 + share * (last - 1)
                                                  : std::pow(last, share);
    frequencies.push_back(llvm::numbers::pi * band);
  }
  return frequencies;
}

double PixelFrequenciesAttr::getAttentionFactor() const { return 1.0; }

LogicalResult LinearScalingAttr::verify(EmitError emitError, FloatAttr factor) {
  return verifyPositive(emitError, "factor", factor); // C1
}

SmallVector<double> LinearScalingAttr::getFrequencies(double base,
                                                      int64_t rotaryDim) const {
  SmallVector<double> frequencies = getGeometricFrequencies(base, rotaryDim);
  for (double &frequency : frequencies)
    frequency /= getFactor().getValueAsDouble();
  return frequencies;
}

LogicalResult Llama3ScalingAttr::verify(EmitError emitError, FloatAttr factor,
                                        FloatAttr low, FloatAttr high,
                                        int64_t originalLength) {
  if (failed(verifyPositive(emitError, "factor", factor)) || // C1
      failed(verifyPositive(emitError, "low_freq_factor", low)) ||
      failed(verifyPositive(emitError, "high_freq_factor", high)))
    return failure();
  if (high.getValueAsDouble() <= low.getValueAsDouble()) // C2
    return emitError() << "'high_freq_factor' is " << high.getValueAsDouble()
                       << " and 'low_freq_factor' " << low.getValueAsDouble()
                       << "; the first must be the larger";
  return verifyPositive(emitError, "original_length", originalLength); // C3
}

SmallVector<double> Llama3ScalingAttr::getFrequencies(double base,
                                                      int64_t rotaryDim) const {
  double factor = getFactor().getValueAsDouble();
  double low = getLowFreqFactor().getValueAsDouble();
  double high = getHighFreqFactor().getValueAsDouble();
  double length = static_cast<double>(getOriginalLength());
  auto scale = [&](double frequency) {
    double wavelength = 2 * llvm::numbers::pi / frequency;
    if (wavelength < length / high)
      return frequency;
    if (wavelength > length / low)
      return frequency / factor;
    double blend = (length / wavelength - low) / (high - low);
    return frequency * ((1 - blend) / factor + blend);
  };
  return llvm::map_to_vector(getGeometricFrequencies(base, rotaryDim), scale);
}
