//===- Schedule.cpp - Chooses the tiles of attention ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention on memrefs. After: each has a schedule.
//
//===----------------------------------------------------------------------===//

#include "Target.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Plan/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
struct SchedulePass : posenc::impl::SchedulePassBase<SchedulePass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](AttentionOp op) {
      if (op.getSchedule())
        return WalkResult::advance();
      FailureOr<SmallVector<ScheduleChoice>> choices = chooseSchedules(op);
      if (failed(choices))
        return WalkResult::interrupt();
      int64_t rows = getStaticQueryRows(op);
      const ScheduleChoice *best =
          ShapedType::isDynamic(rows)
              ? &choices->back()
              : llvm::find_if(*choices, [&](const ScheduleChoice &choice) {
                  return rows <= choice.maxQueryRows;
                });
      op.setScheduleAttr(best->schedule);
      remarkDone(op, "schedule") << remark::add(
          "'{0}' runs {1}", op->getName().getStringRef(), best->schedule);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
