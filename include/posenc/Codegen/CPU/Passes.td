//===- Passes.td - Passes of the phase CodegenCPU ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_CODEGEN_CPU_PASSES
#define POSENC_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def AttentionPass : Pass<"posenc-attention", "::mlir::func::FuncOp"> {
  let summary = "turns attention on memrefs into vector code";
  let description = [{
    Each `posenc.attention` on memrefs becomes one `scf.forall` over its units
    of work (two where a decode schedule splits the keys), of vector ops on
    memrefs, with scratch of constant size allocated and freed inside the loop.
    Its `#posenc.cpu` schedule says which kernel and which tiles. The regions
    are evaluated in all lanes at once, and every op of theirs at the outermost
    loop that knows its operands.

    Operands must have inner stride 1. An op without a CPU schedule is an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerVectorsPass : Pass<"posenc-lower-vectors", "::mlir::func::FuncOp"> {
  let summary = "lowers the vector ops that have no counterpart in LLVM";
  let description = [{
    Outer products become fused multiply-adds, transpositions of 16x16 become
    shuffles, and shape casts and steps become inserts, extracts and constants:
    what is left converts to the LLVM dialect one to one.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // POSENC_CODEGEN_CPU_PASSES
