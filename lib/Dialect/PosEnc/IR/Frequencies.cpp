//===- Frequencies.cpp - How fast rotary pairs turn -----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/Encodings.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

using EmitError = function_ref<InFlightDiagnostic()>;

static LogicalResult verifyPositive(EmitError emitError, StringRef name,
                                    FloatAttr real) {
  double value = real.getValueAsDouble();
  if (std::isfinite(value) && value > 0)
    return success();
  return emitError() << "'" << name << "' is " << value
                     << "; it must be finite and positive";
}

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

SmallVector<double> FrequenciesAttr::getFrequencies(int64_t rotaryDim) const {
  double base = getBase().getValueAsDouble();
  if (auto scaling =
          dyn_cast_or_null<FrequencyScalingAttrInterface>(getScaling()))
    return scaling.getFrequencies(base, rotaryDim);
  return getGeometricFrequencies(base, rotaryDim);
}

double FrequenciesAttr::getAttentionFactor() const {
  if (auto scaling =
          dyn_cast_or_null<FrequencyScalingAttrInterface>(getScaling()))
    return scaling.getAttentionFactor();
  return 1.0;
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
  if (originalLength <= 0) // C3
    return emitError() << "'original_length' is " << originalLength
                       << "; it must be positive";
  return success();
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
