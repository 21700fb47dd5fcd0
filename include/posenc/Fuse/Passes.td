//===- Passes.td - Passes of the phase Fuse ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FUSE_PASSES
#define POSENC_FUSE_PASSES

include "mlir/Pass/PassBase.td"

#endif // POSENC_FUSE_PASSES
