//===- WidenRotations.cpp - Rotations of some lanes of a head -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: heads cut into slices of lanes, some of them rotated, and joined
// again, as exporters write partial rotations. After: rotations of the whole
// head in which the other lanes pass through.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Simplify/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_WIDENROTATIONSPASS
#include "posenc/Simplify/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// A slice of lanes, as it is or rotated.
struct LanePart {
  tensor::ExtractSliceOp slice;
  RotaryOpInterface rotation; // null: as it is
  int64_t first, count;

  static std::optional<LanePart> get(Value part) {
    auto rotation = part.getDefiningOp<RotaryOpInterface>();
    Value source = rotation ? rotation.getRotatedOperand().get() : part;
    auto slice = source.getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || slice.getSourceType().getRank() != 4 ||
        slice.getType().getRank() != 4)
      return std::nullopt;
    std::optional<int64_t> first =
        getConstantIntValue(slice.getMixedOffsets()[3]);
    std::optional<int64_t> count =
        getConstantIntValue(slice.getMixedSizes()[3]);
    if (!first || !count || !isConstantIntValue(slice.getMixedStrides()[3], 1))
      return std::nullopt;
    return LanePart{slice, rotation, *first, *count};
  }

  /// Whether `next` goes on where this slice of lanes ends.
  bool isFollowedBy(LanePart &next) {
    auto rowsOf = [](SmallVector<OpFoldResult> bounds) {
      bounds.pop_back();
      return bounds;
    };
    return slice.getSource() == next.slice.getSource() &&
           first + count == next.first &&
           rowsOf(slice.getMixedOffsets()) ==
               rowsOf(next.slice.getMixedOffsets()) &&
           rowsOf(slice.getMixedSizes()) ==
               rowsOf(next.slice.getMixedSizes()) &&
           rowsOf(slice.getMixedStrides()) ==
               rowsOf(next.slice.getMixedStrides());
  }
};

struct WidenRotations : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getResultType().getRank() != 4 || op.getDim() != 3)
      return rewriter.notifyMatchFailure(op, "joins no lanes of heads");
    SmallVector<LanePart> parts;
    for (Value input : op.getInputs()) {
      std::optional<LanePart> part = LanePart::get(input);
      if (!part || (!parts.empty() && !parts.back().isFollowedBy(*part)))
        return rewriter.notifyMatchFailure(op, "joins no neighbouring slices");
      parts.push_back(*part);
    }
    if (llvm::none_of(parts,
                      [](const LanePart &part) { return part.rotation; }))
      return rewriter.notifyMatchFailure(op, "joins no rotated lanes");
    int64_t first = parts.front().first;
    int64_t count = parts.back().first + parts.back().count - first;
    tensor::ExtractSliceOp slice = parts.front().slice;
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    sizes[3] = rewriter.getIndexAttr(count);
    Value heads = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), slice.getSource(), slice.getMixedOffsets(),
        sizes, slice.getMixedStrides());
    for (LanePart &part : parts)
      if (part.rotation)
        remarkDone(part.rotation, "widen-rotations")
            << remark::add("'{0}' of a slice of lanes rotates the whole head",
                           part.rotation->getName().getStringRef());
    for (LanePart &part : parts)
      if (part.rotation)
        heads = part.rotation.rotate(rewriter, heads,
                                     part.rotation.getRotatedLayout(),
                                     part.first - first);
    if (heads.getType() != op.getResultType())
      heads = tensor::CastOp::create(rewriter, op.getLoc(), op.getResultType(),
                                     heads);
    rewriter.replaceOp(op, heads);
    return success();
  }
};

struct WidenRotationsPass
    : posenc::impl::WidenRotationsPassBase<WidenRotationsPass> {
  using WidenRotationsPassBase::WidenRotationsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<WidenRotations>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    getOperation().walk(reportRotatedSlices);
  }

private:
  /// A rotation of some lanes that are joined with others is a missed fusion.
  static void reportRotatedSlices(tensor::ConcatOp op) {
    for (Value input : op.getInputs())
      if (auto rotation = input.getDefiningOp<RotaryOpInterface>())
        remarkMissed(rotation, "widen-rotations")
            << remark::add("'{0}' of some lanes stays apart from the head that "
                           "{1} joins them to",
                           rotation->getName().getStringRef(),
                           nameWithPlace(op))
            << remark::reason("what is joined are not neighbouring slices of "
                              "the lanes of one tensor of heads")
            << remark::suggest("join the slices in the order they were cut");
  }
};
} // namespace
