//===- Passes.td - Passes of the phase Object ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_PASSES
#define POSENC_OBJECT_PASSES

include "mlir/Pass/PassBase.td"

def EmitEntriesPass : Pass<"posenc-emit-entries", "::mlir::ModuleOp"> {
  let summary = "adds the C functions that take DLTensors";
  let description = [{
    For each function of the module's `posenc.functions`: the constant table
    that describes its arguments, `int NAME(DLTensor *...)` and
    `int NAME_shapes(DLTensor *...)`, which have the runtime check the arguments
    and call the compiled bodies. The body `@NAME` becomes `@NAME__compute`.
  }];
  let options = [
    Option<"requiredFeatures", "required-features", "uint32_t", /*default=*/"0",
           "CPU features to ask for first, the bits POSENC_CPU_* of the runtime">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // POSENC_OBJECT_PASSES
