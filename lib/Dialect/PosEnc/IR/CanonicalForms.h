//===- CanonicalForms.h - Canonical forms of encodings ----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites that hold for every encoding with `sizes` or an `offset`.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_CANONICALFORMS_H
#define POSENC_DIALECT_POSENC_IR_CANONICALFORMS_H

#include "ShapeUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::posenc {

/// A constant size becomes part of the result type.
template <typename OpTy> struct FoldConstantSizes : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    SmallVector<OpFoldResult> extents =
        getMixedSizes(rewriter, op.getSizes(), type);
    if (failed(foldDynamicIndexList(extents, /*onlyNonNegative=*/true)))
      return rewriter.notifyMatchFailure(op, "no size is a constant");
    SmallVector<Value> sizes;
    SmallVector<int64_t> shape;
    dispatchIndexOpFoldResults(extents, sizes, shape);
    Value original = op.getResult();
    rewriter.setInsertionPointAfter(op);
    auto cast = tensor::CastOp::create(rewriter, op.getLoc(), type, original);
    rewriter.replaceAllUsesExcept(original, cast, cast);
    rewriter.modifyOpInPlace(op, [&] {
      op.getSizesMutable().assign(sizes);
      original.setType(type.clone(shape));
    });
    return success();
  }
};

/// An offset of zero is an absent one.
template <typename OpTy> struct DropZeroOffset : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getOffset() || !isConstantIntValue(op.getOffset(), 0))
      return rewriter.notifyMatchFailure(op, "no offset of constant zero");
    rewriter.modifyOpInPlace(op, [&] { op.getOffsetMutable().clear(); });
    return success();
  }
};

template <typename OpTy>
using HasOffset = decltype(std::declval<OpTy &>().getOffset());

/// The forms of an encoding with `sizes`, and of its offset if it has one.
template <typename OpTy> void addCanonicalForms(RewritePatternSet &patterns) {
  patterns.add<FoldConstantSizes<OpTy>>(patterns.getContext());
  if constexpr (llvm::is_detected<HasOffset, OpTy>::value)
    patterns.add<DropZeroOffset<OpTy>>(patterns.getContext());
}

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_CANONICALFORMS_H
