//===- ScheduleModel.h - The cost model of attention on CPUs ----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PLAN_SCHEDULEMODEL_H
#define POSENC_LIB_PLAN_SCHEDULEMODEL_H

#include "Target.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

namespace mlir::posenc {

/// Up to how many query rows a head the decode kernel is the faster one.
int64_t getMaxDecodeRows(const Target &target);

/// The number of query rows of `op`; dynamic where unknown.
int64_t getStaticQueryRows(AttentionOp op);

/// The schedule with which `target` runs `op` on `kernel`. It depends on
/// neither the batch size nor the number of threads, so that a row's bits
/// do not either.
CPUScheduleAttr chooseSchedule(AttentionOp op, CPUKernel kernel,
                               const Target &target);

} // namespace mlir::posenc

#endif // POSENC_LIB_PLAN_SCHEDULEMODEL_H
