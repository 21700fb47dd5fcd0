//===- ComposeRotations.cpp - A rotation of a rotation --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: rotations of rotated heads. After: one rotation by the sum of the
// positions, or none where the two cancel.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Simplify/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_COMPOSEROTATIONSPASS
#include "posenc/Simplify/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
struct ComposeRotationsPass
    : posenc::impl::ComposeRotationsPassBase<ComposeRotationsPass> {
  using ComposeRotationsPassBase::ComposeRotationsPassBase;

  void runOnOperation() override {
    // Each after the one it rotates, whatever the order of blocks, so that a
    // chain composes one by one and none is erased before its turn.
    SmallVector<RotaryOpInterface> rotations;
    getOperation()->walk<WalkOrder::PreOrder, ForwardDominanceIterator<>>(
        [&](RotaryOpInterface op) { rotations.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (RotaryOpInterface op : rotations)
      while (op)
        op = compose(op, rewriter);
  }

private:
  /// Replaces `op` and the rotation it rotates by one, which it returns; null
  /// if there is nothing more to compose.
  static RotaryOpInterface compose(RotaryOpInterface op,
                                   RewriterBase &rewriter) {
    auto inner =
        op.getRotatedOperand().get().getDefiningOp<RotaryOpInterface>();
    if (!inner)
      return {};
    rewriter.setInsertionPoint(op);
    Value composed = op.composeWith(rewriter, inner);
    if (!composed) {
      remarkMissed(op, "compose-rotations")
          << remark::add("'{0}' of the result of {1} stays a second rotation",
                         op->getName().getStringRef(), nameWithPlace(inner))
          << remark::reason("the rotations differ in more than their positions")
          << remark::suggest(
                 "give both the same lanes, frequencies and layout");
      return {};
    }
    remarkDone(op, "compose-rotations")
        << remark::add("'{0}' and the rotation before it, {1}, {2}",
                       op->getName().getStringRef(), nameWithPlace(inner),
                       composed.getDefiningOp<RotaryOpInterface>()
                           ? "are one by the sum of their positions"
                           : "cancel");
    rewriter.replaceOp(op, composed);
    if (inner->use_empty())
      rewriter.eraseOp(inner);
    return composed.getDefiningOp<RotaryOpInterface>();
  }
};
} // namespace
