//===- SimplifyIndices.cpp - Index arithmetic in regions ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: regions of attention with a graph's own index arithmetic: i64, counts
// from the end where negative, clamps. After: plain index arithmetic without
// what is always so, because b, h, i and j lie within the operands.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/FormulaOps.h"
#include "posenc/Fuse/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_SIMPLIFYINDICESPASS
#include "posenc/Fuse/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The operand of attention, and its dimension, that `value` indexes, if it is
/// an index of one of the op's regions.
static std::optional<std::pair<Value, int64_t>> getIndexed(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return std::nullopt;
  auto op = dyn_cast<AttentionOp>(argument.getOwner()->getParentOp());
  if (!op)
    return std::nullopt;
  unsigned region = argument.getOwner()->getParent()->getRegionNumber();
  StringRef name =
      getFormulaRegions()[region].arguments[argument.getArgNumber()];
  auto query = [&](int64_t axis) {
    return std::make_pair(op.getQuery(),
                          AttentionOp::getAxis(op.getQueryLayout(), axis));
  };
  auto key = [&](int64_t axis) {
    return std::make_pair(op.getKey(),
                          AttentionOp::getAxis(op.getKeyLayout(), axis));
  };
  if (name == "b" || name == "h" || name == "i")
    return query(name == "b" ? 0 : name == "h" ? 1 : 2);
  // With a block table the rows of a key are those of a page.
  if (name == "g" || (name == "j" && !op.getBlockTable()))
    return key(name == "g" ? 1 : 2);
  return std::nullopt;
}

namespace {
/// Whether values are surely not negative, each looked at once. Sums do not
/// overflow where positions fit, nor products in 64 bits, since sizes and
/// positions are below 2^31.
class NonNegative {
public:
  bool find(Value value) {
    auto [it, isNew] = known.try_emplace(value, false);
    if (!isNew)
      return it->second;
    bool found = compute(value);
    return known[value] = found;
  }

private:
  bool compute(Value value) {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return *constant >= 0;
    if (isa<BlockArgument>(value))
      return getIndexed(value).has_value();
    auto all = [&](Operation *op) {
      return llvm::all_of(op->getOperands(),
                          [&](Value operand) { return find(operand); });
    };
    return TypeSwitch<Operation *, bool>(value.getDefiningOp())
        .Case([](tensor::DimOp) { return true; })
        .Case<arith::ExtUIOp, math::AbsIOp>(
            [&](Operation *) { return holdsPositions(value.getType()); })
        .Case<arith::AddIOp>([&](Operation *op) {
          return holdsPositions(value.getType()) && all(op);
        })
        .Case<arith::MulIOp>([&](Operation *op) {
          return (value.getType().isIndex() || value.getType().isInteger(64)) &&
                 all(op);
        })
        .Case<arith::DivSIOp, arith::MinSIOp, arith::ExtSIOp>(all)
        .Case([&](arith::IndexCastOp op) {
          return holdsPositions(op.getType()) && all(op);
        })
        .Case([&](arith::MaxSIOp op) {
          return find(op.getLhs()) || find(op.getRhs());
        })
        .Case([&](arith::SelectOp op) {
          return find(op.getTrueValue()) && find(op.getFalseValue());
        })
        .Default([](Operation *) { return false; });
  }

  llvm::DenseMap<Value, bool> known;
};
} // namespace

/// Whether `value` is surely not negative.
static bool isNonNegative(Value value) { return NonNegative().find(value); }

/// Whether the index `value` is surely at most `bound`.
static bool isAtMost(Value value, Value bound) {
  auto indexed = getIndexed(value);
  if (!indexed)
    return false;
  auto [operand, dim] = *indexed;
  int64_t extent = cast<ShapedType>(operand.getType()).getDimSize(dim);
  if (std::optional<int64_t> constant = getConstantIntValue(bound))
    return !ShapedType::isDynamic(extent) && extent - 1 <= *constant;
  return ValueBoundsConstraintSet::compare(
      {operand, dim}, ValueBoundsConstraintSet::ComparisonOperator::LE,
      ValueBoundsConstraintSet::Variable(
          AffineMap::get(0, 1, getAffineSymbolExpr(0, bound.getContext()) + 1),
          ValueRange{bound}));
}

/// Whether `op` stands in a region of attention.
static bool isInRegion(Operation *op) {
  return op->getParentOfType<AttentionOp>() != nullptr;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Whether the integer `value` is a cast of an index or a constant.
static bool isFromIndex(Value value) {
  return (value.getType().isInteger(64) || value.getType().isInteger(32)) &&
         (getConstantIntValue(value) ||
          value.getDefiningOp<arith::IndexCastOp>());
}

/// The index that `value`, a cast of an index or a constant, is.
static Value getAsIndex(OpBuilder &b, Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return arith::ConstantIndexOp::create(b, value.getLoc(), *constant);
  return value.getDefiningOp<arith::IndexCastOp>().getIn();
}

namespace {
/// Integer arithmetic on casts of indices is index arithmetic.
template <typename Op> struct ComputeOnIndices : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isInRegion(op) || !isFromIndex(op.getLhs()) ||
        !isFromIndex(op.getRhs()) ||
        (isa<arith::MulIOp>(op) && !op.getLhs().getType().isInteger(64)))
      return rewriter.notifyMatchFailure(op, "computes on no casts of indices");
    Value lhs = getAsIndex(rewriter, op.getLhs());
    Value rhs = getAsIndex(rewriter, op.getRhs());
    if constexpr (std::is_same_v<Op, arith::CmpIOp>)
      rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, op.getPredicate(), lhs,
                                                 rhs);
    else
      rewriter.replaceOpWithNewOp<arith::IndexCastOp>(
          op, op.getType(), Op::create(rewriter, op.getLoc(), lhs, rhs));
    return success();
  }
};

/// x < 0 is false and x >= 0 true where x cannot be negative.
struct CompareWithZero : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    bool isLess = op.getPredicate() == arith::CmpIPredicate::slt;
    if ((!isLess && op.getPredicate() != arith::CmpIPredicate::sge) ||
        !isInRegion(op) || !isConstantIntValue(op.getRhs(), 0) ||
        !isNonNegative(op.getLhs()))
      return rewriter.notifyMatchFailure(op, "may be true or false");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getBoolAttr(!isLess));
    return success();
  }
};

/// max(x, 0) is x where x cannot be negative.
struct DropLowerClamp : OpRewritePattern<arith::MaxSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MaxSIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isInRegion(op) || !isConstantIntValue(op.getRhs(), 0) ||
        !isNonNegative(op.getLhs()))
      return rewriter.notifyMatchFailure(op, "may be negative");
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

/// min(x, n - 1) is x where x is an index below n.
struct DropUpperClamp : OpRewritePattern<arith::MinSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MinSIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isInRegion(op) || !isAtMost(op.getLhs(), op.getRhs()))
      return rewriter.notifyMatchFailure(op, "may be clamped");
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

/// A constant table that holds one of the indices it is read at need not be
/// read: the numbers of batches and keys that a gather is given.
struct ReadIota : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    DenseIntElementsAttr table;
    if (!isInRegion(op) || !op.getType().isSignlessInteger() ||
        op.getType().isInteger(1) ||
        !matchPattern(op.getTensor(), m_Constant(&table)))
      return rewriter.notifyMatchFailure(op, "reads no table of integers");
    std::optional<int64_t> axis = getHeldAxis(table, op.getIndices());
    if (!axis)
      return rewriter.notifyMatchFailure(op, "reads other numbers");
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, op.getType(),
                                                    op.getIndices()[*axis]);
    return success();
  }

private:
  /// The axis whose index every entry is that can be read at `indices`.
  static std::optional<int64_t> getHeldAxis(DenseIntElementsAttr table,
                                            ValueRange indices) {
    ArrayRef<int64_t> shape = table.getType().getShape();
    SmallVector<int64_t> axes, strides = computeStrides(shape);
    SmallVector<std::optional<int64_t>> fixed;
    for (auto [axis, index] : llvm::enumerate(indices)) {
      fixed.push_back(getConstantIntValue(index));
      if (!fixed.back() && shape[axis] != 1)
        axes.push_back(axis);
    }
    for (auto [number, entry] : llvm::enumerate(table)) {
      SmallVector<int64_t> at = delinearize(number, strides);
      if (llvm::any_of(llvm::zip_equal(fixed, at), [](auto pair) {
            auto [index, coordinate] = pair;
            return index && *index != coordinate;
          }))
        continue;
      llvm::erase_if(axes, [&, value = entry.getSExtValue()](int64_t axis) {
        return value != at[axis];
      });
    }
    return axes.empty() ? std::nullopt : std::optional(axes.front());
  }
};

struct SimplifyIndicesPass
    : posenc::impl::SimplifyIndicesPassBase<SimplifyIndicesPass> {
  using SimplifyIndicesPassBase::SimplifyIndicesPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<ComputeOnIndices<arith::AddIOp>, ComputeOnIndices<arith::SubIOp>,
             ComputeOnIndices<arith::MulIOp>, ComputeOnIndices<arith::MinSIOp>,
             ComputeOnIndices<arith::MaxSIOp>, ComputeOnIndices<arith::CmpIOp>,
             CompareWithZero, DropLowerClamp, DropUpperClamp, ReadIota>(
            &getContext());
    arith::IndexCastOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
