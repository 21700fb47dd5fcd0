//===- Prefix.cpp - The prefix-LM mask ------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

using Predicate = arith::CmpIPredicate;

/// C4.
static LogicalResult verifyBlocks(PrefixOp op) {
  RankedTensorType type = op.getType();
  RankedTensorType query = op.getQueryBlocks().getType();
  RankedTensorType key = op.getKeyBlocks().getType();
  if (query.getElementType() == key.getElementType() &&
      positionsFit(query, type.getDimSize(0), type.getDimSize(2)) &&
      positionsFit(key, type.getDimSize(0), type.getDimSize(3)))
    return success();
  return op.emitOpError() << "'query_blocks' is " << query
                          << " and 'key_blocks' " << key << " for a result "
                          << type
                          << "; they must be [B or 1, Lq] and [B or 1, Lk] of "
                             "one type";
}

LogicalResult PrefixOp::verify() {
  RankedTensorType type = getType();
  if (type.getDimSize(1) != 1) // C1
    return emitOpError() << "result is " << type
                         << "; prefixes are the same for every head, so it "
                            "must be [B, 1, Lq, Lk]";
  bool hasBlocks = getQueryBlocks() && getKeyBlocks();
  bool hasAnyBlocks = getQueryBlocks() || getKeyBlocks();
  if (getLengths() ? hasAnyBlocks : !hasBlocks) // C2
    return emitOpError("takes either 'lengths' or both of 'query_blocks' and "
                       "'key_blocks'; give one of the two forms");
  if (getLengths()) {
    int64_t lengths = getLengths().getType().getDimSize(0);
    if (!extentsMayAgree(lengths, type.getDimSize(0))) // C3
      return emitOpError() << "has " << lengths << " 'lengths' for a batch of "
                           << type.getDimSize(0) << "; one each is needed";
  } else if (failed(verifyBlocks(*this))) { // C4
    return failure();
  }
  return verifySizes(*this, getSizes(), type); // C5
}

Value PrefixOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  auto compare = [&](Predicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  Value causal =
      compare(Predicate::sle, at[3], addOptional(b, loc, at[2], getOffset()));
  Value within;
  if (getLengths()) {
    Value length = castToIndex(
        b, loc, tensor::ExtractOp::create(b, loc, getLengths(), at[0]));
    within = compare(Predicate::slt, at[3], length);
  } else {
    Value query = emitPosition(b, loc, getQueryBlocks(), {}, at[0], at[2]);
    Value key = emitPosition(b, loc, getKeyBlocks(), {}, at[0], at[3]);
    Value none =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(query.getType(), 0));
    within = arith::AndIOp::create(b, loc, compare(Predicate::eq, query, key),
                                   compare(Predicate::sge, query, none));
  }
  return arith::OrIOp::create(b, loc, causal, within);
}
