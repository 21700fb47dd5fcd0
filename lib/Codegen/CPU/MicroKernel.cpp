//===- MicroKernel.cpp - A tile of a product in registers -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"

using namespace mlir;
using namespace mlir::posenc;

SmallVector<Value>
posenc::emitMicroKernel(KernelBuilder &b, Value count,
                        ArrayRef<Value> accumulators,
                        const MicroKernelOperands &operands) {
  int64_t rows = accumulators.size();
  auto lanes = cast<VectorType>(accumulators.front().getType());
  Type element = lanes.getElementType();
  auto tile = VectorType::get({rows, lanes.getDimSize(0)}, element);
  Value start = arith::ConstantOp::create(b, b.getZeroAttr(tile));
  for (auto [r, accumulator] : llvm::enumerate(accumulators))
    start = vector::InsertOp::create(b, accumulator, start, r);
  auto step = [&](Value k, Value carried) -> Value {
    Value row = operands.row(k);
    Value column = vector::FromElementsOp::create(
        b, VectorType::get({rows}, element), operands.column(k));
    return vector::OuterProductOp::create(b, tile, column, row, carried);
  };
  Value sum = b.loop(b.index(0), count, operands.unroll, start,
                     [&](Value k, ValueRange carried) -> SmallVector<Value> {
                       if (operands.prefetch)
                         operands.prefetch(k);
                       Value next = carried.front();
                       for (int64_t u = 0; u < operands.unroll; ++u)
                         next = step(b.add(k, u), next);
                       return {next};
                     })
                  .front();
  SmallVector<Value> sums;
  for (int64_t r = 0; r < rows; ++r)
    sums.push_back(vector::ExtractOp::create(b, sum, r));
  return sums;
}
