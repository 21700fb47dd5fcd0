//===- RelativeBias2D.cpp - A bias by distance within a window ------------===//
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

LogicalResult RelativeBias2DOp::verify() {
  if (failed(verifyWindow(*this, getWindow()))) // C1
    return failure();
  RankedTensorType type = getType(), table = getTable().getType();
  int64_t tokens = getWindow()[0] * getWindow()[1] + getClassToken();
  if (type.getDimSize(0) != 1 || type.getDimSize(2) != tokens ||
      type.getDimSize(3) != tokens) // C2
    return emitOpError() << "result is " << type << " for " << tokens
                         << " tokens; it must be [1, Hq, " << tokens << ", "
                         << tokens << "]";
  int64_t rows = countWindowDistances(getWindow()) + (getClassToken() ? 3 : 0);
  if (table.getDimSize(0) != rows ||
      !extentsMayAgree(table.getDimSize(1), type.getDimSize(1))) // C3
    return emitOpError() << "table is " << table << " for a result " << type
                         << "; it must be [" << rows
                         << ", Hq], a row for each distance between places"
                         << (getClassToken() ? " and 3 of the class token"
                                             : "");
  return verifySizes(*this, getSizes(), type); // C4
}

/// The row of the table, `(dh + Wh - 1)(2 Ww - 1) + dw + Ww - 1`, for places
/// counted row by row.
static Value emitTableRow(OpBuilder &b, Location loc, Value query, Value key,
                          ArrayRef<int64_t> window) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value width = constant(window[1]), pitch = constant(2 * window[1] - 1);
  // A number for each side, so that an element needs no more than their
  // difference.
  auto emitPlace = [&](Value token) -> Value {
    Value row = arith::DivSIOp::create(b, loc, token, width);
    Value column = arith::RemSIOp::create(b, loc, token, width);
    return arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, row, pitch), column);
  };
  Value middle = constant(countWindowDistances(window) / 2);
  Value difference =
      arith::SubIOp::create(b, loc, emitPlace(query), emitPlace(key));
  return arith::AddIOp::create(b, loc, difference, middle);
}

Value RelativeBias2DOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value query = at[2], key = at[3], row;
  if (getClassToken()) {
    Value zero = constant(0), one = constant(1);
    // The class token has no place; it counts as the first.
    auto emitPlace = [&](Value token) -> Value {
      Value place = arith::SubIOp::create(b, loc, token, one);
      return arith::MaxSIOp::create(b, loc, place, zero);
    };
    auto isClass = [&](Value token) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, token,
                                   zero);
    };
    auto choose = [&](Value condition, Value yes, Value no) -> Value {
      return arith::SelectOp::create(b, loc, condition, yes, no);
    };
    int64_t distances = countWindowDistances(getWindow());
    row = emitTableRow(b, loc, emitPlace(query), emitPlace(key), getWindow());
    Value ofQuery =
        choose(isClass(key), constant(distances + 2), constant(distances));
    Value ofKey = choose(isClass(key), constant(distances + 1), row);
    row = choose(isClass(query), ofQuery, ofKey);
  } else {
    row = emitTableRow(b, loc, query, key, getWindow());
  }
  return castToF32(
      b, loc,
      tensor::ExtractOp::create(b, loc, getTable(), ValueRange{row, at[1]}));
}
