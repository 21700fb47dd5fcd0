//===- LowerConcat.cpp - Concatenations become insertions -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: tensor.concat, which cannot be bufferized. After: tensor.insert_slice
// of each part into a tensor.empty, which becomes one buffer.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Plan/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_LOWERCONCATPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
struct LowerConcatPass : posenc::impl::LowerConcatPassBase<LowerConcatPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
