//===- DropRowConstants.cpp - Terms that the softmax cancels --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: scores with added terms that are the same for every key of a row.
// After: scores without them: softmax(x + c) = softmax(x).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Simplify/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_DROPROWCONSTANTSPASS
#include "posenc/Simplify/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// Whether `value` is computed from any of `arguments`.
static bool dependsOn(Value value, ValueRange arguments) {
  SmallVector<Value> pending = {value};
  llvm::DenseSet<Value> seen;
  while (!pending.empty()) {
    Value current = pending.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (llvm::is_contained(arguments, current))
      return true;
    Operation *producer = current.getDefiningOp();
    if (producer && producer->getBlock() == arguments.front().getParentBlock())
      producer->walk([&](Operation *inner) {
        llvm::append_range(pending, inner->getOperands());
      });
  }
  return false;
}

/// Whether `value` is surely a finite number: made of constants and integers.
/// An infinite term is not constant but a mask, or an error to keep.
static bool isFinite(Value value) {
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValue().isFinite();
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(op))
    return true;
  if (auto read = dyn_cast_or_null<tensor::ExtractOp>(op)) {
    DenseFPElementsAttr table;
    return matchPattern(read.getTensor(), m_Constant(&table)) &&
           llvm::all_of(table,
                        [](const APFloat &entry) { return entry.isFinite(); });
  }
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return isFinite(select.getTrueValue()) && isFinite(select.getFalseValue());
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                         arith::NegFOp, arith::ExtFOp, math::AbsFOp>(op) &&
         llvm::all_of(op->getOperands(), isFinite);
}

/// The score that `yielded` = x + terms leaves when its terms constant along a
/// row are dropped; `yielded` itself if none can be.
static Value dropTerms(Value yielded, ValueRange scoreAndKey) {
  auto sum = yielded.getDefiningOp<arith::AddFOp>();
  auto difference = yielded.getDefiningOp<arith::SubFOp>();
  if (!sum && !difference)
    return yielded;
  Value lhs = yielded.getDefiningOp()->getOperand(0);
  Value rhs = yielded.getDefiningOp()->getOperand(1);
  auto drops = [&](Value term) {
    return !dependsOn(term, scoreAndKey) && isFinite(term);
  };
  if (drops(rhs))
    return dropTerms(lhs, scoreAndKey);
  if (sum && drops(lhs))
    return dropTerms(rhs, scoreAndKey);
  return yielded;
}

/// Why a term must stay; empty where it may go.
static StringRef whyNotDropped(AttentionOp op) {
  if (op.getSinks())
    return "a sink is compared with the score as it is";
  if (op.getLogsumexpInit())
    return "the log-sum-exp is a result";
  return "";
}

namespace {
struct DropRowConstantsPass
    : posenc::impl::DropRowConstantsPassBase<DropRowConstantsPass> {
  using DropRowConstantsPassBase::DropRowConstantsPassBase;

  void runOnOperation() override {
    getOperation().walk([](AttentionOp op) {
      if (!op.getScore().empty())
        dropRowConstants(op);
    });
  }

private:
  static void dropRowConstants(AttentionOp op) {
    Block &score = op.getScore().front();
    Operation *yield = score.getTerminator();
    Value yielded = yield->getOperand(0);
    Value scoreAndKey[] = {score.getArgument(0), score.getArgument(4)};
    Value left = dropTerms(yielded, scoreAndKey);
    if (left == yielded)
      return;
    StringRef reason = whyNotDropped(op);
    Operation *term = yielded.getDefiningOp();
    StringRef name = term->getName().getStringRef();
    if (reason.empty()) {
      remarkDone(term, "drop-row-constants")
          << remark::add("'{0}' dropped from the score of {1}: what it adds is "
                         "the same for every key of a row",
                         name, nameWithPlace(op));
      yield->setOperand(0, left);
      return;
    }
    remarkMissed(term, "drop-row-constants")
        << remark::add("'{0}' stays in the score of {1}, although what it adds "
                       "is the same for every key of a row",
                       name, nameWithPlace(op))
        << remark::reason("{0}", reason);
  }
};
} // namespace
