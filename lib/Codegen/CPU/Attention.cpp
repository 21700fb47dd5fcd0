//===- Attention.cpp - Attention to vector code ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention on memrefs, with a #posenc.cpu schedule.
// After: scf.forall over units of work, of vector code on memrefs.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "Transposes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "posenc/Codegen/CPU/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_ATTENTIONPASS
#include "posenc/Codegen/CPU/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// The schedule of `op`, or failure and a diagnostic that says what is missing.
static FailureOr<CPUScheduleAttr> getSchedule(AttentionOp op) {
  auto schedule = dyn_cast_or_null<CPUScheduleAttr>(op.getScheduleAttr());
  if (!schedule)
    return op.emitOpError("has no CPU schedule; give it one, such as "
                          "'schedule(#posenc.cpu<prefill, ...>)'");
  if (op.getBlockTable())
    return op.emitOpError("has a 'block_table', which the CPU kernels do not "
                          "read; gather the pages into one key and one value "
                          "tensor first");
  bool prefill = schedule.getKernel() == CPUKernel::Prefill;
  if (prefill && schedule.getLanes() % kTransposeSide)
    return op.emitOpError()
           << "has a prefill schedule of " << schedule.getLanes()
           << " lanes; they must be a multiple of " << kTransposeSide;
  if (!prefill && !llvm::is_contained({4, 8, 16}, schedule.getLanes()))
    return op.emitOpError()
           << "has a decode schedule of " << schedule.getLanes()
           << " lanes; they must be 4, 8 or 16";
  if (!prefill && kTransposeSide % schedule.getRows())
    return op.emitOpError() << "has a decode schedule of " << schedule.getRows()
                            << " rows; they must divide " << kTransposeSide;
  if (!prefill && schedule.getKeyBlock() % kTransposeSide)
    return op.emitOpError()
           << "has a decode schedule of " << schedule.getKeyBlock()
           << " keys a block; they must be a multiple of " << kTransposeSide;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || type.getRank() != 4)
      continue;
    if (!type.isLastDimUnitStride())
      return op.emitOpError() << "has an operand " << type
                              << "; its last dimension must have stride 1";
  }
  return schedule;
}

namespace {
class AttentionPass : public posenc::impl::AttentionPassBase<AttentionPass> {
public:
  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation().walk([&](AttentionOp op) {
      if (!op.hasTensorSemantics())
        ops.push_back(op);
    });
    for (AttentionOp op : ops) {
      FailureOr<CPUScheduleAttr> schedule = getSchedule(op);
      if (failed(schedule))
        return signalPassFailure();
      KernelBuilder b(op.getLoc(), op);
      AttentionKernel kernel(op, *schedule, b);
      if (schedule->getKernel() == CPUKernel::Prefill)
        emitPrefill(kernel);
      else
        emitDecode(kernel);
      op.erase();
    }
  }
};
} // namespace
