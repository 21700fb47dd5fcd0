//===- Target.h - What Plan knows of a CPU ----------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PLAN_TARGET_H
#define POSENC_LIB_PLAN_TARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "posenc/Plan/TargetCPU.h"

namespace mlir::posenc {

/// The sizes a schedule is chosen by. On the module they are DLTI's target
/// description of the device "CPU".
struct Target {
  std::string cpu;
  int64_t vectorBits;
  /// Of one core, in bytes.
  int64_t l2Bytes;

  /// The description of `cpu`; `Native` is the machine this runs on.
  static Target get(TargetCPU cpu);
  /// Reads the description of the module around `op`, or says it has none.
  static FailureOr<Target> read(Operation *op);

  void attachTo(ModuleOp module) const;
};

} // namespace mlir::posenc

#endif // POSENC_LIB_PLAN_TARGET_H
