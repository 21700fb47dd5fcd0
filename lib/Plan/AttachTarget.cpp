//===- AttachTarget.cpp - Says what CPU a module is for -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: any module. After: the same with dlti.target_system_spec.
//
//===----------------------------------------------------------------------===//

#include "Target.h"
#include "posenc/Plan/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
struct AttachTargetPass : posenc::impl::AttachTargetPassBase<AttachTargetPass> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    if (failed(attachTarget(getOperation(), cpu)))
      signalPassFailure();
  }
};
} // namespace
