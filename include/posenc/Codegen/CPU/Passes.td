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

def ContractionsPass : Pass<"posenc-contractions", "::mlir::func::FuncOp"> {
  let summary = "turn matrix products into register tiles";
  let description = [{
    Each linalg contraction on memrefs that sums in f32, of f32, f16 or bf16,
    becomes a loop over blocks of its result, parallel unless it stands in an
    `scf.forall`, over packed panels of the right operand; with no more rows than
    a tile has, over its rows as they are. A tile is what the registers of the module's CPU hold: 64
    columns by 6 rows with 512-bit vectors, 16 by 6 with 256, 16 by 5 with 128
    and where `dlti.target_system_spec` names no CPU. A contraction whose result
    does not have its columns as neighbours in memory is left alone.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def LoopsPass : Pass<"posenc-loops", "func::FuncOp"> {
  let summary = "linalg on memrefs becomes loops, large ops parallel ones";
  let description = [{
    Each linalg op (and `memref.copy`) on memrefs becomes a nest of `scf.for`.
    The innermost loop is the one along which most operands are contiguous, so
    that LLVM vectorises it; reductions follow the outer parallel loops. The
    outer parallel loops of an op whose size is large or unknown become one
    `scf.forall` over blocks of about `grain` elements, unless the op stands in
    an `scf.forall` already.
  }];
  let options = [
    Option<"grain", "grain", "int64_t", /*default=*/"16384",
           "elements that make a block worth handing to another thread">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def OutlineTasksPass : Pass<"posenc-outline-tasks", "::mlir::ModuleOp"> {
  let summary = "each outermost scf.forall becomes a task of the runtime's pool";
  let description = [{
    The body moves to a private function `(ctx, begin, end, scratch)` that runs
    the items `[begin, end)` of the linearised iteration space; in its place
    stands `posenc_parallel_for(task, ctx, count, scratch_bytes)`. Values from
    above travel in a struct `ctx` on the caller's stack, constants are cloned
    into the task. An allocation of constant size inside the body becomes a
    range of `scratch`; an `scf.forall` inside the body becomes loops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandMathPass : Pass<"posenc-expand-math", "func::FuncOp"> {
  let summary = "math functions become arithmetic, so that no libm call remains";
  let description = [{
    exp, exp2, expm1, log, log2, log10, log1p, tanh, sin, cos, atan, erf, powf and
    `posenc.cos_sin` of f32, scalars and vectors alike, become polynomials
    (1 to 3 ulp); f16 and bf16 go through f32. What LLVM has instructions for
    stays. A function that has no expansion is an error that names it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerAssertsPass : Pass<"posenc-lower-asserts", "::mlir::ModuleOp"> {
  let summary = "cf.assert becomes a call of the runtime's posenc_rt_assert";
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerReshapesPass : Pass<"posenc-lower-reshapes", "::mlir::func::FuncOp"> {
  let summary = "reshapes to several dynamic extents in a group become casts";
  let description = [{
    Upstream's expansion of `memref.expand_shape` finds the one dynamic extent of
    a group from its product; an op with several states their sizes, and becomes
    a `memref.reinterpret_cast` of those.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // POSENC_CODEGEN_CPU_PASSES
