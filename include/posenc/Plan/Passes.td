//===- Passes.td - Passes of the phase Plan ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_PLAN_PASSES
#define POSENC_PLAN_PASSES

include "mlir/Pass/PassBase.td"

#endif // POSENC_PLAN_PASSES
