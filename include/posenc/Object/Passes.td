//===- Passes.td - Passes of the phase Object ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_PASSES
#define POSENC_OBJECT_PASSES

include "mlir/Pass/PassBase.td"

def EmitBodiesPass : Pass<"posenc-emit-bodies", "::mlir::ModuleOp"> {
  let summary = "adds what the C functions call";
  let description = [{
    For each function of the module's `posenc.functions`, the two functions of
    the runtime's posenc_body: `void NAME__body(int64_t *descriptors)` and
    `void NAME__shapes_body(int64_t *descriptors, int64_t *dims)`. The body
    `@NAME` becomes `@NAME__compute`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def EmitEntriesPass : Pass<"posenc-emit-entries", "::mlir::ModuleOp"> {
  let summary = "adds the C functions that take DLTensors";
  let description = [{
    For each function of the module's `posenc.functions`: the constant table
    that describes its arguments, `int NAME(DLTensor *...)` and
    `int NAME_shapes(DLTensor *...)`. They have the runtime pick the CPU of
    `cpus` to run, whose bodies are symbols with the CPU's name at the end, and
    check the arguments, and call the bodies.
  }];
  let options = [
    ListOption<"cpus", "cpus", "std::string",
               "the CPUs that the bodies are compiled for, from the least">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // POSENC_OBJECT_PASSES
