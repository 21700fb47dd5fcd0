//===- Target.h - The target a module is planned for ------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PLAN_TARGET_H
#define POSENC_LIB_PLAN_TARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "posenc/Dialect/PosEnc/IR/TargetModel.h"

namespace mlir::posenc {

/// Describes the processor called `name` in the module's
/// `dlti.target_system_spec`. A name that no target knows is an error.
LogicalResult attachTarget(ModuleOp module, StringRef name);

/// The target's schedules of `op`, see `TargetModel::chooseSchedules`. It is an
/// error if the module around `op` does not say what it is for.
FailureOr<SmallVector<ScheduleChoice>> chooseSchedules(AttentionOp op);

/// The target's tiles for the ops in `op`, see `TargetModel::chooseGroupTiles`.
/// It is an error if the module around `op` does not say what it is for.
FailureOr<GroupTiles> chooseGroupTiles(Operation *op);

/// The number of query rows of `op`; dynamic where unknown.
int64_t getStaticQueryRows(AttentionOp op);

} // namespace mlir::posenc

#endif // POSENC_LIB_PLAN_TARGET_H
