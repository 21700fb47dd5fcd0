//===- Conv.cpp - Positions by a convolution ------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

using Iterator = utils::IteratorType;

LogicalResult ConvOp::verify() {
  RankedTensorType input = getInput().getType(), weight = getWeight().getType();
  int64_t channels = input.getShape().back(); // C1 is the types'.
  bool fits = weight.hasStaticShape() && weight.getRank() == input.getRank() &&
              llvm::all_of(weight.getShape(), [](int64_t n) { return n > 0; });
  if (!fits || weight.getDimSize(0) != channels ||
      channels % weight.getDimSize(1) != 0) // C2
    return emitOpError() << "weight is " << weight << " for an input " << input
                         << "; it must be static, [C, C / G, K] for [B, L, C] "
                            "or [C, C / G, K, K'] for [B, H, W, C]";
  if (getBias() &&
      !extentsMayAgree(getBias().getType().getDimSize(0), channels)) // C3
    return emitOpError() << "bias is " << getBias().getType() << " for "
                         << channels << " channels; it must be [C]";
  return success();
}

LogicalResult ConvOp::reifyResultShapes(OpBuilder &b,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getInput()));
  return success();
}

/// A tensor of zeros.
static Value createZeros(OpBuilder &b, Location loc,
                         ArrayRef<OpFoldResult> sizes, Type element) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, element);
  return linalg::FillOp::create(b, loc, zero, empty).getResult(0);
}

/// The input with the zeros around it that the kernel reads.
static Value padTokens(OpBuilder &b, Location loc, ConvOp op) {
  ArrayRef<int64_t> kernel = op.getWeight().getType().getShape().drop_front(2);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op.getInput());
  SmallVector<OpFoldResult> padded(sizes),
      starts(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  for (auto [axis, extent] : llvm::enumerate(kernel)) {
    starts[axis + 1] = b.getIndexAttr(extent / 2);
    Value size = getValueOrCreateConstantIndexOp(b, loc, sizes[axis + 1]);
    Value more = arith::ConstantIndexOp::create(b, loc, extent - 1);
    padded[axis + 1] =
        getAsOpFoldResult(b.createOrFold<arith::AddIOp>(loc, size, more));
  }
  Value zeros =
      createZeros(b, loc, padded, op.getInput().getType().getElementType());
  return tensor::InsertSliceOp::create(b, loc, op.getInput(), zeros, starts,
                                       sizes, strides);
}

/// `tensor` with its axis `axis`, of G n elements, as two of G and n.
static Value splitGroups(OpBuilder &b, Location loc, Value tensor,
                         unsigned axis, int64_t groups) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  int64_t each = type.getDimSize(axis) / groups;
  sizes[axis] = b.getIndexAttr(groups);
  sizes.insert(sizes.begin() + axis + 1, b.getIndexAttr(each));
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = groups;
  shape.insert(shape.begin() + axis + 1, each);
  SmallVector<ReassociationIndices> split;
  for (unsigned from = 0, to = 0; from < type.getRank(); ++from) {
    split.push_back({to++});
    if (from == axis)
      split.back().push_back(to++);
  }
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), tensor, split,
                                       sizes);
}

/// The sums in f32, `[B, tokens ..., G, C / G]`.
static Value contract(OpBuilder &b, Location loc, ConvOp op, int64_t groups) {
  unsigned axes = op.getInput().getType().getRank() - 2;
  Value input = splitGroups(b, loc, padTokens(b, loc, op), axes + 1, groups);
  Value weight = splitGroups(b, loc, op.getWeight(), 0, groups);
  // Loops: batch, tokens, group, output; then input and kernel.
  unsigned group = axes + 1, output = group + 1, channel = output + 1;
  unsigned loops = channel + 1 + axes;
  SmallVector<AffineExpr> reads{b.getAffineDimExpr(0)}, weights, writes(reads);
  for (unsigned axis = 0; axis < axes; ++axis) {
    writes.push_back(b.getAffineDimExpr(1 + axis));
    reads.push_back(writes.back() + b.getAffineDimExpr(channel + 1 + axis));
  }
  for (unsigned loop : {group, output})
    writes.push_back(b.getAffineDimExpr(loop));
  for (unsigned loop : {group, channel})
    reads.push_back(b.getAffineDimExpr(loop));
  for (unsigned loop = group; loop < loops; ++loop)
    weights.push_back(b.getAffineDimExpr(loop));
  SmallVector<AffineMap> maps;
  for (ArrayRef<AffineExpr> results :
       {ArrayRef(reads), ArrayRef(weights), ArrayRef(writes)})
    maps.push_back(AffineMap::get(loops, 0, results, b.getContext()));
  SmallVector<Iterator> kinds(channel, Iterator::parallel);
  kinds.append(loops - channel, Iterator::reduction);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op.getInput());
  sizes.back() = b.getIndexAttr(groups);
  sizes.push_back(
      b.getIndexAttr(op.getInput().getType().getShape().back() / groups));
  Value init = createZeros(b, loc, sizes, b.getF32Type());
  return linalg::GenericOp::create(
             b, loc, init.getType(), ValueRange{input, weight}, init, maps,
             kinds,
             [&](OpBuilder &b, Location loc, ValueRange values) {
               Value product =
                   arith::MulFOp::create(b, loc, castToF32(b, loc, values[0]),
                                         castToF32(b, loc, values[1]));
               Value sum = arith::AddFOp::create(b, loc, values[2], product);
               linalg::YieldOp::create(b, loc, sum);
             })
      .getResult(0);
}

FailureOr<SmallVector<Value>> ConvOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = getType(), weight = getWeight().getType();
  int64_t rank = type.getRank();
  int64_t groups = weight.getDimSize(0) / weight.getDimSize(1);
  Value sums = contract(b, loc, *this, groups);
  SmallVector<ReassociationIndices> joined;
  for (int64_t axis = 0; axis < rank; ++axis)
    joined.push_back({axis});
  joined.back().push_back(rank);
  sums = tensor::CollapseShapeOp::create(b, loc, type.clone(b.getF32Type()),
                                         sums, joined);
  SmallVector<Value> inputs{sums};
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank)};
  if (getBias()) {
    inputs.push_back(getBias());
    maps.push_back(AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1)));
  }
  maps.push_back(maps.front());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, getInput()), type.getElementType());
  auto result = linalg::GenericOp::create(
      b, loc, type, inputs, init, maps,
      SmallVector<Iterator>(rank, Iterator::parallel),
      [&](OpBuilder &b, Location loc, ValueRange values) {
        Value sum = values[0];
        if (getBias())
          sum =
              arith::AddFOp::create(b, loc, sum, castToF32(b, loc, values[1]));
        linalg::YieldOp::create(
            b, loc, castFromF32(b, loc, sum, type.getElementType()));
      });
  return SmallVector<Value>{result.getResult(0)};
}
