//===- RaiseAttention.cpp - Attention from primitive ops ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: contraction, scale, bias, mask, softmax, contraction. After:
// posenc.attention, whose score region reads bias and mask.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Import/Passes.h"
#include "llvm/ADT/SmallString.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_RAISEATTENTIONPASS
#include "posenc/Import/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// linalg.softmax as the ops the match knows.
static LogicalResult decomposeSoftmax(func::FuncOp function) {
  SmallVector<linalg::SoftmaxOp> ops;
  function.walk([&](linalg::SoftmaxOp op) { ops.push_back(op); });
  for (linalg::SoftmaxOp op : ops) {
    IRRewriter rewriter(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return op.emitOpError("cannot be decomposed");
    rewriter.replaceOp(op, *results);
  }
  return success();
}

/// The extents of the output: those of the queries, and the values' lanes.
static SmallVector<OpFoldResult> getOutputSizes(OpBuilder &b,
                                                const AttentionMatch &match) {
  Location loc = match.output.tensor.getLoc();
  SmallVector<OpFoldResult> sizes(4);
  for (int64_t axis = 0; axis < 4; ++axis) {
    const Heads &from = axis == 3 ? match.value : match.query;
    sizes[AttentionOp::getAxis(match.output.layout, axis)] =
        tensor::getMixedSize(b, loc, from.tensor,
                             AttentionOp::getAxis(from.layout, axis));
  }
  return sizes;
}

static void addScore(AttentionOp op, const AttentionMatch &match,
                     OpBuilder &b) {
  Location loc = op.getLoc();
  OpBuilder::InsertionGuard guard(b);
  Block *block = op.createRegionBlock(b, op.getScore());
  Value scaled = block->getArgument(0);
  Value score = match.cloneScore(b, scaled, block->getArguments().drop_front());
  if (score == scaled)
    block->erase();
  else
    YieldOp::create(b, loc, score);
}

static AttentionOp createAttention(const AttentionMatch &match, OpBuilder &b) {
  Value replaced = match.output.tensor;
  Location loc = replaced.getLoc();
  b.setInsertionPointAfterValue(replaced);
  auto type = cast<RankedTensorType>(replaced.getType());
  Value init = tensor::EmptyOp::create(b, loc, getOutputSizes(b, match),
                                       type.getElementType());
  if (init.getType() != type)
    init = tensor::CastOp::create(b, loc, type, init);
  Value scale = arith::ConstantOp::create(
      b, loc, b.getF32FloatAttr(static_cast<float>(match.scale)));
  auto op = AttentionOp::create(
      b, loc, TypeRange{type}, match.query.tensor, match.key.tensor,
      match.value.tensor, scale, /*sinks=*/Value(), /*block_table=*/Value(),
      init, /*logsumexp_init=*/Value(), match.query.layout, match.key.layout,
      match.value.layout, match.output.layout, /*query_lanes=*/LanesAttr(),
      /*key_lanes=*/LanesAttr(), /*schedule=*/ScheduleAttrInterface(),
      EmptyRows::Zero);
  addScore(op, match, b);
  return op;
}

/// Whether a score can be minus infinity because the graph says so.
static bool masksWithInfinity(AttentionOp op) {
  auto isMinusInfinity = [](Operation *inner) {
    FloatAttr real;
    return matchPattern(inner, m_Constant(&real)) &&
           real.getValue().isInfinity() && real.getValue().isNegative();
  };
  WalkResult result = op.getScore().walk([&](Operation *inner) {
    if (isMinusInfinity(inner))
      return WalkResult::interrupt();
    auto read = dyn_cast<tensor::ExtractOp>(inner);
    if (!read)
      return WalkResult::advance();
    ElementFormula formula = ElementFormula::derive(read.getTensor());
    return formula.getRegion().walk([&](Operation *part) {
      return isMinusInfinity(part) ? WalkResult::interrupt()
                                   : WalkResult::advance();
    });
  });
  return result.wasInterrupted();
}

/// `4 query heads, 2 key heads, head size 64, scale 0.125`, `?` where an extent
/// is not known.
static std::string describe(AttentionOp op, double scale) {
  SmallVector<int64_t> query =
      AttentionOp::getShapeBHLD(op.getQuery(), op.getQueryLayout());
  SmallVector<int64_t> key =
      AttentionOp::getShapeBHLD(op.getKey(), op.getKeyLayout());
  auto spell = [](int64_t extent) {
    return ShapedType::isDynamic(extent) ? "?" : llvm::itostr(extent);
  };
  SmallString<16> number;
  llvm::APFloat(scale).toString(number, /*FormatPrecision=*/6);
  return llvm::formatv("{0} query heads, {1} key heads, head size {2}, scale "
                       "{3}",
                       spell(query[1]), spell(key[1]), spell(query[3]), number);
}

/// Gives a result `[heads, rows, lanes]` that stays so a batch of one, in which
/// it can be matched; folds away where it is not.
static void addBatch(linalg::LinalgOp values, IRRewriter &rewriter) {
  Value result = values->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  if (type.getRank() != 3)
    return;
  Location loc = values.getLoc();
  rewriter.setInsertionPointAfter(values);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, values.getDpsInitOperand(0)->get());
  sizes.insert(sizes.begin(), rewriter.getIndexAttr(1));
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), 1);
  SmallVector<ReassociationIndices> groups = {{0, 1}, {2}, {3}};
  auto expanded = tensor::ExpandShapeOp::create(
      rewriter, loc, type.clone(shape), result, groups, sizes);
  auto merged =
      tensor::CollapseShapeOp::create(rewriter, loc, type, expanded, groups);
  rewriter.replaceAllUsesExcept(result, merged, expanded);
}

/// Raises the attention that `values` is the last contraction of.
static void raise(linalg::LinalgOp values, IRRewriter &rewriter) {
  std::string reason;
  if (!AttentionMatch::hasCandidate(values))
    addBatch(values, rewriter);
  std::unique_ptr<AttentionMatch> match = AttentionMatch::match(values, reason);
  if (!match) {
    if (!reason.empty())
      remarkMissed(values, "raise-attention")
          << remark::add("'{0}' and its softmax stay as they are, no "
                         "'posenc.attention'",
                         values->getName().getStringRef())
          << remark::reason("{0}", reason);
    return;
  }
  AttentionOp op = createAttention(*match, rewriter);
  bool wasNaN = !match->guarded && masksWithInfinity(op);
  remarkDone(op, "raise-attention") << remark::add(
      "'{0}' raised from a contraction, its softmax and a contraction: "
      "{1}{2}",
      op->getName().getStringRef(), describe(op, match->scale),
      wasNaN ? "; a row without a key gives zeros where the graph "
               "gives NaN"
             : "");
  rewriter.replaceAllUsesExcept(match->output.tensor, op->getResult(0), op);
}

/// The tensor that `value` is a reshape or transpose of.
static Value getUnmoved(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             linalg::TransposeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// A contraction of the same queries and keys beside attention.
static void reportScoresBeside(AttentionOp op) {
  Value query = getUnmoved(op.getQuery()), key = getUnmoved(op.getKey());
  op->getParentOfType<func::FuncOp>().walk([&](linalg::LinalgOp other) {
    if (!isContraction(other))
      return;
    Value first = getUnmoved(other.getDpsInputs()[0]);
    Value second = getUnmoved(other.getDpsInputs()[1]);
    if ((first == query && second == key) || (first == key && second == query))
      remarkMissed(other, "raise-attention")
          << remark::add("'{0}' computes the scores of {1} a second time",
                         other->getName().getStringRef(), nameWithPlace(op))
          << remark::reason("they are read outside of it, and attention holds "
                            "no tensor of them")
          << remark::suggest("drop what reads them");
  });
}

namespace {
struct RaiseAttentionPass
    : public posenc::impl::RaiseAttentionPassBase<RaiseAttentionPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(decomposeSoftmax(function)))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> contractions;
    function.walk([&](linalg::LinalgOp op) {
      if (isContraction(op))
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp contraction : contractions)
      raise(contraction, rewriter);
    // What attention computes now has no reader left.
    (void)runRegionDCE(rewriter, function->getRegions());
    function.walk(reportScoresBeside);
  }
};
} // namespace
