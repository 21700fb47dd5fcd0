//===- TransformerXl.cpp - Queries against relative rows ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ContentTerms.h"
#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

static ContentTerm getTerm(TransformerXlOp op) {
  return {op.getQuery(), /*ofKeys=*/false, op.getRelative(), op.getQueryBias()};
}

/// C5.
static LogicalResult verifyRows(TransformerXlOp op, int64_t rows) {
  int64_t queries = op.getType().getDimSize(2),
          keys = op.getType().getDimSize(3);
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(keys))
    return success();
  StringRef expected;
  switch (op.getRows()) {
  case RelativeRows::TransformerXl:
    if (rows != keys)
      expected = "Lk rows";
    break;
  case RelativeRows::XlNet:
    if (rows != keys + 1 && !extentsMayAgree(rows - keys, queries))
      expected = "Lk + 1 or Lk + Lq rows";
    break;
  case RelativeRows::Conformer:
    if (rows != 2 * keys - 1 || !extentsMayAgree(queries, keys))
      expected = "2 Lk - 1 rows, and as many queries as keys";
    break;
  }
  if (expected.empty())
    return success();
  return op.emitOpError() << "'relative' has " << rows << " rows for a result "
                          << op.getType() << "; these 'rows' are " << expected;
}

LogicalResult TransformerXlOp::verify() {
  RankedTensorType type = getType();
  ContentTerm term = getTerm(*this);
  if (failed(verifyTokens(*this, "query", term, type)) || // C1
      failed(verifyTable(*this, "relative", term, type,
                         /*staticRows=*/false))) // C2
    return failure();
  if (Value bias = getQueryBias()) { // C4
    auto biasType = cast<RankedTensorType>(bias.getType());
    if (!extentsMayAgree(biasType.getDimSize(0), type.getDimSize(1)) ||
        biasType.getDimSize(1) != getQuery().getType().getDimSize(3))
      return emitOpError() << "'query_bias' is " << biasType << " for a result "
                           << type << "; it must be [Hq, D]";
  }
  if (failed(verifyRows(*this, term.getNumRows()))) // C5
    return failure();
  if (getOffset() && getRows() == RelativeRows::Conformer) // C6
    return emitOpError("'offset' shifts queries against keys, but those of a "
                       "conformer are the same; drop it");
  return verifySizes(*this, getSizes(), type); // C3
}

static ContentFormula getFormula(TransformerXlOp op) {
  auto emit = [op](OpBuilder &b, Location loc, ValueRange at,
                   ReadTerm read) mutable {
    OpFoldResult keys = getMixedSizes(b, op.getSizes(), op.getType())[3];
    // The row of relative position 0.
    Value zeroRow = getValueOrCreateConstantIndexOp(b, loc, keys);
    if (op.getRows() != RelativeRows::XlNet)
      zeroRow = b.createOrFold<arith::SubIOp>(
          loc, zeroRow, arith::ConstantIndexOp::create(b, loc, 1));
    Value query = addOptional(b, loc, at[2], op.getOffset());
    Value distance = arith::SubIOp::create(b, loc, query, at[3]);
    Value row = arith::SubIOp::create(b, loc, zeroRow, distance);
    Value table = op.getRelative();
    int64_t rowDim = cast<RankedTensorType>(table.getType()).getRank() - 2;
    return read(b, loc, 0, clampToExtent(b, loc, row, table, rowDim));
  };
  return ContentFormula(op, getTerm(op), emit);
}

Value TransformerXlOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  return getFormula(*this).emitElement(b, loc, at);
}

FailureOr<SmallVector<Value>>
TransformerXlOp::decomposeOperation(OpBuilder &b) {
  return getFormula(*this).decompose(b);
}
