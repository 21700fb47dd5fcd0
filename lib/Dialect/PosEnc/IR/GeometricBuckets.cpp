//===- GeometricBuckets.cpp - Where buckets of distances start ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GeometricBuckets.h"

#include "llvm/ADT/APInt.h"
#include <cmath>
#include <numeric>

using llvm::APInt;

/// The width of `base` must hold the power.
static APInt power(APInt base, int64_t exponent) {
  APInt result(base.getBitWidth(), 1);
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

int64_t mlir::posenc::getGeometricStart(int64_t exact, int64_t maxDistance,
                                        int64_t step, int64_t steps,
                                        bool above) {
  // Distances are at most 2^16, so this is off by far less than 1e-9 of its
  // value: rounded up it is the start, unless an integer is that close. Only
  // then the powers are compared, as integers.
  double estimate =
      exact * std::exp(std::log(static_cast<double>(maxDistance) /
                                static_cast<double>(exact)) *
                       static_cast<double>(step) / static_cast<double>(steps));
  double nearest = std::round(estimate);
  if (std::abs(estimate - nearest) > 1e-9 * estimate)
    return static_cast<int64_t>(std::ceil(estimate));
  auto start = static_cast<int64_t>(nearest);
  int64_t common = std::gcd(step, steps);
  step /= common;
  steps /= common;
  unsigned width = 17 * steps + 1; // distances have 17 bits
  auto raise = [&](int64_t base, int64_t exponent) {
    return power(APInt(width, base), exponent);
  };
  APInt bound = raise(maxDistance, step) * raise(exact, steps - step);
  APInt reached = raise(start, steps);
  return (above ? reached.ugt(bound) : reached.uge(bound)) ? start : start + 1;
}
