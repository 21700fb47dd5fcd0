//===- LowerVectors.cpp - Vector ops to what LLVM has ---------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: vector.outerproduct, transpose, shape_cast and the like.
// After: vector ops that convert one to one to the LLVM dialect; a
// transposition of 16x16 in registers is shuffles.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Codegen/CPU/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_LOWERVECTORSPASS
#include "posenc/Codegen/CPU/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;

namespace {
class LowerVectorsPass
    : public posenc::impl::LowerVectorsPassBase<LowerVectorsPass> {
public:
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    vector::populateVectorOuterProductLoweringPatterns(patterns);
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle16x16);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorInterleaveToShufflePatterns(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
