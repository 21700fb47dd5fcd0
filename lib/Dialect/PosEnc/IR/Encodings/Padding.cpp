//===- Padding.cpp - The padding mask -------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

LogicalResult PaddingOp::verify() {
  RankedTensorType type = getType();
  if (type.getDimSize(1) != 1 || type.getDimSize(2) != 1) // C1
    return emitOpError() << "result is " << type
                         << "; padding is the same for every head and row, so "
                            "it must be [B, 1, 1, Lk]";
  int64_t batch = getLengths().getType().getDimSize(0);
  if (!extentsMayAgree(batch, type.getDimSize(0))) // C2
    return emitOpError() << "has " << batch << " 'lengths' for a batch of "
                         << type.getDimSize(0) << "; one each is needed";
  return verifySizes(*this, getSizes(), type); // C3
}

Value PaddingOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value length = castToIndex(
      b, loc, tensor::ExtractOp::create(b, loc, getLengths(), at[0]));
  Value key = at[3];
  if (!getLeft())
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, key,
                                 length);
  Value keys = getValueOrCreateConstantIndexOp(
      b, loc, getMixedSizes(b, getSizes(), getType())[3]);
  Value first = arith::SubIOp::create(b, loc, keys, length);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, key, first);
}
