//===- Add.cpp - An encoding onto embeddings ------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

LogicalResult AddOp::verify() {
  RankedTensorType embeddings = getEmbeddings().getType();
  RankedTensorType encoding = getEncoding().getType();
  bool batchFits =
      encoding.getRank() == 2 || encoding.getDimSize(0) == 1 ||
      extentsMayAgree(encoding.getDimSize(0), embeddings.getDimSize(0));
  auto [length, width] = std::pair(encoding.getShape().take_back(2)[0],
                                   encoding.getShape().back());
  if (!batchFits || !extentsMayAgree(length, embeddings.getDimSize(1)) ||
      !extentsMayAgree(width, embeddings.getDimSize(2))) // C1
    return emitOpError() << "'encoding' is " << encoding << " for embeddings "
                         << embeddings
                         << "; it must be [L, d] or [B or 1, L, d]";
  double scale = getEmbeddingScale().convertToDouble();
  if (!std::isfinite(scale)) // C2
    return emitOpError() << "'embedding_scale' is " << scale
                         << "; it must be finite";
  return success();
}

Value AddOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  RankedTensorType encodingType = getEncoding().getType();
  SmallVector<Value> encodingAt(at.take_back(encodingType.getRank()));
  if (encodingType.getRank() == 3 && encodingType.getDimSize(0) == 1)
    encodingAt[0] = arith::ConstantIndexOp::create(b, loc, 0);
  Value embedding =
      castToF32(b, loc, tensor::ExtractOp::create(b, loc, getEmbeddings(), at));
  Value encoding = castToF32(
      b, loc, tensor::ExtractOp::create(b, loc, getEncoding(), encodingAt));
  double scale = getEmbeddingScale().convertToDouble();
  if (scale != 1.0)
    embedding =
        arith::MulFOp::create(b, loc, embedding, createF32(b, loc, scale));
  Value sum = arith::AddFOp::create(b, loc, embedding, encoding);
  return castFromF32(b, loc, sum, getType().getElementType());
}

LogicalResult AddOp::reifyResultShapes(OpBuilder &b,
                                       ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getEmbeddings()));
  return success();
}
