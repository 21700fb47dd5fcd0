//===- NormalizeShapes.cpp - Sizes as extents, reshapes as groups ---------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: sizes computed as 64-bit integers and checked, reshapes by a tensor
// of sizes, broadcasts that ask at run time whether an extent is one. After:
// sizes are extents of arguments, checks that always hold are gone, reshapes
// expand or collapse, and a broadcast to the same extents is no op at all.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Formula/SymbolicExtent.h"
#include "posenc/Import/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_NORMALIZESHAPESPASS
#include "posenc/Import/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// `value` as `type`, both integers or indices.
static Value castInteger(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : arith::IndexCastOp::create(b, loc, type, value).getResult();
}

/// The extent as a value of `type`; null if it takes more than one factor.
static Value materialize(OpBuilder &b, Location loc,
                         const SymbolicExtent &extent, Type type) {
  if (std::optional<int64_t> constant = extent.getConstant())
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, *constant));
  if (extent.getCoefficient() != 1 || extent.getFactors().size() != 1)
    return {};
  const SymbolicExtent::Factor &factor = extent.getFactors().front();
  Value value = factor.axis
                    ? tensor::DimOp::create(b, loc, factor.value, *factor.axis)
                          .getResult()
                    : factor.value;
  return castInteger(b, loc, value, type);
}

namespace {
/// What is true of all sizes that run: `S / S` is one, since a division by an
/// empty size is undefined.
template <typename OpTy> struct FoldQuotient : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<SymbolicExtent> quotient =
        SymbolicExtent::ofValue(op.getLhs())
            .divideBy(SymbolicExtent::ofValue(op.getRhs()));
    if (!quotient)
      return rewriter.notifyMatchFailure(op, "leaves a rest");
    Value value = materialize(rewriter, op.getLoc(), *quotient, op.getType());
    if (!value)
      return rewriter.notifyMatchFailure(op, "is a product of extents");
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// Compares equal extents, or an extent with zero, at compile time.
struct FoldExtentComparison : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getLhs().getType().isIntOrIndex())
      return failure();
    std::optional<bool> result = evaluate(op);
    if (!result)
      return rewriter.notifyMatchFailure(op, "depends on the sizes");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getBoolAttr(*result));
    return success();
  }

private:
  static std::optional<bool> evaluate(arith::CmpIOp op) {
    using Predicate = arith::CmpIPredicate;
    SymbolicExtent lhs = SymbolicExtent::ofValue(op.getLhs());
    SymbolicExtent rhs = SymbolicExtent::ofValue(op.getRhs());
    if (lhs == rhs)
      return arith::applyCmpPredicate(op.getPredicate(), APInt(64, 0),
                                      APInt(64, 0));
    bool againstZero = rhs.getConstant() == 0 && lhs.isNonNegative();
    if (againstZero && op.getPredicate() == Predicate::slt)
      return false;
    if (againstZero && op.getPredicate() == Predicate::sge)
      return true;
    return std::nullopt;
  }
};

/// tensor.reshape to sizes whose groups have products that agree.
struct GroupReshape : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
    auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
    if (!source || !result || !shape)
      return rewriter.notifyMatchFailure(op, "sizes are not listed");
    SmallVector<SymbolicExtent> from, to;
    for (int64_t axis = 0; axis < source.getRank(); ++axis)
      from.push_back(SymbolicExtent::ofAxis(op.getSource(), axis));
    for (auto [axis, size] : llvm::enumerate(shape.getElements()))
      to.push_back(result.isDynamicDim(axis)
                       ? SymbolicExtent::ofValue(size)
                       : SymbolicExtent::of(
                             rewriter.getIndexAttr(result.getDimSize(axis))));
    if (auto groups = group(from, to)) {
      SmallVector<OpFoldResult> sizes;
      for (auto [axis, size] : llvm::enumerate(shape.getElements()))
        sizes.push_back(
            result.isDynamicDim(axis)
                ? OpFoldResult(castInteger(rewriter, op.getLoc(), size,
                                           rewriter.getIndexType()))
                : rewriter.getIndexAttr(result.getDimSize(axis)));
      rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
          op, result, op.getSource(), *groups, sizes);
      return success();
    }
    if (auto groups = group(to, from)) {
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
          op, result, op.getSource(), *groups);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "groups of sizes do not agree");
  }

private:
  /// For each coarse size the fine sizes, in order, whose product it is.
  static std::optional<SmallVector<ReassociationIndices>>
  group(ArrayRef<SymbolicExtent> coarse, ArrayRef<SymbolicExtent> fine) {
    SmallVector<ReassociationIndices> groups;
    int64_t next = 0, count = static_cast<int64_t>(fine.size());
    if (coarse.empty())
      return std::nullopt;
    for (const SymbolicExtent &size : coarse) {
      ReassociationIndices &group = groups.emplace_back();
      if (next == count)
        return std::nullopt;
      SymbolicExtent product = fine[next];
      group.push_back(next++);
      while (!(product == size) && next < count) {
        product = product * fine[next];
        group.push_back(next++);
      }
      if (!(product == size))
        return std::nullopt;
    }
    for (; next < count; ++next) {
      if (fine[next].getConstant() != 1)
        return std::nullopt;
      groups.back().push_back(next);
    }
    return groups;
  }
};
} // namespace

/// The extent of loop `loop`, from an operand that it indexes alone.
static std::optional<SymbolicExtent> getLoopExtent(linalg::GenericOp op,
                                                   unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineExpr expr = getAffineDimExpr(loop, op.getContext());
    std::optional<unsigned> axis =
        op.getMatchingIndexingMap(&operand).getResultPosition(expr);
    if (axis)
      return SymbolicExtent::ofAxis(operand.get(), *axis);
  }
  return std::nullopt;
}

namespace {
/// `select(n == 1, 0, index)` of a loop of n trips is the index.
struct FoldBroadcastIndex : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto index = op.getFalseValue().getDefiningOp<linalg::IndexOp>();
    auto generic = dyn_cast<linalg::GenericOp>(op->getParentOp());
    auto isOne = op.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!index || !generic || !isOne ||
        isOne.getPredicate() != arith::CmpIPredicate::eq ||
        !matchPattern(isOne.getRhs(), m_One()) ||
        !matchPattern(op.getTrueValue(), m_Zero()))
      return failure();
    std::optional<SymbolicExtent> extent =
        getLoopExtent(generic, index.getDim());
    if (!extent || !(*extent == SymbolicExtent::ofValue(isOne.getLhs())))
      return rewriter.notifyMatchFailure(op, "broadcasts where extents differ");
    rewriter.replaceOp(op, index.getResult());
    return success();
  }
};

/// An element read at loop indices in the body of a generic is an operand.
struct ReadAsOperand : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    for (auto read : op.getBody()->getOps<tensor::ExtractOp>())
      if (std::optional<AffineMap> map = getMap(op, read)) {
        addOperand(rewriter, op, read, *map);
        return success();
      }
    return rewriter.notifyMatchFailure(op, "reads no tensor at loop indices");
  }

private:
  /// The loop indices at which `read` reads. Axes of extent one that it reads
  /// at zero are given their own loop, as in an identity, where that has one
  /// trip as well.
  static std::optional<AffineMap> getMap(linalg::GenericOp op,
                                         tensor::ExtractOp read) {
    if (op->isAncestor(read.getTensor().getParentBlock()->getParentOp()))
      return std::nullopt;
    MLIRContext *context = op.getContext();
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    auto type = cast<RankedTensorType>(read.getTensor().getType());
    SmallVector<AffineExpr> exprs;
    for (auto [axis, at] : llvm::enumerate(read.getIndices())) {
      bool ownLoop = type.getRank() == op.getNumLoops() &&
                     type.getDimSize(axis) == 1 && ranges[axis] == 1;
      if (auto index = at.getDefiningOp<linalg::IndexOp>())
        exprs.push_back(getAffineDimExpr(index.getDim(), context));
      else if (matchPattern(at, m_Zero()))
        exprs.push_back(ownLoop ? getAffineDimExpr(axis, context)
                                : getAffineConstantExpr(0, context));
      else
        return std::nullopt;
    }
    return AffineMap::get(op.getNumLoops(), 0, exprs, context);
  }

  static void addOperand(PatternRewriter &rewriter, linalg::GenericOp op,
                         tensor::ExtractOp read, AffineMap map) {
    SmallVector<Value> inputs(op.getInputs());
    inputs.push_back(read.getTensor());
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned position = op.getNumDpsInputs();
    maps.insert(maps.begin() + position, map);
    auto wider = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
        maps, op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), wider.getRegion(),
                                wider.getRegion().begin());
    Value element = wider.getBody()->insertArgument(position, read.getType(),
                                                    read.getLoc());
    rewriter.replaceOp(read, element);
    rewriter.replaceOp(op, wider.getResults());
  }
};

struct NormalizeShapesPass
    : public posenc::impl::NormalizeShapesPassBase<NormalizeShapesPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<FoldQuotient<arith::DivSIOp>, FoldQuotient<arith::DivUIOp>,
                 FoldExtentComparison, GroupReshape, FoldBroadcastIndex,
                 ReadAsOperand>(context);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (isa_and_nonnull<arith::ArithDialect, cf::ControlFlowDialect,
                          linalg::LinalgDialect, tensor::TensorDialect>(
              &op.getDialect()))
        op.getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
