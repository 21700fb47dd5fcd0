//===- Window.cpp - The sliding-window mask -------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

LogicalResult WindowOp::verify() {
  RankedTensorType type = getType();
  if (type.getDimSize(0) != 1 || type.getDimSize(1) != 1) // C1
    return emitOpError() << "result is " << type
                         << "; a window is the same for every batch and head, "
                            "so it must be [1, 1, Lq, Lk]";
  if (!getLeft() && !getRight()) // C3
    return emitOpError("bounds neither side; give 'left', 'right' or both, or "
                       "drop the mask");
  auto dilation = static_cast<int64_t>(getDilation());
  if (dilation <= 0) // C4
    return emitOpError() << "'dilation' is " << dilation
                         << "; it is 1 where a row sees every key of its "
                            "window";
  return verifySizes(*this, getSizes(), type); // C2
}

Value WindowOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value row = addOptional(b, loc, at[2], getOffset()), key = at[3];
  Value dilation, visible;
  if (getDilation() != 1)
    dilation = arith::ConstantIndexOp::create(b, loc, getDilation());
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, x, y);
    visible = visible ? arith::AndIOp::create(b, loc, visible, holds) : holds;
  };
  auto inKeys = [&](Value distance) -> Value {
    return dilation ? arith::MulIOp::create(b, loc, distance, dilation)
                    : distance;
  };
  if (Value left = getLeft())
    compare(arith::CmpIPredicate::sge, key,
            arith::SubIOp::create(b, loc, row, inKeys(left)));
  if (Value right = getRight())
    compare(arith::CmpIPredicate::sle, key,
            arith::AddIOp::create(b, loc, row, inKeys(right)));
  if (dilation)
    compare(arith::CmpIPredicate::eq,
            arith::RemSIOp::create(
                b, loc, arith::SubIOp::create(b, loc, key, row), dilation),
            arith::ConstantIndexOp::create(b, loc, 0));
  return visible;
}
