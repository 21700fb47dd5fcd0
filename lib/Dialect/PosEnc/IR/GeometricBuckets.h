//===- GeometricBuckets.h - Where buckets of distances start ----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_GEOMETRICBUCKETS_H
#define POSENC_DIALECT_POSENC_IR_GEOMETRICBUCKETS_H

#include <cstdint>

namespace mlir::posenc {

/// Longest distance that a table of buckets by distance may hold.
inline constexpr int64_t kMaxBucketedDistance = 65536;

/// The least n with `(n / exact)^steps >= (maxDistance / exact)^step`, or `>`
/// if `above`, in exact arithmetic; `step` is at most `steps`, and
/// `maxDistance` at most kMaxBucketedDistance.
int64_t getGeometricStart(int64_t exact, int64_t maxDistance, int64_t step,
                          int64_t steps, bool above = false);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_GEOMETRICBUCKETS_H
