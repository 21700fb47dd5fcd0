//===- Transposes.cpp - Between rows and lanes ----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transposes.h"

using namespace mlir;
using namespace mlir::posenc;

SmallVector<Value> posenc::emitTransposed(KernelBuilder &b,
                                          ArrayRef<Value> vectors) {
  constexpr int64_t side = kTransposeSide;
  SmallVector<Value> rows(vectors);
  // Each stage exchanges one bit of the row's number with that of the lane's.
  for (int64_t bit = 1; bit < side; bit *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < side; ++lane) {
      bool second = lane & bit;
      low.push_back(second ? side + lane - bit : lane);
      high.push_back(second ? side + lane : lane + bit);
    }
    for (int64_t row = 0; row < side; ++row) {
      if (row & bit)
        continue;
      Value x = rows[row], y = rows[row + bit];
      rows[row] = vector::ShuffleOp::create(b, x, y, low);
      rows[row + bit] = vector::ShuffleOp::create(b, x, y, high);
    }
  }
  return rows;
}

void posenc::emitTranspose(KernelBuilder &b, Value source, Value target) {
  constexpr int64_t side = kTransposeSide;
  ArrayRef<int64_t> extents = cast<MemRefType>(source.getType()).getShape();
  Value zero = b.index(0);
  b.loop(zero, b.index(extents[0]), side, [&](Value row) {
    b.loop(zero, b.index(extents[1]), side, [&](Value column) {
      SmallVector<Value> rows;
      for (int64_t r = 0; r < side; ++r)
        rows.push_back(b.loadVector(side, source, {b.add(row, r), column}));
      for (auto [r, turned] : llvm::enumerate(emitTransposed(b, rows)))
        b.storeVector(turned, target, {b.add(column, r), row});
    });
  });
}

namespace {
/// A vector each lane of which is part of the sum of one of the inputs.
struct PartialSums {
  Value vector;
  SmallVector<int64_t> input;
};
} // namespace

/// The two shuffles of a pair of vectors of `lanes` lanes whose sum halves the
/// lanes an input has left. Within 128-bit quarters first (unpack), then odd
/// quarters to even ones: what one instruction does.
static std::pair<SmallVector<int64_t>, SmallVector<int64_t>>
halvingShuffles(int64_t lanes, unsigned stage) {
  constexpr int64_t quarter = 4;
  SmallVector<int64_t> low, high;
  if (stage < 2) {
    for (int64_t at = 0; at < lanes; at += quarter) {
      low.append({at, lanes + at, at + 1, lanes + at + 1});
      high.append({at + 2, lanes + at + 2, at + 3, lanes + at + 3});
    }
    return {low, high};
  }
  for (int64_t at = 0; at < 2 * lanes; at += 2 * quarter)
    for (int64_t lane = at; lane < at + quarter; ++lane) {
      low.push_back(lane);
      high.push_back(lane + quarter);
    }
  return {low, high};
}

Value posenc::emitSumsOfLanes(KernelBuilder &b, ArrayRef<Value> vectors) {
  int64_t lanes = vectors.size();
  SmallVector<PartialSums> sums;
  for (auto [at, vector] : llvm::enumerate(vectors))
    sums.push_back({vector, SmallVector<int64_t>(lanes, at)});
  for (unsigned stage = 0; sums.size() > 1; ++stage) {
    auto [low, high] = halvingShuffles(lanes, stage);
    SmallVector<PartialSums> halved;
    for (size_t at = 0; at < sums.size(); at += 2) {
      const PartialSums &x = sums[at], &y = sums[at + 1];
      PartialSums &sum = halved.emplace_back();
      sum.vector =
          b.fadd(vector::ShuffleOp::create(b, x.vector, y.vector, low),
                 vector::ShuffleOp::create(b, x.vector, y.vector, high));
      for (int64_t lane : low)
        sum.input.push_back(lane < lanes ? x.input[lane]
                                         : y.input[lane - lanes]);
    }
    sums = std::move(halved);
  }
  const PartialSums &sum = sums.front();
  SmallVector<int64_t> order(lanes);
  for (int64_t lane = 0; lane < lanes; ++lane)
    order[sum.input[lane]] = lane;
  return vector::ShuffleOp::create(b, sum.vector, sum.vector, order);
}
