//===- Target.cpp - The target a module is planned for --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::posenc;

static ArrayRef<std::unique_ptr<TargetModel>> getTargets(MLIRContext *context) {
  return context->getLoadedDialect<PosEncDialect>()->getTargets();
}

LogicalResult posenc::attachTarget(ModuleOp module, StringRef name) {
  MLIRContext *context = module.getContext();
  SmallVector<StringRef> known;
  for (const std::unique_ptr<TargetModel> &target : getTargets(context)) {
    llvm::append_range(known, target->getProcessors());
    if (!llvm::is_contained(known, name))
      continue;
    llvm::Expected<TargetDeviceSpecInterface> device =
        target->describe(name, context);
    if (!device)
      return module.emitError(llvm::toString(device.takeError()));
    DataLayoutEntryInterface entry = DataLayoutEntryAttr::get(
        StringAttr::get(context, target->getDeviceName()), *device);
    module->setAttr(DLTIDialect::kTargetSystemDescAttrName,
                    TargetSystemSpecAttr::get(context, entry));
    return success();
  }
  return module.emitError() << "unknown CPU '" << name << "': use one of "
                            << llvm::join(known, ", ");
}

/// The target that the module around `op` is for.
static FailureOr<const TargetModel *> getTarget(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto system = module ? module->getAttrOfType<TargetSystemSpecInterface>(
                             DLTIDialect::kTargetSystemDescAttrName)
                       : TargetSystemSpecInterface();
  if (system)
    for (const std::unique_ptr<TargetModel> &target :
         getTargets(op->getContext()))
      if (system.getDeviceSpecForDeviceID(
              StringAttr::get(op->getContext(), target->getDeviceName())))
        return target.get();
  return op->emitError() << "the module does not say what CPU it is for; run "
                            "posenc-attach-target before";
}

FailureOr<SmallVector<ScheduleChoice>> posenc::chooseSchedules(AttentionOp op) {
  FailureOr<const TargetModel *> target = getTarget(op);
  if (failed(target))
    return failure();
  return (*target)->chooseSchedules(op);
}

FailureOr<GroupTiles> posenc::chooseGroupTiles(Operation *op) {
  FailureOr<const TargetModel *> target = getTarget(op);
  if (failed(target))
    return failure();
  return (*target)->chooseGroupTiles(op);
}

int64_t posenc::getStaticQueryRows(AttentionOp op) {
  return AttentionOp::getShapeBHLD(op.getQuery(), op.getQueryLayout())[2];
}
