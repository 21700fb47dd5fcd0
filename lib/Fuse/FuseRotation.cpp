//===- FuseRotation.cpp - The rotation of queries into attention ----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: attention whose query is a rotary op's result. After: attention of
// the unrotated query, the cosine and sine of a pair in `rotate_query`. Keys
// are read once for every query row, so they are rotated once, by their own op.
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Fuse/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_FUSEROTATIONPASS
#include "posenc/Fuse/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// The rotary op whose result `tensor` is, as it is or moved; null if none.
static RotaryOpInterface getRotation(Value tensor) {
  while (std::optional<Movement> movement = getMovement(tensor))
    tensor = movement->source;
  return tensor.getDefiningOp<RotaryOpInterface>();
}

/// Why the rotation stays an op; empty where it fuses.
static StringRef whyNotFused(AttentionOp op, RotaryOpInterface rotation) {
  if (op.getQuery() != rotation->getResult(0))
    return "its result is moved on its way to attention, which no layout says; "
           "move its operand instead";
  if (op.getQueryLayout() != rotation.getRotatedLayout())
    return "it and attention read the query in different axis orders; give "
           "both the same layout";
  if (!op.getRotateQuery().empty() &&
      op.getQueryLanesAttr() != rotation.getLanes())
    return "the query is already rotated in attention, in other lanes; rotate "
           "the same lanes";
  return "";
}

/// Cosine and sine of one rotation after another, of the same pairs: a product
/// of complex numbers.
static std::pair<Value, Value> compose(OpBuilder &b, Location loc,
                                       Value outerCos, Value outerSin,
                                       Value cos, Value sin) {
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, loc, x, y);
  };
  return {
      arith::SubFOp::create(b, loc, mul(outerCos, cos), mul(outerSin, sin)),
      arith::AddFOp::create(b, loc, mul(outerSin, cos), mul(outerCos, sin))};
}

static void fuse(AttentionOp op, RotaryOpInterface rotation,
                 RewriterBase &rewriter) {
  Location loc = rotation.getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  Region &region = op.getRotateQuery();
  SmallVector<Value> outer;
  if (region.empty()) {
    op.createRegionBlock(rewriter, region);
  } else {
    Operation *yield = region.front().getTerminator();
    rewriter.setInsertionPoint(yield);
    outer = llvm::to_vector(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.setInsertionPointToEnd(&region.front());
  }
  Block &block = region.front();
  auto [cos, sin] = rotation.emitCosSin(
      rewriter, loc, block.getArguments().take_front(3), block.getArgument(3));
  if (!outer.empty())
    std::tie(cos, sin) = compose(rewriter, loc, outer[0], outer[1], cos, sin);
  YieldOp::create(rewriter, loc, ValueRange{cos, sin});
  rewriter.modifyOpInPlace(op, [&]() {
    op.setQueryLanesAttr(rotation.getLanes());
    op.getQueryMutable().assign(rotation.getRotatedOperand().get());
  });
  if (rotation->use_empty())
    rewriter.eraseOp(rotation);
}

namespace {
struct FuseRotationPass : posenc::impl::FuseRotationPassBase<FuseRotationPass> {
  using FuseRotationPassBase::FuseRotationPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](AttentionOp op) {
      RotaryOpInterface keyRotation = getRotation(op.getKey());
      if (keyRotation)
        reportKey(op, keyRotation);
      // One after another, the last first.
      while (RotaryOpInterface rotation = getRotation(op.getQuery())) {
        if (keyRotation)
          warnIfUnlike(rotation, keyRotation);
        if (!visitQuery(op, rotation, rewriter))
          break;
      }
    });
  }

private:
  /// Whether the rotation fused.
  static bool visitQuery(AttentionOp op, RotaryOpInterface rotation,
                         RewriterBase &rewriter) {
    StringRef name = rotation->getName().getStringRef();
    StringRef reason = whyNotFused(op, rotation);
    if (!reason.empty()) {
      remarkMissed(rotation, "fuse-rotation")
          << remark::add("'{0}' of the query stays before {1}", name,
                         nameWithPlace(op))
          << remark::reason("{0}", reason);
      return false;
    }
    remarkDone(rotation, "fuse-rotation") << remark::add(
        "'{0}' of the query fused into {1}", name, nameWithPlace(op));
    fuse(op, rotation, rewriter);
    return true;
  }

  static void warnIfUnlike(RotaryOpInterface query, RotaryOpInterface key) {
    std::string reason = query.whyUnlike(key);
    if (!reason.empty())
      query->emitWarning("rotates queries unlike their keys: ") << reason;
  }

  static std::string whatToCache(RotaryOpInterface key) {
    std::string reason = key.whyNotKept();
    if (reason.empty())
      return "where keys come from a cache, append them rotated";
    return "where keys come from a cache, append them as they are: " + reason;
  }

  static void reportKey(AttentionOp op, RotaryOpInterface rotation) {
    remarkMissed(rotation, "fuse-rotation")
        << remark::add("'{0}' of the key stays before {1}",
                       rotation->getName().getStringRef(), nameWithPlace(op))
        << remark::reason("a key is read for every block of query rows, so it "
                          "is rotated once a call, not in each")
        << remark::suggest("{0}", whatToCache(rotation));
  }
};
} // namespace
