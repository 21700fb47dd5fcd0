//===- Passes.td - Passes of the phase CodegenCPU ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_CODEGEN_CPU_PASSES
#define POSENC_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

#endif // POSENC_CODEGEN_CPU_PASSES
