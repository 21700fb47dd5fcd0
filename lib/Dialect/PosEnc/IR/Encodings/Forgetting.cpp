//===- Forgetting.cpp - A bias of forget gates ----------------------------===//
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

LogicalResult ForgettingOp::verify() {
  RankedTensorType type = getType(); // C1: any f32 of rank 4
  auto fits = [&](RankedTensorType sums) {
    return extentsMayAgree(sums.getDimSize(0), type.getDimSize(0)) &&
           extentsMayAgree(sums.getDimSize(1), type.getDimSize(1)) &&
           extentsMayAgree(sums.getDimSize(2), type.getDimSize(3));
  };
  if (!fits(getSums().getType())) // C2
    return emitOpError() << "'sums' are " << getSums().getType()
                         << " for a result " << type
                         << "; they must be [B, Hq, Lk], a sum for each key";
  if (getBackward() && !fits(getBackward().getType())) // C2
    return emitOpError() << "'backward' is " << getBackward().getType()
                         << " for a result " << type
                         << "; it must be [B, Hq, Lk], a sum for each key";
  return verifySizes(*this, getSizes(), type); // C3
}

Value ForgettingOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value batch = at[0], head = at[1], key = at[3];
  Value position = addOptional(b, loc, at[2], getOffset());
  Value row = clampToExtent(b, loc, position, getSums(), /*dim=*/2);
  auto read = [&](Value sums, Value index) -> Value {
    return tensor::ExtractOp::create(b, loc, sums,
                                     ValueRange{batch, head, index});
  };
  // Sums grow along the keys, their differences do not: no sum stands alone.
  Value before =
      arith::SubFOp::create(b, loc, read(getSums(), row), read(getSums(), key));
  if (!getBackward())
    return before;
  Value after = arith::SubFOp::create(b, loc, read(getBackward(), key),
                                      read(getBackward(), row));
  Value isAfter =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, key, position);
  return arith::SelectOp::create(b, loc, isAfter, after, before);
}
