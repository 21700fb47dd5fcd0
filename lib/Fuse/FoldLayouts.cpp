//===- FoldLayouts.cpp - Transposes and repeated heads into attention -----===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: transposes and reshapes around attention, keys and values repeated
// for every query head of a group. After: attention reads and writes either
// axis order, and each key and value head once.
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Fuse/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_FOLDLAYOUTSPASS
#include "posenc/Fuse/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Another tensor that holds the rows of heads of one: in axis order `layout`,
/// each head standing for `repeats` of the original's.
struct HeadsSource {
  Value tensor;
  Layout layout;
  int64_t repeats;
};
} // namespace

/// How often `index`, an index of a source, repeats along `axis` of a tensor of
/// that extent: 1 if it is the axis, n if it is the axis divided by n.
static std::optional<int64_t> getRepeats(AffineExpr index, int64_t axis,
                                         int64_t extent) {
  AffineExpr dim = getAffineDimExpr(axis, index.getContext());
  if (index == dim)
    return 1;
  auto constant = dyn_cast<AffineConstantExpr>(index);
  if (constant && constant.getValue() == 0 && !ShapedType::isDynamic(extent))
    return extent;
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary || binary.getKind() != AffineExprKind::FloorDiv ||
      binary.getLHS() != dim)
    return std::nullopt;
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return divisor ? std::optional(divisor.getValue()) : std::nullopt;
}

/// `source` as the heads of a tensor `of` in `layout`, where element x of `of`
/// is element `map(x)` of `source`.
static std::optional<HeadsSource> matchHeads(Value of, Layout layout,
                                             Value source, AffineMap map) {
  auto type = cast<RankedTensorType>(of.getType());
  auto sourceType = cast<RankedTensorType>(source.getType());
  if (sourceType.getRank() != 4 ||
      sourceType.getElementType() != type.getElementType())
    return std::nullopt;
  for (Layout sourceLayout :
       {layout, layout == Layout::BHLD ? Layout::BLHD : Layout::BHLD}) {
    SmallVector<int64_t> repeats;
    for (int64_t axis = 0; axis < 4; ++axis) {
      int64_t dim = AttentionOp::getAxis(layout, axis);
      int64_t sourceDim = AttentionOp::getAxis(sourceLayout, axis);
      std::optional<int64_t> count =
          getRepeats(map.getResult(sourceDim), dim, type.getDimSize(dim));
      // Heads may repeat; any other axis has the extent it had.
      if (!count || (axis != 1 && *count != 1))
        break;
      if (*count != 1 &&
          sourceType.getDimSize(sourceDim) * *count != type.getDimSize(dim))
        break;
      repeats.push_back(*count);
    }
    if (repeats.size() == 4)
      return HeadsSource{source, sourceLayout, repeats[1]};
  }
  return std::nullopt;
}

/// Every tensor that holds the heads of `tensor`, the farthest first, itself
/// last.
static SmallVector<HeadsSource> getHeadsSources(Value tensor, Layout layout) {
  SmallVector<HeadsSource> sources = {{tensor, layout, 1}};
  Value source = tensor;
  AffineMap map = AffineMap::getMultiDimIdentityMap(4, tensor.getContext());
  while (std::optional<Movement> movement = getMovement(source)) {
    source = movement->source;
    map = simplifyAffineMap(movement->map.compose(map));
    if (auto found = matchHeads(tensor, layout, source, map))
      sources.push_back(*found);
  }
  std::reverse(sources.begin(), sources.end());
  return sources;
}

static Layout getOtherLayout(Layout layout) {
  return layout == Layout::BHLD ? Layout::BLHD : Layout::BHLD;
}

namespace {
/// Queries, keys and values are read where they come from.
struct FoldOperands : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasTensorSemantics())
      return rewriter.notifyMatchFailure(op, "is on memrefs");
    HeadsSource query = {op.getQuery(), op.getQueryLayout(), 1};
    for (HeadsSource source :
         getHeadsSources(op.getQuery(), op.getQueryLayout()))
      if (source.repeats == 1) {
        query = source;
        break;
      }
    HeadsSource key, value;
    std::tie(key, value) = getKeyAndValue(op);
    if (query.tensor == op.getQuery() && key.tensor == op.getKey() &&
        value.tensor == op.getValue())
      return rewriter.notifyMatchFailure(op, "reads its operands as they are");
    rewriter.modifyOpInPlace(op, [&]() {
      op.getQueryMutable().assign(query.tensor);
      op.getKeyMutable().assign(key.tensor);
      op.getValueMutable().assign(value.tensor);
      op.setQueryLayout(query.layout);
      op.setKeyLayout(key.layout);
      op.setValueLayout(value.layout);
    });
    return success();
  }

private:
  /// The farthest sources of keys and values that repeat alike. A region over
  /// key heads numbers them as they are now, so it forbids repeats.
  static std::pair<HeadsSource, HeadsSource> getKeyAndValue(AttentionOp op) {
    bool mayRepeat = op.getRotateKey().empty() && !op.getBlockTable();
    for (HeadsSource key : getHeadsSources(op.getKey(), op.getKeyLayout()))
      for (HeadsSource value :
           getHeadsSources(op.getValue(), op.getValueLayout()))
        if (key.repeats == value.repeats && (mayRepeat || key.repeats == 1))
          return {key, value};
    return {{op.getKey(), op.getKeyLayout(), 1},
            {op.getValue(), op.getValueLayout(), 1}};
  }
};

/// Elementwise ops and reductions read through a transpose: the norms between a
/// projection and its rotation.
struct FoldIntoGeneric : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || linalg::isaContractionOpInterface(op))
      return rewriter.notifyMatchFailure(op, "is a contraction");
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    bool changed = false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto transpose = input->get().getDefiningOp<linalg::TransposeOp>();
      if (!transpose)
        continue;
      AffineMap &map = maps[input->getOperandNumber()];
      map = getMovement(input->get())->map.compose(map);
      rewriter.modifyOpInPlace(op, [&]() { input->set(transpose.getInput()); });
      changed = true;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "reads no transpose");
    rewriter.modifyOpInPlace(op, [&]() {
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

/// A transpose of the output becomes its layout.
struct FoldOutput : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasTensorSemantics() || !op.getResult(0).hasOneUse())
      return rewriter.notifyMatchFailure(op, "has no output of one use");
    auto user = dyn_cast<linalg::LinalgOp>(*op.getResult(0).user_begin());
    if (!user || user->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "is not read by a transpose");
    std::optional<Movement> movement = getMovement(user->getResult(0));
    AffineMap swap = AffineMap::getPermutationMap(
        ArrayRef<unsigned>{0, 2, 1, 3}, op.getContext());
    if (!movement || movement->source != op.getResult(0) ||
        movement->map != swap)
      return rewriter.notifyMatchFailure(op, "is not read by a transpose");
    // Attention moves to its user, whose destination it takes over.
    auto staysBehind = [&](Operation *other) {
      return other->getBlock() != op->getBlock() ||
             other->isBeforeInBlock(user);
    };
    if (user->getBlock() != op->getBlock() ||
        (op.getNumResults() == 2 &&
         llvm::any_of(op.getResult(1).getUsers(), staysBehind)))
      return rewriter.notifyMatchFailure(op, "cannot move to the transpose");
    rewriter.setInsertionPoint(user);
    auto folded = cast<AttentionOp>(rewriter.clone(*op));
    folded.getOutputInitMutable().assign(user.getDpsInits()[0]);
    folded.setOutputLayout(getOtherLayout(op.getOutputLayout()));
    folded.getResult(0).setType(user->getResult(0).getType());
    rewriter.replaceOp(user, folded.getResult(0));
    if (op.getNumResults() == 2)
      rewriter.replaceAllUsesWith(op.getResult(1), folded.getResult(1));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

/// The transpose that holds the heads of `tensor` in the other axis order.
static std::optional<HeadsSource> getTransposed(Value tensor, Layout layout) {
  for (HeadsSource source : getHeadsSources(tensor, layout))
    if (source.layout != layout && source.repeats == 1)
      return source;
  return std::nullopt;
}

/// `heads` with h and l swapped, as a tensor of `type`.
static Value transpose(OpBuilder &b, Location loc, Value heads, Type type) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, heads);
  std::swap(sizes[1], sizes[2]);
  Type elementType = cast<ShapedType>(heads.getType()).getElementType();
  Value init = tensor::EmptyOp::create(b, loc, sizes, elementType);
  Value transposed = linalg::TransposeOp::create(b, loc, heads, init,
                                                 ArrayRef<int64_t>{0, 2, 1, 3})
                         ->getResult(0);
  if (transposed.getType() == type)
    return transposed;
  return tensor::CastOp::create(b, loc, type, transposed);
}

namespace {
/// The rotation of a transpose is the transpose of a rotation.
struct SinkBehindRotation : OpInterfaceRewritePattern<RotaryOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(RotaryOpInterface op,
                                PatternRewriter &rewriter) const override {
    std::optional<HeadsSource> source =
        getTransposed(op.getRotatedOperand().get(), op.getRotatedLayout());
    if (!source)
      return rewriter.notifyMatchFailure(op, "rotates no transpose");
    Value rotated =
        op.rotate(rewriter, source->tensor, source->layout, /*lane=*/0);
    rewriter.replaceOp(op, transpose(rewriter, op.getLoc(), rotated,
                                     op->getResult(0).getType()));
    return success();
  }
};

/// A slice of a transpose is the transpose of a slice: queries, keys and values
/// cut from one projection.
struct SinkBehindSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSourceType().getRank() != 4 || op.getType().getRank() != 4)
      return rewriter.notifyMatchFailure(op, "is not a slice of heads");
    std::optional<HeadsSource> source =
        getTransposed(op.getSource(), Layout::BHLD);
    if (!source)
      return rewriter.notifyMatchFailure(op, "is not a slice of a transpose");
    auto swapped = [](SmallVector<OpFoldResult> bounds) {
      std::swap(bounds[1], bounds[2]);
      return bounds;
    };
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), source->tensor, swapped(op.getMixedOffsets()),
        swapped(op.getMixedSizes()), swapped(op.getMixedStrides()));
    rewriter.replaceOp(op,
                       transpose(rewriter, op.getLoc(), slice, op.getType()));
    return success();
  }
};

struct FoldLayoutsPass : posenc::impl::FoldLayoutsPassBase<FoldLayoutsPass> {
  using FoldLayoutsPassBase::FoldLayoutsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldOperands, FoldIntoGeneric, FoldOutput, SinkBehindRotation,
                 SinkBehindSlice>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation().walk([](AttentionOp op) {
      report(op);
      reportMoved(op, op.getQuery(), "query");
      reportMoved(op, op.getKey(), "key");
      reportMoved(op, op.getValue(), "value");
    });
  }

private:
  /// In which order of axes attention has come to read and write.
  static void report(AttentionOp op) {
    int64_t queryHeads =
        AttentionOp::getShapeBHLD(op.getQuery(), op.getQueryLayout())[1];
    int64_t keyHeads =
        AttentionOp::getShapeBHLD(op.getKey(), op.getKeyLayout())[1];
    bool isGrouped = !ShapedType::isDynamic(queryHeads) && keyHeads > 0 &&
                     queryHeads != keyHeads;
    remarkDone(op, "fold-layouts") << remark::add(
        "'{0}' reads its query as {1}, key as {2}, value as {3} "
        "and writes {4}{5}",
        op->getName().getStringRef(), stringifyLayout(op.getQueryLayout()),
        stringifyLayout(op.getKeyLayout()),
        stringifyLayout(op.getValueLayout()),
        stringifyLayout(op.getOutputLayout()),
        isGrouped ? llvm::formatv("; {0} query heads read each "
                                  "key head",
                                  queryHeads / keyHeads)
                        .str()
                  : "");
  }

  /// An operand that is copied in another order before it is read.
  static void reportMoved(AttentionOp op, Value operand, StringRef role) {
    auto copy = operand.getDefiningOp<linalg::LinalgOp>();
    if (copy && getMovement(operand))
      remarkMissed(copy, "fold-layouts")
          << remark::add("'{0}' copies the {1} of {2}",
                         copy->getName().getStringRef(), role,
                         nameWithPlace(op))
          << remark::reason("attention reads no such order of axes")
          << remark::suggest("keep it as [batch, heads, rows, lanes] or "
                             "[batch, rows, heads, lanes]");
  }
};
} // namespace
