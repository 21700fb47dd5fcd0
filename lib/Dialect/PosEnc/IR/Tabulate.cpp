//===- Tabulate.cpp - A tensor from the formula of an element -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/Tabulate.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

Value posenc::tabulate(OpBuilder &b, Location loc, RankedTensorType type,
                       ArrayRef<OpFoldResult> sizes, EmitElementAt emit) {
  int64_t rank = type.getRank();
  Value init = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value result =
      linalg::GenericOp::create(
          b, loc, init.getType(), ValueRange(), init,
          b.getMultiDimIdentityMap(rank),
          SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
          [&](OpBuilder &b, Location loc, ValueRange) {
            SmallVector<Value> at;
            for (int64_t dim = 0; dim < rank; ++dim)
              at.push_back(linalg::IndexOp::create(b, loc, dim));
            linalg::YieldOp::create(b, loc, emit(b, loc, at));
          })
          .getResult(0);
  if (result.getType() == type)
    return result;
  return tensor::CastOp::create(b, loc, type, result);
}
