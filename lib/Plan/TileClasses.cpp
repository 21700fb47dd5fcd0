//===- TileClasses.cpp - Which tiles of the scores are masked -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention on tensors with a mask. After: it also has the
// region `bounds` and, where that is not exact, `tile`. The work is once a
// block of rows or a tile, and once an element of what the mask reads along i
// or j alone.
//
//===----------------------------------------------------------------------===//

#include "MaskRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Plan/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_TILECLASSESPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// Fills in `bounds`; returns whether it says all there is to say.
static bool addBounds(AttentionOp op, BlockTables &tables) {
  OpBuilder outside(op);
  Value numKeys = getValueOrCreateConstantIndexOp(
      outside, op.getLoc(), op.getExtent(outside, RegionArgument::J));
  OpBuilder b(op.getContext());
  Block *block = op.createRegionBlock(b, op.getBounds());
  MaskRanges ranges(b, op.getLoc(), op.getMask().front(), numKeys, tables);
  KeyRanges found = ranges.find(block->getArgument(0), block->getArgument(1),
                                block->getArgument(2), block->getArgument(3));
  YieldOp::create(b, op.getLoc(),
                  ValueRange{found.lo, found.fullLo, found.fullHi, found.hi});
  return found.isExact;
}

/// Fills in `tile`: the mask over an interval of rows and one of keys.
static void addTile(AttentionOp op, BlockTables &tables) {
  Location loc = op.getLoc();
  OpBuilder b(op.getContext());
  Block *block = op.createRegionBlock(b, op.getTile());
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  SmallVector<Value> guards;
  IntervalDomain domain(
      b, loc, [&](Operation *read, ArrayRef<Interval> indices) {
        Value valid;
        Interval interval = tables.read(b, read, indices, valid);
        if (valid)
          guards.push_back(valid);
        return interval;
      });
  auto range = [&](unsigned first) {
    Value last =
        arith::SubIOp::create(b, loc, block->getArgument(first + 1), one);
    return Interval(block->getArgument(first), last);
  };
  Interval seen =
      interpret(op.getMask(),
                {Interval::ofPoint(block->getArgument(0)),
                 Interval::ofPoint(block->getArgument(1)), range(2), range(4)},
                domain)
          .front();
  Value any = seen.isKnown() ? seen.getHigh() : yes;
  Value all = seen.isKnown() ? seen.getLow() : no;
  for (Value valid : guards) {
    any = arith::SelectOp::create(b, loc, valid, any, yes);
    all = arith::SelectOp::create(b, loc, valid, all, no);
  }
  YieldOp::create(b, loc, ValueRange{any, all});
}

/// Whether `tile` says of no tile more than that it may be mixed.
static bool isTrivialTile(Region &tile) {
  auto yielded = tile.front().getTerminator()->getOperands();
  return matchPattern(yielded[0], m_One()) &&
         matchPattern(yielded[1], m_Zero());
}

/// Whether `bounds` says no more than that every key may be mixed.
static bool isTrivialBounds(Region &bounds) {
  auto yielded = bounds.front().getTerminator()->getOperands();
  return llvm::all_of(
             yielded.take_front(3),
             [](Value value) { return matchPattern(value, m_Zero()); }) &&
         yielded[3].getParentRegion()->isProperAncestor(&bounds);
}

/// Drops regions that say nothing once folded.
static void dropTrivialRegions(AttentionOp op) {
  if (op.getTile().empty() || !isTrivialTile(op.getTile()))
    return;
  op.getTile().getBlocks().clear();
  if (isTrivialBounds(op.getBounds()))
    op.getBounds().getBlocks().clear();
}

/// Tells the user which keys are skipped.
static void reportClasses(AttentionOp op, bool isExact) {
  constexpr StringLiteral pass = "tile-classes";
  StringRef name = op->getName().getStringRef();
  if (isExact) {
    remarkDone(op, pass) << remark::add(
        "'{0}' skips the keys its mask hides: the bounds of "
        "those a row sees are exact",
        name);
    return;
  }
  if (op.getBounds().empty() && op.getTile().empty()) {
    remarkMissed(op, pass)
        << remark::add("'{0}' evaluates its mask for every row and key", name)
        << remark::reason("no tile of the mask is known to be seen or hidden "
                          "before its elements are read")
        << remark::suggest("compute the mask in the graph, from positions, "
                           "lengths or ids");
    return;
  }
  remarkMissed(op, pass)
      << remark::add("'{0}' asks its mask {1}", name,
                     op.getTile().empty() ? "for every key within its bounds"
                                          : "for each tile of keys")
      << remark::reason("the mask is no conjunction of comparisons linear in "
                        "the key index, so its bounds are not exact");
}

namespace {
struct TileClassesPass : posenc::impl::TileClassesPassBase<TileClassesPass> {
  void runOnOperation() override {
    BlockTables tables;
    SmallVector<AttentionOp> classified;
    getOperation().walk([&](AttentionOp op) {
      if (op.hasTensorSemantics() && !op.getMask().empty() &&
          op.getBounds().empty() && op.getTile().empty())
        classified.push_back(op);
    });
    llvm::DenseSet<Operation *> exact;
    for (AttentionOp op : classified) {
      if (addBounds(op, tables))
        exact.insert(op);
      else
        addTile(op, tables);
    }
    // Folds what the intervals left of constants, and drops unused tables.
    if (failed(applyPatternsGreedily(getOperation(),
                                     RewritePatternSet(&getContext()))))
      return signalPassFailure();
    for (AttentionOp op : classified) {
      dropTrivialRegions(op);
      reportClasses(op, exact.contains(op));
    }
  }
};
} // namespace
