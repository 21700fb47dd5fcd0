//===- CheckRanges.cpp - Rows of tables that do not exist -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: ops that read rows of tables.
// After: the same, behind a cf.assert for each condition on sizes that decides
// at run time whether the rows exist.
//
//===----------------------------------------------------------------------===//

#include "posenc/Simplify/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

namespace mlir::posenc {
#define GEN_PASS_DEF_CHECKRANGESPASS
#include "posenc/Simplify/Passes.h.inc"
} // namespace mlir::posenc

/// Asserts before `op` what it needs; an error where that is known to be false.
static LogicalResult checkRanges(TableReadOpInterface op) {
  OpBuilder b(op);
  SmallVector<std::pair<Value, std::string>> conditions;
  op.emitRangeConditions(b, op.getLoc(), conditions);
  for (auto &[condition, message] : conditions) {
    APInt known;
    if (!matchPattern(condition, m_ConstantInt(&known)))
      cf::AssertOp::create(b, op.getLoc(), condition, message);
    else if (known.isZero())
      return op.emitOpError() << "cannot be computed: " << message;
  }
  return success();
}

namespace {
struct CheckRangesPass : posenc::impl::CheckRangesPassBase<CheckRangesPass> {
  void runOnOperation() final {
    WalkResult checked = getOperation().walk(
        [](TableReadOpInterface op) { return WalkResult(checkRanges(op)); });
    if (checked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
