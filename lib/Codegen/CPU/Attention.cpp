//===- Attention.cpp - Attention to vector code ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention on memrefs, with a CPU schedule.
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

/// Whether the kernels can read `op`; else a diagnostic says why not.
static LogicalResult checkOperands(AttentionOp op) {
  if (op.getBlockTable())
    return op.emitOpError("has a 'block_table', which the CPU kernels do not "
                          "read; gather the pages into one key and one value "
                          "tensor first");
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || type.getRank() != 4)
      continue;
    if (!type.isLastDimUnitStride())
      return op.emitOpError() << "has an operand " << type
                              << "; its last dimension must have stride 1";
  }
  return success();
}

static LogicalResult checkSchedule(AttentionOp op, CPUPrefillAttr schedule) {
  if (schedule.getLanes() % kTransposeSide)
    return op.emitOpError()
           << "has a prefill schedule of " << schedule.getLanes()
           << " lanes; they must be a multiple of " << kTransposeSide;
  return success();
}

static LogicalResult checkSchedule(AttentionOp op, CPUDecodeAttr schedule) {
  if (!llvm::is_contained({4, 8, 16}, schedule.getLanes()))
    return op.emitOpError()
           << "has a decode schedule of " << schedule.getLanes()
           << " lanes; they must be 4, 8 or 16";
  if (kTransposeSide % schedule.getRows())
    return op.emitOpError() << "has a decode schedule of " << schedule.getRows()
                            << " rows; they must divide " << kTransposeSide;
  if (schedule.getKeyBlock() % kTransposeSide)
    return op.emitOpError()
           << "has a decode schedule of " << schedule.getKeyBlock()
           << " keys a block; they must be a multiple of " << kTransposeSide;
  return success();
}

/// Emits the kernel that the schedule of `op` names before it.
static LogicalResult emitKernel(AttentionOp op) {
  Attribute schedule = op.getScheduleAttr();
  if (!isa_and_present<CPUPrefillAttr, CPUDecodeAttr>(schedule))
    return op.emitOpError("has no CPU schedule; give it one, such as "
                          "'schedule(#posenc.cpu_prefill<...>)'");
  if (failed(checkOperands(op)))
    return failure();
  KernelBuilder b(op.getLoc(), op);
  if (auto prefill = dyn_cast<CPUPrefillAttr>(schedule)) {
    if (failed(checkSchedule(op, prefill)))
      return failure();
    AttentionKernel kernel(op, b);
    emitPrefill(kernel, prefill);
    return success();
  }
  auto decode = cast<CPUDecodeAttr>(schedule);
  if (failed(checkSchedule(op, decode)))
    return failure();
  AttentionKernel kernel(op, b);
  emitDecode(kernel, decode);
  return success();
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
      if (failed(emitKernel(op)))
        return signalPassFailure();
      op.erase();
    }
  }
};
} // namespace
