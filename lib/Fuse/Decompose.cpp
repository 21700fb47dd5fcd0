//===- Decompose.cpp - The rest to linalg ---------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc ops that fused nowhere. After: linalg in their place; the only
// posenc ops are attention and cos_sin.
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Dialect/PosEnc/IR/Rotation.h"
#include "posenc/Dialect/PosEnc/IR/Tabulate.h"
#include "posenc/Fuse/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "posenc/Fuse/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// One linalg.generic that computes every element by the formula of `op`.
static FailureOr<SmallVector<Value>> decomposeFormula(FormulaOpInterface op,
                                                      OpBuilder &b) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(b, op, shapes)))
    return op.emitOpError("has no known result shape to decompose it with");
  auto emit = [&](OpBuilder &b, Location loc, ValueRange at) {
    return op.emitElement(b, loc, at);
  };
  return SmallVector<Value>{tabulate(b, loc, type, shapes.front(), emit)};
}

static FailureOr<SmallVector<Value>> decomposeRotary(RotaryOpInterface op,
                                                     OpBuilder &b) {
  Value input = op.getRotatedOperand().get();
  Value result = decomposeRotation(
      b, op.getLoc(), input, op.getRotatedLayout(), op.getLanes(),
      cast<ShapedType>(input.getType()).getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange row, Value pair) {
        return op.emitCosSin(b, loc, row, pair);
      });
  return SmallVector<Value>{result};
}

/// Why no kernel takes `op`; empty where one does.
static StringRef whyNotFused(AttentionOp op) {
  if (op.getBlockTable())
    return "its keys and values are in pages; gather them into one tensor each";
  // A tile of no rows is not even a valid view.
  for (Value operand : {op.getQuery(), op.getKey(), op.getValue()})
    if (llvm::is_contained(cast<ShapedType>(operand.getType()).getShape(), 0))
      return "an extent of its operands is zero, so there is nothing to do";
  return "";
}

namespace {
struct DecomposePass : posenc::impl::DecomposePassBase<DecomposePass> {
  using DecomposePassBase::DecomposePassBase;

  void runOnOperation() override {
    // Attention first: its regions may read what is decomposed after it.
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      // Plan decomposes what linalg has of these.
      bool isAggregate = isa<linalg::AggregatedOpInterface>(op) &&
                         isa<PosEncDialect>(op->getDialect());
      if (isAggregate || isa<FormulaOpInterface, RotaryOpInterface>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops)
      // Not of attention, nor of what writes into a tensor that is there.
      if (!isa<DestinationStyleOpInterface>(op))
        reportEncoding(op);
    for (Operation *op : llvm::reverse(ops)) {
      if (auto attention = dyn_cast<AttentionOp>(op);
          attention && keeps(attention))
        continue;
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> parts = decompose(op, rewriter);
      if (failed(parts))
        return signalPassFailure();
      rewriter.replaceOp(op, *parts);
    }
  }

private:
  /// Whether `op` stays for a kernel.
  bool keeps(AttentionOp op) {
    StringRef reason =
        noFuse ? "fusion is off; compile without --no-fuse" : whyNotFused(op);
    if (reason.empty())
      return true;
    remarkMissed(op, "decompose")
        << remark::add("'{0}' becomes contractions and a softmax, no kernel",
                       op->getName().getStringRef())
        << remark::reason("{0}", reason);
    return false;
  }

  /// Says of `encoding` that it is computed by itself, and for whom.
  void reportEncoding(Operation *encoding) {
    StringRef name = encoding->getName().getStringRef();
    Operation *reader = nullptr;
    for (Operation *user : encoding->getUsers()) {
      auto attention = dyn_cast<AttentionOp>(user);
      if (!attention)
        attention = user->getParentOfType<AttentionOp>();
      if (attention && !noFuse)
        return reportRead(encoding, attention);
      if (!isa<tensor::DimOp>(user))
        reader = user;
    }
    // A rotation that is moved on its way to attention was reported there.
    if (!reader || (!noFuse && movesToAttention(encoding->getResult(0))))
      return;
    remarkMissed(encoding, "decompose")
        << remark::add("'{0}' is computed by itself, as a tensor", name)
        << remark::reason("{0}", noFuse ? "fusion is off; compile without "
                                          "--no-fuse"
                                        : "no attention reads it, but " +
                                              nameWithPlace(reader));
  }

  /// What attention reads is a rotated key, which was reported, an operand that
  /// is no rotation, or a table.
  static void reportRead(Operation *encoding, AttentionOp attention) {
    if (isa<RotaryOpInterface>(encoding))
      return;
    StringRef name = encoding->getName().getStringRef();
    Value result = encoding->getResult(0);
    if (llvm::is_contained(
            {attention.getQuery(), attention.getKey(), attention.getValue()},
            result)) {
      remarkMissed(encoding, "decompose")
          << remark::add("'{0}' is computed by itself before {1} reads it",
                         name, nameWithPlace(attention))
          << remark::reason("attention itself only rotates lanes of its "
                            "queries, and this is no rotation");
      return;
    }
    remarkDone(encoding, "decompose") << remark::add(
        "'{0}' is computed once a call, as a table that {1} reads", name,
        nameWithPlace(attention));
  }

  static bool movesToAttention(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      if (isa<AttentionOp>(user))
        return true;
      return user->getNumResults() == 1 && getMovement(user->getResult(0)) &&
             movesToAttention(user->getResult(0));
    });
  }

  FailureOr<SmallVector<Value>> decompose(Operation *op, OpBuilder &b) {
    return TypeSwitch<Operation *, FailureOr<SmallVector<Value>>>(op)
        .Case([&](linalg::AggregatedOpInterface op) {
          return op.decomposeOperation(b);
        })
        .Case([&](RotaryOpInterface op) { return decomposeRotary(op, b); })
        .Case([&](FormulaOpInterface op) { return decomposeFormula(op, b); });
  }
};
} // namespace
