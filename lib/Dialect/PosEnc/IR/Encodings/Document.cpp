//===- Document.cpp - The mask of packed documents ------------------------===//
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

LogicalResult DocumentOp::verify() {
  RankedTensorType type = getType();
  if (type.getDimSize(1) != 1) // C1
    return emitOpError() << "result is " << type
                         << "; documents are the same for every head, so it "
                            "must be [B, 1, Lq, Lk]";
  RankedTensorType query = getQueryIds().getType(), key = getKeyIds().getType();
  if (query.getElementType() != key.getElementType() ||
      !positionsFit(query, type.getDimSize(0), type.getDimSize(2)) ||
      !positionsFit(key, type.getDimSize(0), type.getDimSize(3))) // C2
    return emitOpError() << "'query_ids' is " << query << " and 'key_ids' "
                         << key << " for a result " << type
                         << "; they must be [B or 1, Lq] and [B or 1, Lk] of "
                            "one type";
  return verifySizes(*this, getSizes(), type); // C3
}

Value DocumentOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  return arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq,
      emitPosition(b, loc, getQueryIds(), {}, at[0], at[2]),
      emitPosition(b, loc, getKeyIds(), {}, at[0], at[3]));
}
