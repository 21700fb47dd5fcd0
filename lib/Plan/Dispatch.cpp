//===- Dispatch.cpp - Chooses attention's kernel at run time --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention on memrefs with a dynamic number of query rows.
// After: scf.if on that number, with the target's schedule for few rows in one
// branch and for more in the other. After bufferization, because a conditional
// that yields tensors would be given an allocation and a copy.
//
//===----------------------------------------------------------------------===//

#include "Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Plan/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_DISPATCHPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// Replaces `op` by copies with the schedules of `choices`, the first of which
/// that takes the number of rows runs.
static void dispatch(AttentionOp op, ArrayRef<ScheduleChoice> choices) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto emit = [&](const ScheduleChoice &choice) {
    auto copy = cast<AttentionOp>(b.clone(*op));
    copy.setScheduleAttr(choice.schedule);
    remarkDone(op, "dispatch") << remark::add(
        "'{0}' runs {1} for {2}", op->getName().getStringRef(), choice.schedule,
        choice.maxQueryRows == ScheduleChoice::kAnyRows
            ? "more query rows"
            : llvm::formatv("at most {0} query row{1}", choice.maxQueryRows,
                            choice.maxQueryRows == 1 ? "" : "s")
                  .str());
  };
  Value rows = memref::DimOp::create(
      b, loc, op.getQuery(), AttentionOp::getAxis(op.getQueryLayout(), 2));
  for (const ScheduleChoice &choice : choices.drop_back()) {
    Value most = arith::ConstantIndexOp::create(b, loc, choice.maxQueryRows);
    Value few =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, rows, most);
    auto branch = scf::IfOp::create(b, loc, few, /*withElseRegion=*/true);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    emit(choice);
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
  }
  emit(choices.back());
  op.erase();
}

namespace {
struct DispatchPass : posenc::impl::DispatchPassBase<DispatchPass> {
  void runOnOperation() override {
    SmallVector<AttentionOp> open;
    getOperation().walk([&](AttentionOp op) {
      if (!op.getSchedule() && !op.hasTensorSemantics() &&
          ShapedType::isDynamic(getStaticQueryRows(op)))
        open.push_back(op);
    });
    for (AttentionOp op : open) {
      FailureOr<SmallVector<ScheduleChoice>> choices = chooseSchedules(op);
      if (failed(choices))
        return signalPassFailure();
      dispatch(op, *choices);
    }
  }
};
} // namespace
