//===- ElementwiseChains.cpp - Chains of elementwise ops ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseChains.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Plan/Product.h"

using namespace mlir;
using namespace mlir::posenc;

static bool isProduct(Operation *op) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  return linalgOp && succeeded(ProductLoops::of(linalgOp));
}

static bool hasOneUser(Operation *op) {
  return !op->use_empty() && llvm::all_equal(op->getUsers());
}

/// Whether `op` only widens its input.
static bool isWidening(linalg::GenericOp op) {
  Block &body = *op.getBody();
  auto widen = dyn_cast<arith::ExtFOp>(body.front());
  return widen && llvm::hasNItems(body, 2) &&
         body.getTerminator()->getOperand(0) == widen.getResult();
}

/// Whether the elementwise producer of `operand` belongs into its consumer: it
/// has no other, and each element is asked for once. A product stays a product:
/// it takes in nothing but a widening, which its kernel does as it reads.
static bool isChained(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !hasOneUser(producer))
    return false;
  if (isProduct(consumer))
    return isWidening(producer);
  return consumer.getMatchingIndexingMap(operand).isPermutation();
}

/// Whether `expand` splits no dimension but puts unit dimensions beside it.
static bool addsUnitDimsOnly(tensor::ExpandShapeOp expand) {
  ArrayRef<int64_t> shape = expand.getStaticOutputShape();
  return llvm::all_of(expand.getReassociationIndices(), [&](auto &group) {
    return llvm::count_if(group, [&](int64_t d) { return shape[d] != 1; }) <= 1;
  });
}

/// A unit batch dimension is the product's own: its operands and its result
/// need no reshape then.
static bool isExpandedByProduct(OpOperand *operand) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(operand->getOwner());
  return expand && isProduct(operand->get().getDefiningOp()) &&
         hasOneUser(operand->get().getDefiningOp()) && addsUnitDimsOnly(expand);
}

/// What follows a product of flattened rows works on flattened rows, too. An
/// argument stays as it is: collapsing what may have any strides is a copy.
static bool isCollapsedLikeProduct(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  if (!consumer || !expand || !linalg::isElementwise(consumer))
    return false;
  Operation *product = expand.getSrc().getDefiningOp();
  return isProduct(product) && hasOneUser(product) && hasOneUser(expand) &&
         !addsUnitDimsOnly(expand) &&
         llvm::none_of(consumer.getDpsInputs(), [&](Value input) {
           auto type = dyn_cast<RankedTensorType>(input.getType());
           return isa<BlockArgument>(input) && type &&
                  type.getRank() == consumer.getNumLoops();
         });
}

/// Named elementwise ops (linalg.add, linalg.map) become linalg.generic.
static LogicalResult generalizeElementwise(func::FuncOp func) {
  SmallVector<linalg::LinalgOp> named;
  func.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp, linalg::FillOp>(op) &&
        op.hasPureTensorSemantics() && linalg::isElementwise(op))
      named.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op.emitError("has no loops to group by");
  }
  return success();
}

LogicalResult posenc::fuseElementwiseChains(func::FuncOp func) {
  if (failed(generalizeElementwise(func)))
    return failure();
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, isChained);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns,
                                                    isExpandedByProduct);
  linalg::populateFoldReshapeOpsByCollapsingPatterns(patterns,
                                                     isCollapsedLikeProduct);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  tensor::populateReassociativeReshapeFoldingPatterns(patterns);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(func, std::move(patterns));
}
