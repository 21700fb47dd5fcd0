//===- AttentionCanonicalization.cpp - Regions that say nothing -----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropTrivialRegions>(context);
}
