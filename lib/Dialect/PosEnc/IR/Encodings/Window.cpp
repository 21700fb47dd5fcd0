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
  return verifySizes(*this, getSizes(), type); // C2
}

Value WindowOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value row = addOptional(b, loc, at[2], getOffset()), key = at[3];
  Value visible;
  if (getLeft()) {
    Value first = arith::SubIOp::create(b, loc, row, getLeft());
    visible =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, key, first);
  }
  if (getRight()) {
    Value last = arith::AddIOp::create(b, loc, row, getRight());
    Value notAfter =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, key, last);
    visible =
        visible ? arith::AndIOp::create(b, loc, visible, notAfter) : notAfter;
  }
  return visible;
}
