//===- RowStaging.cpp - Rows as f32, rotated and scaled -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowStaging.h"

#include "mlir/IR/TypeUtilities.h"
#include "posenc/Formula/RegionInterpreter.h"

using namespace mlir;
using namespace mlir::posenc;

static constexpr int64_t kChunk = 16;

Value posenc::emitToF32(KernelBuilder &b, Value value) {
  if (getElementTypeOrSelf(value).isF32())
    return value;
  Type wide = b.getF32Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    wide = vector.clone(wide);
  return arith::ExtFOp::create(b, wide, value);
}

Value posenc::emitFromF32(KernelBuilder &b, Value vector, Type storage) {
  if (storage.isF32())
    return vector;
  return arith::TruncFOp::create(
      b, cast<VectorType>(vector.getType()).clone(storage), vector);
}

namespace {
/// One row on its way from `source` to `target`.
struct StagedRow {
  KernelBuilder &b;
  Value source, sourceRow, target, targetRow, factor;

  Value load(int64_t lane, int64_t width) {
    Value x =
        emitToF32(b, b.loadVector(width, source, {sourceRow, b.index(lane)}));
    return factor ? b.fmul(x, b.broadcast(width, factor)) : x;
  }
  void store(Value x, int64_t lane) {
    b.storeVector(x, target, {targetRow, b.index(lane)});
  }
  void copy(int64_t begin, int64_t end) {
    for (auto [offset, width] : chunks(end - begin, kChunk))
      store(load(begin + offset, width), begin + offset);
  }
  void rotate(const RowRotation &rotation, OpBuilder outside);
};
} // namespace

void StagedRow::rotate(const RowRotation &rotation, OpBuilder outside) {
  bool interleaved = rotation.lanes.getPairing() == Pairing::Interleaved;
  for (auto [pair, width] : chunks(rotation.lanes.getNumPairs(), kChunk)) {
    Lanes lanes(b.getLoc(), width, {outside, b});
    Value firstPair = arith::ConstantIndexOp::create(outside, b.getLoc(), pair);
    SmallVector<LaneValue> cosSin = interpret<Lanes>(
        *rotation.region,
        {LaneValue{rotation.batch}, LaneValue{rotation.head},
         LaneValue{sourceRow, 0, {}, 1}, LaneValue{firstPair, 1}},
        lanes);
    Value cos = lanes.asVector(cosSin[0]), sin = lanes.asVector(cosSin[1]);
    auto [xLane, yLane] = rotation.lanes.getPair(pair);
    Value x, y;
    if (interleaved) {
      auto halves = vector::DeinterleaveOp::create(b, load(xLane, 2 * width));
      x = halves.getRes1();
      y = halves.getRes2();
    } else {
      x = load(xLane, width);
      y = load(yLane, width);
    }
    Value minusSin = arith::NegFOp::create(b, sin);
    Value turnedX = b.fma(x, cos, b.fmul(y, minusSin));
    Value turnedY = b.fma(x, sin, b.fmul(y, cos));
    if (interleaved) {
      store(vector::InterleaveOp::create(b, turnedX, turnedY), xLane);
    } else {
      store(turnedX, xLane);
      store(turnedY, yLane);
    }
  }
}

void posenc::emitStageRows(KernelBuilder &b, Value source, Value first,
                           Value last, Value count, Value target, int64_t size,
                           Value factor, const RowRotation *rotation) {
  OpBuilder outside = b;
  b.loop(b.index(0), count, 1, [&](Value r) {
    StagedRow row{b, source, b.min(b.add(first, r), last), target, r, factor};
    if (!rotation) {
      row.copy(0, size);
      return;
    }
    int64_t begin = rotation->lanes.getFirst();
    row.copy(0, begin);
    row.rotate(*rotation, outside);
    row.copy(begin + rotation->lanes.getCount(), size);
  });
}
