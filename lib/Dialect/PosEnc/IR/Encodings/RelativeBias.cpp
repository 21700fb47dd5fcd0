//===- RelativeBias.cpp - A bias by distance ------------------------------===//
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

LogicalResult RelativeBiasOp::verify() {
  RankedTensorType type = getType(), table = getTable().getType();
  if (failed(verifySharedByBatch(*this, type))) // C1
    return failure();
  if (table.getDimSize(0) == 0 ||
      !extentsMayAgree(table.getDimSize(1), type.getDimSize(1))) // C2
    return emitOpError() << "table is " << table << " for a result " << type
                         << "; it must be [N, Hq], with at least one row";
  return verifySizes(*this, getSizes(), type); // C3
}

Value RelativeBiasOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value relative = emitRelativePosition(b, loc, at, getOffset());
  Value row =
      getSign() == RelativeSign::KeyMinusQuery
          ? arith::AddIOp::create(b, loc, getOrigin(), relative).getResult()
          : arith::SubIOp::create(b, loc, getOrigin(), relative).getResult();
  Value nearest = clampToExtent(b, loc, row, getTable(), /*dim=*/0);
  Value bias = castToF32(b, loc,
                         tensor::ExtractOp::create(b, loc, getTable(),
                                                   ValueRange{nearest, at[1]}));
  if (getOutside() == OutsideTable::Clip)
    return bias;
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, row, nearest);
  return arith::SelectOp::create(b, loc, inside, bias, createF32(b, loc, 0.0));
}

void RelativeBiasOp::emitRangeConditions(
    OpBuilder &b, Location loc,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  appendRowExists(b, loc, getMixedSizes(b, getSizes(), getType()), getTable(),
                  "the table of a relative bias", conditions);
}
