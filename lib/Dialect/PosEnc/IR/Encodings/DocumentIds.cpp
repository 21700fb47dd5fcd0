//===- DocumentIds.cpp - Documents by their boundaries --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::posenc;

LogicalResult DocumentIdsOp::verify() {
  RankedTensorType type = getType(), boundaries = getBoundaries().getType();
  if (type.getDimSize(0) != 1 ||
      type.getElementType() != boundaries.getElementType()) // C1
    return emitOpError() << "result is " << type << " for boundaries "
                         << boundaries
                         << "; it must be [1, L] of their element type";
  if (boundaries.getDimSize(0) == 0) // C2
    return emitOpError("has no boundary; give at least the first, 0");
  return verifySizes(*this, getSizes(), type); // C3
}

/// How often a range of `extent` elements is halved until one is left.
static int64_t getHalvings(int64_t extent) {
  constexpr int64_t most = 32; // Positions are below 2^31.
  return ShapedType::isDynamic(extent)
             ? most
             : static_cast<int64_t>(llvm::Log2_64_Ceil(extent)) + 1;
}

Value DocumentIdsOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value boundaries = getBoundaries(), token = at[1], two = constant(2);
  auto read = [&](OpBuilder &b, Value number) {
    return castToIndex(b, loc,
                       tensor::ExtractOp::create(b, loc, boundaries, number));
  };
  // The last boundary at or before the token is in [low, high).
  Value extent = tensor::DimOp::create(b, loc, boundaries, 0);
  auto search = scf::ForOp::create(
      b, loc, constant(0),
      constant(getHalvings(getBoundaries().getType().getDimSize(0))),
      constant(1), ValueRange{constant(0), extent},
      [&](OpBuilder &b, Location loc, Value, ValueRange range) {
        Value low = range[0], high = range[1];
        Value middle = arith::DivSIOp::create(
            b, loc, arith::AddIOp::create(b, loc, low, high), two);
        Value reached = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle,
                                              read(b, middle), token);
        scf::YieldOp::create(
            b, loc,
            ValueRange{arith::SelectOp::create(b, loc, reached, middle, low),
                       arith::SelectOp::create(b, loc, reached, high, middle)});
      });
  Value number = search.getResult(0);
  if (getNumber() == DocumentNumber::Position)
    number = arith::SubIOp::create(b, loc, token, read(b, number));
  return arith::IndexCastOp::create(b, loc, getType().getElementType(), number);
}

void DocumentIdsOp::emitRangeConditions(
    OpBuilder &b, Location loc,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  appendRowExists(b, loc, getMixedSizes(b, getSizes(), getType()),
                  getBoundaries(), "the list of document boundaries",
                  conditions);
}
