//===- Dispatch.cpp - Chooses attention's kernel at run time --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention on memrefs with a dynamic number of query rows.
// After: scf.if on that number, with attention for decoding in one branch and
// for prefill in the other. After bufferization, because a conditional that
// yields tensors would be given an allocation and a copy.
//
//===----------------------------------------------------------------------===//

#include "ScheduleModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "posenc/Plan/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_DISPATCHPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

static void dispatch(AttentionOp op, const Target &target) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value rows = memref::DimOp::create(
      b, loc, op.getQuery(), AttentionOp::getAxis(op.getQueryLayout(), 2));
  Value most = arith::ConstantIndexOp::create(b, loc, getMaxDecodeRows(target));
  Value few =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, rows, most);
  auto choice = scf::IfOp::create(b, loc, few, /*withElseRegion=*/true);
  auto emit = [&](Block *block, CPUKernel kernel) {
    OpBuilder inside = OpBuilder::atBlockTerminator(block);
    auto copy = cast<AttentionOp>(inside.clone(*op));
    copy.setScheduleAttr(chooseSchedule(op, kernel, target));
  };
  emit(choice.thenBlock(), CPUKernel::Decode);
  emit(choice.elseBlock(), CPUKernel::Prefill);
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
      FailureOr<Target> target = Target::read(op);
      if (failed(target))
        return signalPassFailure();
      dispatch(op, *target);
    }
  }
};
} // namespace
