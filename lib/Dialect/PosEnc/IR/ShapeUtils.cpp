//===- ShapeUtils.cpp - Sizes of results, positions of rows ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

LogicalResult posenc::verifySizes(Operation *op, ValueRange sizes,
                                  ShapedType type) {
  int64_t expected = type.getNumDynamicDims();
  if (static_cast<int64_t>(sizes.size()) == expected)
    return success();
  return op->emitOpError() << "has " << sizes.size() << " 'sizes' but " << type
                           << " has " << expected
                           << " dynamic dimensions; give one size for each, "
                              "in order";
}

SmallVector<OpFoldResult> posenc::getMixedSizes(OpBuilder &b, ValueRange sizes,
                                                ShapedType type) {
  return getMixedValues(type.getShape(), sizes, b);
}

bool posenc::extentsMayAgree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

Value posenc::castToF32(OpBuilder &b, Location loc, Value value) {
  Type f32 = b.getF32Type();
  if (value.getType() == f32)
    return value;
  if (isa<FloatType>(value.getType()))
    return arith::ExtFOp::create(b, loc, f32, value);
  if (value.getType().isIndex())
    value = arith::IndexCastOp::create(b, loc, b.getI32Type(), value);
  return arith::SIToFPOp::create(b, loc, f32, value);
}

Value posenc::castToIndex(OpBuilder &b, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

Value posenc::addOptional(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return rhs ? arith::AddIOp::create(b, loc, lhs, rhs).getResult() : lhs;
}

Value posenc::emitPosition(OpBuilder &b, Location loc, Value positions,
                           Value offset, Value batch, Value row) {
  if (!positions)
    return addOptional(b, loc, row, offset);
  auto type = cast<RankedTensorType>(positions.getType());
  if (type.getRank() == 1)
    return tensor::ExtractOp::create(b, loc, positions, row);
  if (type.getDimSize(0) == 1)
    batch = arith::ConstantIndexOp::create(b, loc, 0);
  return tensor::ExtractOp::create(b, loc, positions, ValueRange{batch, row});
}
