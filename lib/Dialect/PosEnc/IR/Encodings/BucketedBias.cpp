//===- BucketedBias.cpp - A bias by bucket of distance --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "llvm/ADT/APInt.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::posenc;

/// Longest table of buckets by distance that the formula may hold.
static constexpr int64_t kMaxDistance = 65536;

/// The width of `base` must hold the power.
static APInt power(APInt base, int64_t exponent) {
  APInt result(base.getBitWidth(), 1);
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

/// The least n with (n / exact)^steps >= (maxDistance / exact)^step.
static int64_t getBucketStart(int64_t exact, int64_t maxDistance, int64_t step,
                              int64_t steps) {
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
  return raise(start, steps).uge(bound) ? start : start + 1;
}

SmallVector<int64_t> BucketedBiasOp::getBucketStarts(int64_t numBuckets,
                                                     int64_t maxDistance) {
  int64_t exact = numBuckets / 2, steps = numBuckets - exact;
  SmallVector<int64_t> starts;
  for (int64_t distance = 0; distance < exact; ++distance)
    starts.push_back(distance);
  for (int64_t step = 0; step < steps; ++step)
    starts.push_back(getBucketStart(exact, maxDistance, step, steps));
  return starts;
}

/// C1, C5: `gate` has a number for each row of the result.
static LogicalResult verifyGate(BucketedBiasOp op) {
  RankedTensorType type = op.getType(), gate = op.getGate().getType();
  if (llvm::all_of(
          llvm::zip_equal(gate.getShape(), type.getShape().drop_back()),
          [](auto pair) {
            auto [gates, rows] = pair;
            return extentsMayAgree(gates, rows);
          }))
    return success();
  return op.emitOpError() << "'gate' is " << gate << " for a result " << type
                          << "; it must be [B, Hq, Lq], one for each row";
}

LogicalResult BucketedBiasOp::verify() {
  RankedTensorType type = getType(), table = getTable().getType();
  if (!getGate() && failed(verifySharedByBatch(*this, type))) // C1
    return failure();
  if (getGate() && failed(verifyGate(*this))) // C1, C5
    return failure();
  int64_t rows = table.getDimSize(0);
  int64_t directions = getBidirectional() ? 2 : 1;
  if (ShapedType::isDynamic(rows) || rows % directions ||
      rows / directions < 2 ||
      !extentsMayAgree(table.getDimSize(1), type.getDimSize(1))) // C2
    return emitOpError() << "table is " << table << " for a result " << type
                         << "; it must be [buckets, Hq], with a static number "
                            "of buckets, at least two a direction and as many "
                            "for either";
  int64_t exact = rows / directions / 2, maxDistance = getMaxDistance();
  if (maxDistance <= exact || maxDistance > kMaxDistance) // C4
    return emitOpError() << "'max_distance' is " << maxDistance
                         << "; it must be greater than " << exact
                         << ", the number of distances with a bucket of their "
                            "own, and at most "
                         << kMaxDistance;
  return verifySizes(*this, getSizes(), type); // C3
}

/// The bucket of each relative position: from -(size / 2) up if bidirectional,
/// else of each distance from 0 up; the last distance is the first of the last
/// bucket.
static SmallVector<int32_t> getBuckets(ArrayRef<int64_t> starts,
                                       bool bidirectional) {
  auto part = [&](int64_t distance) {
    return static_cast<int32_t>(llvm::upper_bound(starts, distance) -
                                starts.begin() - 1);
  };
  int64_t last = starts.back();
  SmallVector<int32_t> buckets;
  for (int64_t r = bidirectional ? -last : 0; r <= last; ++r) {
    bool keyIsAfter = bidirectional && r > 0;
    buckets.push_back(part(std::abs(r)) +
                      (keyIsAfter ? static_cast<int32_t>(starts.size()) : 0));
  }
  return buckets;
}

Value BucketedBiasOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  bool bidirectional = getBidirectional();
  int64_t numBuckets =
      getTable().getType().getDimSize(0) / (bidirectional ? 2 : 1);
  SmallVector<int64_t> starts = getBucketStarts(numBuckets, getMaxDistance());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value last = constant(starts.back());
  Value r = emitRelativePosition(b, loc, at, getOffset());
  Value entry; // of the table of buckets
  if (bidirectional) {
    r = arith::MaxSIOp::create(b, loc, r, constant(-starts.back()));
    r = arith::MinSIOp::create(b, loc, r, last);
    entry = arith::AddIOp::create(b, loc, r, last);
  } else {
    Value distance = arith::SubIOp::create(b, loc, constant(0), r);
    distance = arith::MaxSIOp::create(b, loc, distance, constant(0));
    entry = arith::MinSIOp::create(b, loc, distance, last);
  }
  Value bucket = castToIndex(
      b, loc, readTable(b, loc, getBuckets(starts, bidirectional), entry));
  Value bias = castToF32(
      b, loc,
      tensor::ExtractOp::create(b, loc, getTable(), ValueRange{bucket, at[1]}));
  if (!getGate())
    return bias;
  Value gate = tensor::ExtractOp::create(b, loc, getGate(), at.drop_back());
  return arith::MulFOp::create(b, loc, gate, bias);
}
