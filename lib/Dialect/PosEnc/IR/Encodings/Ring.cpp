//===- Ring.cpp - The mask of a ring cache --------------------------------===//
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

using Predicate = arith::CmpIPredicate;

LogicalResult RingOp::verify() {
  RankedTensorType type = getType();
  if (type.getDimSize(1) != 1) // C1
    return emitOpError() << "result is " << type
                         << "; a ring is the same for every head, so it must "
                            "be [B, 1, Lq, Lk]";
  int64_t lengths = getLengths().getType().getDimSize(0);
  if (!extentsMayAgree(lengths, type.getDimSize(0))) // C2
    return emitOpError() << "has " << lengths << " 'lengths' for a batch of "
                         << type.getDimSize(0) << "; one each is needed";
  return verifySizes(*this, getSizes(), type); // C3
}

Value RingOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, loc, x, y);
  };
  auto subtract = [&](Value x, Value y) -> Value {
    return arith::SubIOp::create(b, loc, x, y);
  };
  SmallVector<OpFoldResult> extents = getMixedSizes(b, getSizes(), getType());
  auto extent = [&](int64_t axis) {
    return getValueOrCreateConstantIndexOp(b, loc, extents[axis]);
  };
  Value length = castToIndex(
      b, loc, tensor::ExtractOp::create(b, loc, getLengths(), at[0]));
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value newest = subtract(add(length, extent(2)), one);
  // Of a slot that is not filled yet the remainder is negative, and the slot's
  // number its position: one to come, which no row sees.
  Value age =
      arith::RemSIOp::create(b, loc, subtract(newest, at[3]), extent(3));
  Value key = subtract(newest, age);
  Value row = add(length, at[2]);
  Value seen = arith::CmpIOp::create(b, loc, Predicate::sle, key, row);
  if (!getLeft())
    return seen;
  Value near = arith::CmpIOp::create(b, loc, Predicate::sge, key,
                                     subtract(row, getLeft()));
  return arith::AndIOp::create(b, loc, seen, near);
}
