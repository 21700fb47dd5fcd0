//===- AttentionCanonicalization.cpp - Empty regions and casts ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// A score that yields x, and a mask that yields true, are as good as absent.
struct DropTrivialRegions : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    bool scoreIsTrivial = yields(op.getScore(), [](Block &block, Value value) {
      return value == block.getArgument(0);
    });
    bool maskIsTrivial = yields(op.getMask(), [](Block &, Value value) {
      return matchPattern(value, m_One());
    });
    if (!scoreIsTrivial && !maskIsTrivial)
      return rewriter.notifyMatchFailure(op, "its regions say something");
    rewriter.modifyOpInPlace(op, [&]() {
      if (scoreIsTrivial)
        rewriter.eraseBlock(&op.getScore().front());
      if (maskIsTrivial)
        rewriter.eraseBlock(&op.getMask().front());
    });
    return success();
  }

private:
  static bool yields(Region &region, function_ref<bool(Block &, Value)> test) {
    return !region.empty() &&
           test(region.front(), region.front().getTerminator()->getOperand(0));
  }
};

/// Takes operands and destinations from before the casts that lose static
/// extents; results are cast back. Upstream's pattern for all ops with
/// destinations clones the op, and `mlir::clone` needs a block in each region.
struct FoldCasts : OpRewritePattern<AttentionOp> {
  explicit FoldCasts(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {} // Before upstream's.

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<std::pair<OpOperand *, Value>> folded;
    for (OpOperand &operand : op->getOpOperands()) {
      auto cast = operand.get().getDefiningOp<tensor::CastOp>();
      if (tensor::canFoldIntoConsumerOp(cast))
        folded.emplace_back(&operand, cast.getSource());
    }
    if (folded.empty())
      return rewriter.notifyMatchFailure(op, "no operand is such a cast");
    SmallVector<Type> before(op->getResultTypes());
    rewriter.modifyOpInPlace(op, [&]() {
      for (auto [operand, source] : folded)
        operand->set(source);
      for (OpResult result : op->getResults())
        result.setType(op.getTiedOpOperand(result)->get().getType());
    });
    rewriter.setInsertionPointAfter(op);
    for (auto [result, type] : llvm::zip_equal(op->getResults(), before)) {
      if (result.getType() == type)
        continue;
      auto cast = tensor::CastOp::create(rewriter, op.getLoc(), type, result);
      rewriter.replaceAllUsesExcept(result, cast, cast);
    }
    return success();
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropTrivialRegions, FoldCasts>(context);
}
