//===- GlobalTokens.cpp - The mask of global tokens -----------------------===//
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

LogicalResult GlobalTokensOp::verify() {
  RankedTensorType type = getType();
  if (type.getDimSize(1) != 1) // C1
    return emitOpError() << "result is " << type
                         << "; global tokens are the same for every head, so "
                            "it must be [B, 1, Lq, Lk]";
  if (!getQueryGlobal() && !getKeyGlobal()) // C2
    return emitOpError("has no global tokens; give 'query_global', "
                       "'key_global' or both, or drop the mask");
  auto verifyTokens = [&](TypedValue<RankedTensorType> tokens, StringRef name,
                          int64_t axis, StringRef length) -> LogicalResult {
    if (!tokens || positionsFit(tokens.getType(), type.getDimSize(0),
                                type.getDimSize(axis)))
      return success();
    return emitOpError() << "'" << name << "' is " << tokens.getType()
                         << " for a result " << type << "; it must be [B or 1, "
                         << length << "]";
  };
  if (failed(verifyTokens(getQueryGlobal(), "query_global", 2, "Lq")) ||
      failed(verifyTokens(getKeyGlobal(), "key_global", 3, "Lk"))) // C3
    return failure();
  return verifySizes(*this, getSizes(), type); // C4
}

Value GlobalTokensOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value row, key;
  if (getQueryGlobal())
    row = emitPosition(b, loc, getQueryGlobal(), {}, at[0], at[2]);
  if (getKeyGlobal())
    key = emitPosition(b, loc, getKeyGlobal(), {}, at[0], at[3]);
  if (row && key)
    return arith::OrIOp::create(b, loc, row, key);
  return row ? row : key;
}
