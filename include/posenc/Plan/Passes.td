//===- Passes.td - Passes of the phase Plan ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_PLAN_PASSES
#define POSENC_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def EntryAbiPass : Pass<"posenc-entry-abi", "ModuleOp"> {
  let summary = "graph functions take memrefs and get a function of their outputs' extents";
  let description = [{
    Every public function `@NAME` on tensors becomes an entry (`posenc.entry`):
    its inputs are memrefs of inner stride 1, read through
    `bufferization.to_tensor restrict`; its outputs are memrefs after them,
    written by `bufferization.materialize_in_destination`. A result that an
    argument names in `posenc.donated` is written over that argument.

    `@NAME__shapes` (`posenc.shapes`) takes the inputs and a `memref<?xi64>`
    that receives the extents of all outputs; assertions on extents move there,
    so that they fail before any data is touched. The module's
    `posenc.functions` describes the interface.

    Fails with a diagnostic where an output's extent depends on data.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // POSENC_PLAN_PASSES
