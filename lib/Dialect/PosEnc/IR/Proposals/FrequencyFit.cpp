//===- FrequencyFit.cpp - Which rule gave these frequencies ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrequencyFit.h"

#include "mlir/IR/Builders.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

/// A power, a quotient and a product in f32.
static constexpr double kRounding = 3e-7;

static bool isClose(double a, double b) {
  return std::fabs(a - b) <= kRounding * std::fabs(b);
}

/// `value` to `digits` significant decimal digits.
static double roundTo(double value, int digits) {
  double unit =
      std::pow(10.0, std::floor(std::log10(std::fabs(value))) + 1 - digits);
  // Units below one are inexact, their inverses are not.
  return unit < 1
             ? std::round(value * std::round(1 / unit)) / std::round(1 / unit)
             : std::round(value / unit) * unit;
}

/// The roundest number near `value` for which `fits` gives an attribute.
static FrequenciesAttrInterface
findRoundest(double value,
             llvm::function_ref<FrequenciesAttrInterface(double)> fits) {
  if (!std::isfinite(value) || value <= 0)
    return {};
  for (int digits = 1; digits <= 8; ++digits)
    if (FrequenciesAttrInterface found = fits(roundTo(value, digits)))
      return found;
  return {};
}

namespace {
struct Fit {
  MLIRContext *context;
  ArrayRef<double> frequencies;

  int64_t getNumPairs() const {
    return static_cast<int64_t>(frequencies.size());
  }
  FloatAttr real(double value) const {
    return Builder(context).getF64FloatAttr(value);
  }

  /// The attribute, if it has these frequencies.
  FrequenciesAttrInterface check(double base, Attribute scaling) const {
    auto attribute = FrequenciesAttr::get(context, real(base), scaling);
    SmallVector<double> expected = attribute.getFrequencies(2 * getNumPairs());
    for (auto [a, b] : llvm::zip_equal(frequencies, expected))
      if (!isClose(a, b))
        return {};
    return attribute;
  }

  /// The base, if frequencies fall evenly from pair 0 to pair `pair`.
  double getBase(int64_t pair) const {
    return std::pow(frequencies.front() / frequencies[pair],
                    static_cast<double>(getNumPairs()) /
                        static_cast<double>(pair));
  }

  /// `base^(-2p/r) / factor`, the factor one or more.
  FrequenciesAttrInterface fitLinear() const {
    double factor = 1 / frequencies.front();
    return findRoundest(getBase(getNumPairs() - 1), [&](double base) {
      if (isClose(factor, 1))
        return check(base, {});
      return findRoundest(factor, [&](double roundFactor) {
        return check(base, LinearScalingAttr::get(context, real(roundFactor)));
      });
    });
  }

  /// The last pairs are divided by the factor, so that they tell the base; a
  /// pair that is blended tells the length. The thresholds are 1 and 4 in every
  /// released model.
  FrequenciesAttrInterface fitLlama3() const {
    return findRoundest(getTailBase(), [&](double base) {
      double last = getGeometricFrequencies(base, 2 * getNumPairs()).back();
      return findRoundest(last / frequencies.back(), [&](double factor) {
        return fitLlama3Length(base, factor, 1.0, 4.0);
      });
    });
  }

  /// The base, from the longest evenly falling run of pairs at the end.
  double getTailBase() const {
    int64_t last = getNumPairs() - 1;
    double base = 0;
    for (int64_t first = last - 1; first >= 0; --first) {
      double longer = std::pow(frequencies[first] / frequencies[last],
                               static_cast<double>(getNumPairs()) /
                                   static_cast<double>(last - first));
      if (base != 0 && std::fabs(longer - base) > 1e-5 * base)
        break;
      base = longer;
    }
    return base;
  }

  FrequenciesAttrInterface fitLlama3Length(double base, double factor,
                                           double low, double high) const {
    auto checkLength = [&](int64_t length) -> FrequenciesAttrInterface {
      if (length <= 0 || factor <= 0)
        return {};
      return check(base, Llama3ScalingAttr::get(context, real(factor),
                                                real(low), real(high), length));
    };
    SmallVector<double> geometric =
        getGeometricFrequencies(base, 2 * getNumPairs());
    for (auto [frequency, unscaled] : llvm::zip_equal(frequencies, geometric)) {
      double blend = (frequency / unscaled - 1 / factor) / (1 - 1 / factor);
      if (!(blend > 1e-3 && blend < 1 - 1e-3))
        continue;
      double wavelength = 2 * llvm::numbers::pi / unscaled;
      return checkLength(
          std::llround(wavelength * (blend * (high - low) + low)));
    }
    // Nothing is blended: any length of a range gives these frequencies, and
    // that of Llama 3 is as good as another.
    for (int64_t length : {8192, 4096, 16384, 32768, 65536, 131072, 2048, 1024,
                           512, 256, 128, 64})
      if (auto found = checkLength(length))
        return found;
    return {};
  }
};
} // namespace

FrequenciesAttrInterface posenc::fitFrequencies(MLIRContext *context,
                                                ArrayRef<double> frequencies,
                                                double attentionFactor) {
  Fit fit{context, frequencies};
  bool areNamed = frequencies.size() > 1 && isClose(attentionFactor, 1) &&
                  llvm::all_of(frequencies, [](double f) { return f > 0; });
  if (areNamed) {
    if (FrequenciesAttrInterface found = fit.fitLinear())
      return found;
    if (FrequenciesAttrInterface found = fit.fitLlama3())
      return found;
  }
  return ExplicitFrequenciesAttr::get(
      context, Builder(context).getDenseF64ArrayAttr(frequencies),
      fit.real(isClose(attentionFactor, 1) ? 1.0 : attentionFactor));
}
