//===- Tree.cpp - The mask of a tree of tokens ----------------------------===//
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
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::posenc;

using Predicate = arith::CmpIPredicate;

/// Tokens whose bits are in a word of `ancestors`.
static constexpr int64_t kWordBits = 32;

/// C3.
static bool ancestorsFit(RankedTensorType ancestors, RankedTensorType result) {
  int64_t rows = result.getDimSize(2), columns = rows;
  if (!ancestors.getElementType().isInteger(1) &&
      !ShapedType::isDynamic(columns))
    columns = llvm::divideCeil(columns, kWordBits);
  return (ancestors.getDimSize(0) == 1 ||
          extentsMayAgree(ancestors.getDimSize(0), result.getDimSize(0))) &&
         extentsMayAgree(ancestors.getDimSize(1), rows) &&
         extentsMayAgree(ancestors.getDimSize(2), columns);
}

LogicalResult TreeOp::verify() {
  RankedTensorType type = getType(), ancestors = getAncestors().getType();
  if (type.getDimSize(1) != 1) // C1
    return emitOpError() << "result is " << type
                         << "; a tree is the same for every head, so it must "
                            "be [B, 1, Lq, Lk]";
  int64_t cached = getCached().getType().getDimSize(0);
  if (!extentsMayAgree(cached, type.getDimSize(0))) // C2
    return emitOpError() << "has " << cached << " 'cached' for a batch of "
                         << type.getDimSize(0) << "; one each is needed";
  if (!ancestorsFit(ancestors, type)) // C3
    return emitOpError() << "'ancestors' is " << ancestors << " for a result "
                         << type
                         << "; it must be [B or 1, Lq, Lq] of i1, or [B or 1, "
                            "Lq, ceil(Lq / 32)] of i32";
  return verifySizes(*this, getSizes(), type); // C4
}

/// Bit `token` of row `row`, which is within the row's words.
static Value emitBit(OpBuilder &b, Location loc, Value ancestors,
                     ValueRange row, Value token) {
  Value bits = arith::ConstantIndexOp::create(b, loc, kWordBits);
  Value word = arith::DivSIOp::create(b, loc, token, bits);
  Value shift = arith::IndexCastOp::create(
      b, loc, b.getI32Type(), arith::RemSIOp::create(b, loc, token, bits));
  Value read = tensor::ExtractOp::create(b, loc, ancestors,
                                         ValueRange{row[0], row[1], word});
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value bit = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, read, shift), constant(1));
  return arith::CmpIOp::create(b, loc, Predicate::ne, bit, constant(0));
}

Value TreeOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  auto compare = [&](Predicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  Value cached = castToIndex(
      b, loc, tensor::ExtractOp::create(b, loc, getCached(), at[0]));
  Value isCached = compare(Predicate::slt, at[3], cached);
  Value tokens = tensor::DimOp::create(b, loc, getAncestors(), 1);
  Value end = arith::AddIOp::create(b, loc, cached, tokens);
  Value isToken = compare(Predicate::slt, at[3], end);
  // Of keys that are no token's any token is read.
  Value token =
      clampToExtent(b, loc, arith::SubIOp::create(b, loc, at[3], cached),
                    getAncestors(), /*dim=*/1);
  Value batch = at[0];
  if (getAncestors().getType().getDimSize(0) == 1)
    batch = arith::ConstantIndexOp::create(b, loc, 0);
  Value descends =
      getAncestors().getType().getElementType().isInteger(1)
          ? tensor::ExtractOp::create(b, loc, getAncestors(),
                                      ValueRange{batch, at[2], token})
                .getResult()
          : emitBit(b, loc, getAncestors(), {batch, at[2]}, token);
  return arith::OrIOp::create(b, loc, isCached,
                              arith::AndIOp::create(b, loc, isToken, descends));
}

void TreeOp::emitRangeConditions(
    OpBuilder &b, Location loc,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  auto value = [&](OpFoldResult extent) {
    return getValueOrCreateConstantIndexOp(b, loc, extent);
  };
  RankedTensorType type = getAncestors().getType();
  int64_t tokensAWord = type.getElementType().isInteger(1) ? 1 : kWordBits;
  auto extent = [&](int64_t axis) {
    return value(tensor::getMixedSize(b, loc, getAncestors(), axis));
  };
  Value held = b.createOrFold<arith::MulIOp>(
      loc, extent(2), value(b.getIndexAttr(tokensAWord)));
  conditions.emplace_back(
      b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, extent(1),
                                    held),
      "the ancestors in a tree of tokens end before the last token; give each "
      "row one for each row");
}
