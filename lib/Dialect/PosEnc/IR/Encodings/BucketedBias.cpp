//===- BucketedBias.cpp - A bias by bucket of distance --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../GeometricBuckets.h"
#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

SmallVector<int64_t> BucketedBiasOp::getBucketStarts(int64_t numBuckets,
                                                     int64_t maxDistance) {
  int64_t exact = numBuckets / 2, steps = numBuckets - exact;
  SmallVector<int64_t> starts;
  for (int64_t distance = 0; distance < exact; ++distance)
    starts.push_back(distance);
  for (int64_t step = 0; step < steps; ++step)
    starts.push_back(getGeometricStart(exact, maxDistance, step, steps));
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
  if (maxDistance <= exact || maxDistance > kMaxBucketedDistance) // C4
    return emitOpError() << "'max_distance' is " << maxDistance
                         << "; it must be greater than " << exact
                         << ", the number of distances with a bucket of their "
                            "own, and at most "
                         << kMaxBucketedDistance;
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
