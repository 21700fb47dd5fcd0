//===- Transposes.cpp - Between rows and lanes ----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Transposes.h"

using namespace mlir;
using namespace mlir::posenc;

void posenc::emitTranspose(KernelBuilder &b, Value source, Value target) {
  constexpr int64_t side = kTransposeSide;
  auto square = VectorType::get({side, side}, b.getF32Type());
  ArrayRef<int64_t> extents = cast<MemRefType>(source.getType()).getShape();
  Value zero = b.index(0);
  b.loop(zero, b.index(extents[0]), side, [&](Value row) {
    b.loop(zero, b.index(extents[1]), side, [&](Value column) {
      Value values = arith::ConstantOp::create(b, b.getZeroAttr(square));
      for (int64_t r = 0; r < side; ++r)
        values = vector::InsertOp::create(
            b, b.loadVector(side, source, {b.add(row, r), column}), values, r);
      Value turned =
          vector::TransposeOp::create(b, values, ArrayRef<int64_t>{1, 0});
      for (int64_t r = 0; r < side; ++r)
        b.storeVector(vector::ExtractOp::create(b, turned, r), target,
                      {b.add(column, r), row});
    });
  });
}
