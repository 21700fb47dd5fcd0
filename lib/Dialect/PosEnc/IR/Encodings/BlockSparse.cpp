//===- BlockSparse.cpp - The mask of visible blocks -----------------------===//
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

/// C3: `blocks` have one for each of `length` rows or keys.
static LogicalResult verifyExtent(BlockSparseOp op, int64_t axis, int64_t size,
                                  bool isOffset) {
  RankedTensorType blocks = op.getBlocks().getType();
  int64_t length = op.getType().getDimSize(axis);
  int64_t extent = blocks.getDimSize(axis);
  bool covers = isOffset || ShapedType::isDynamic(length) ||
                ShapedType::isDynamic(extent) || extent * size >= length;
  if (extent != 0 && covers)
    return success();
  return op.emitOpError() << "'blocks' is " << blocks << " for a result "
                          << op.getType() << "; dimension " << axis
                          << " needs a block for each " << size << " of "
                          << length << ", and at least one";
}

LogicalResult BlockSparseOp::verify() {
  RankedTensorType type = getType(), blocks = getBlocks().getType();
  for (int64_t axis : {0, 1})
    if (!extentsMayAgree(blocks.getDimSize(axis), type.getDimSize(axis))) // C1
      return emitOpError() << "result is " << type << " for 'blocks' " << blocks
                           << "; batch and heads must be those of 'blocks'";
  auto query = static_cast<int64_t>(getQueryBlock());
  auto key = static_cast<int64_t>(getKeyBlock());
  if (query <= 0 || key <= 0) // C2
    return emitOpError() << "'query_block' is " << query << " and 'key_block' "
                         << key << "; a block has at least one row and key";
  if (failed(verifyExtent(*this, 2, query, bool(getOffset()))) ||
      failed(verifyExtent(*this, 3, key, /*isOffset=*/false))) // C3
    return failure();
  return verifySizes(*this, getSizes(), type); // C4
}

Value BlockSparseOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  auto block = [&](Value index, int64_t size, int64_t axis) {
    Value number = arith::FloorDivSIOp::create(
        b, loc, index, arith::ConstantIndexOp::create(b, loc, size));
    return clampToExtent(b, loc, number, getBlocks(), axis);
  };
  Value row = addOptional(b, loc, at[2], getOffset());
  return tensor::ExtractOp::create(b, loc, getBlocks(),
                                   ValueRange{at[0], at[1],
                                              block(row, getQueryBlock(), 2),
                                              block(at[3], getKeyBlock(), 3)});
}

void BlockSparseOp::emitRangeConditions(
    OpBuilder &b, Location loc,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  SmallVector<OpFoldResult> shape = getMixedSizes(b, getSizes(), getType());
  auto value = [&](OpFoldResult extent) {
    return getValueOrCreateConstantIndexOp(b, loc, extent);
  };
  auto require = [&](int64_t axis, int64_t size, bool isOffset,
                     StringRef counted) {
    Value length = value(shape[axis]);
    if (isOffset) // The last block serves rows beyond it.
      length =
          b.createOrFold<arith::MinSIOp>(loc, length, value(b.getIndexAttr(1)));
    Value extent = value(tensor::getMixedSize(b, loc, getBlocks(), axis));
    Value covered =
        b.createOrFold<arith::MulIOp>(loc, extent, value(b.getIndexAttr(size)));
    conditions.emplace_back(
        b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, length,
                                      covered),
        ("the map of visible blocks ends before the last " + counted +
         "; give it a block for each " + Twine(size) + " of them")
            .str());
  };
  require(2, getQueryBlock(), bool(getOffset()), "row");
  require(3, getKeyBlock(), /*isOffset=*/false, "key");
}
