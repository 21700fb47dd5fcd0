//===- ScheduleModel.cpp - The cost model of attention on CPUs ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleModel.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::posenc;

/// Query rows in the registers of one tile: four vectors of 512 bits, since an
/// FMA's broadcast must be used four times; two of 256 and four of 128 bits,
/// which leave room for the accumulators.
static int64_t getPrefillLanes(const Target &target) {
  return target.vectorBits == 512 ? 64 : 16;
}

int64_t posenc::getMaxDecodeRows(const Target &target) {
  // Prefill computes all lanes of a tile whatever the number of rows, at about
  // 80 % of the peak. Decode computes single rows at the speed of memory,
  // about 5 %. They meet near lanes / 16.
  return std::max<int64_t>(1, getPrefillLanes(target) / 16);
}

int64_t posenc::getStaticQueryRows(AttentionOp op) {
  return AttentionOp::getShapeBHLD(op.getQuery(), op.getQueryLayout())[2];
}

/// Keys of a block such that block, scores and outputs stay in half of L2;
/// speed is flat between 32 and 128 keys.
static int64_t getPrefillKeyBlock(AttentionOp op, const Target &target) {
  int64_t headSize =
      AttentionOp::getShapeBHLD(op.getKey(), op.getKeyLayout())[3];
  int64_t valueSize =
      AttentionOp::getShapeBHLD(op.getValue(), op.getValueLayout())[3];
  int64_t bytesPerKey = (headSize + valueSize) * sizeof(float);
  int64_t keys = 64;
  while (keys > 16 && keys * bytesPerKey > target.l2Bytes / 2)
    keys /= 2;
  return keys;
}

/// Ranges of keys a head is split into: 16 units or more of one sequence, to
/// occupy the threads of a usual machine.
static int64_t getDecodeSplit(AttentionOp op) {
  int64_t heads = AttentionOp::getShapeBHLD(op.getKey(), op.getKeyLayout())[1];
  if (ShapedType::isDynamic(heads) || heads == 0)
    return 4;
  return std::clamp<int64_t>(llvm::divideCeil(16, heads), 1, 8);
}

CPUScheduleAttr posenc::chooseSchedule(AttentionOp op, CPUKernel kernel,
                                       const Target &target) {
  MLIRContext *context = op.getContext();
  if (kernel == CPUKernel::Decode)
    return CPUScheduleAttr::get(context, kernel, /*query_block=*/1,
                                /*key_block=*/256,
                                /*lanes=*/target.vectorBits / 32, /*rows=*/4,
                                getDecodeSplit(op));
  // A sixth row of strided scalars does not fit beside NEON's accumulators.
  int64_t rows = target.vectorBits == 128 ? 5 : 6;
  return CPUScheduleAttr::get(context, kernel, /*query_block=*/64,
                              getPrefillKeyBlock(op, target),
                              getPrefillLanes(target), rows, /*split=*/1);
}
