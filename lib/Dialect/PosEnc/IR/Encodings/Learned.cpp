//===- Learned.cpp - Rows of a learned table ------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

/// C6: every row that is known now to be read lies within the table.
static LogicalResult verifyRows(LearnedOp op) {
  int64_t rows = op.getTable().getType().getDimSize(0);
  int64_t length = op.getType().getShape().take_back(2).front();
  if (op.getOutOfRange() == OutOfRange::Clamp || op.getPositions() ||
      op.getOffset() || ShapedType::isDynamic(rows) ||
      ShapedType::isDynamic(length) || length == 0)
    return success();
  int64_t first = op.getRowOffset();
  if (first >= 0 && first <= rows - length)
    return success();
  return op.emitOpError() << "reads " << length << " rows from row " << first
                          << " on of a table of " << rows
                          << " rows; shorten the sequence, lengthen the table, "
                             "or ask for 'out_of_range(<clamp>)'";
}

LogicalResult LearnedOp::verify() {
  RankedTensorType type = getType(), table = getTable().getType();
  Type element = type.getElementType();
  if (!extentsMayAgree(table.getDimSize(1), type.getShape().back()) ||
      (!element.isF32() && element != table.getElementType())) // C1
    return emitOpError() << "result is " << type << " for a table " << table
                         << "; it must be [L, d] or [B, L, d] of f32 or the "
                            "table's type, with the table's d";
  if (table.getDimSize(0) == 0) // C2
    return emitOpError() << "table is " << table
                         << "; it must have at least one row";
  if (failed(
          verifyPositions(*this, getPositions(), getOffset(), type))) // C3, C5
    return failure();
  if (failed(verifyRows(*this))) // C6
    return failure();
  return verifySizes(*this, getSizes(), type); // C4
}

Value LearnedOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value position = castToIndex(b, loc,
                               emitPosition(b, loc, getPositions(), getOffset(),
                                            /*batch=*/at.front(),
                                            /*row=*/at.take_back(2).front()));
  Value row = position;
  if (auto offset = static_cast<int64_t>(getRowOffset()))
    row = arith::AddIOp::create(b, loc, position,
                                arith::ConstantIndexOp::create(b, loc, offset));
  row = clampToExtent(b, loc, row, getTable(), /*dim=*/0);
  Value element =
      tensor::ExtractOp::create(b, loc, getTable(), ValueRange{row, at.back()});
  return getType().getElementType().isF32() ? castToF32(b, loc, element)
                                            : element;
}

void LearnedOp::emitRangeConditions(
    OpBuilder &b, Location loc,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  SmallVector<OpFoldResult> shape = getMixedSizes(b, getSizes(), getType());
  if (getOutOfRange() == OutOfRange::Clamp || getPositions()) {
    appendRowExists(b, loc, shape, getTable(),
                    "the table of a learned encoding", conditions);
    return;
  }
  OpFoldResult first = b.getIndexAttr(getRowOffset());
  if (getOffset())
    first = b.createOrFold<arith::AddIOp>(
        loc, getOffset(), getValueOrCreateConstantIndexOp(b, loc, first));
  OpFoldResult length = *(shape.end() - 2);
  appendRangeConditions(b, loc, first, length, getTable(),
                        "the rows of a learned encoding",
                        "shorten the sequence, lengthen the table, or ask for "
                        "'out_of_range(<clamp>)'",
                        conditions);
}
