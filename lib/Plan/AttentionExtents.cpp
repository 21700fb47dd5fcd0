//===- AttentionExtents.cpp - The extents attention's indices run over ----===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::posenc;

static OpFoldResult getExtent(OpBuilder &b, AttentionOp op, Value operand,
                              Layout layout, int64_t bhldAxis) {
  return tensor::getMixedSize(b, op.getLoc(), operand,
                              AttentionOp::getAxis(layout, bhldAxis));
}

OpFoldResult posenc::getBatchSize(OpBuilder &b, AttentionOp op) {
  return getExtent(b, op, op.getQuery(), op.getQueryLayout(), 0);
}

OpFoldResult posenc::getNumQueryHeads(OpBuilder &b, AttentionOp op) {
  return getExtent(b, op, op.getQuery(), op.getQueryLayout(), 1);
}

OpFoldResult posenc::getNumKeyHeads(OpBuilder &b, AttentionOp op) {
  return getExtent(b, op, op.getKey(), op.getKeyLayout(), 1);
}

OpFoldResult posenc::getNumRows(OpBuilder &b, AttentionOp op) {
  return getExtent(b, op, op.getQuery(), op.getQueryLayout(), 2);
}

OpFoldResult posenc::getNumKeys(OpBuilder &b, AttentionOp op) {
  OpFoldResult rows = getExtent(b, op, op.getKey(), op.getKeyLayout(), 2);
  if (!op.getBlockTable())
    return rows;
  Location loc = op.getLoc();
  Value pages = tensor::DimOp::create(b, loc, op.getBlockTable(), 1);
  Value pageSize = getValueOrCreateConstantIndexOp(b, loc, rows);
  return arith::MulIOp::create(b, loc, pages, pageSize).getResult();
}
