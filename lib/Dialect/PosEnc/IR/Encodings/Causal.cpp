//===- Causal.cpp - The causal mask ---------------------------------------===//
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

LogicalResult CausalOp::verify() {
  RankedTensorType type = getType();
  if (type.getDimSize(0) != 1 || type.getDimSize(1) != 1) // C1
    return emitOpError() << "result is " << type
                         << "; a causal mask is the same for every batch and "
                            "head, so it must be [1, 1, Lq, Lk]";
  return verifySizes(*this, getSizes(), type); // C2
}

Value CausalOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value last = addOptional(b, loc, at[2], getOffset());
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, at[3], last);
}
