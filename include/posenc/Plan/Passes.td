//===- Passes.td - Passes of the phase Plan ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_PLAN_PASSES
#define POSENC_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def AttachTargetPass : Pass<"posenc-attach-target", "ModuleOp"> {
  let summary = "says what CPU the module is for";
  let description = [{
    Writes what the target that knows the CPU's name says of it (its name,
    vector width and cache size) into `dlti.target_system_spec`, by which that
    target chooses schedules in `posenc-dispatch` and `posenc-schedule`.
    `native` is resolved to the machine the compiler runs on.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"native\"",
           "the CPU to compile for, as a registered target calls it">
  ];
  let dependentDialects = ["::mlir::DLTIDialect", "::mlir::posenc::PosEncDialect"];
}

def AssertExtentsPass : Pass<"posenc-assert-extents", "::mlir::func::FuncOp"> {
  let summary = "dynamic extents that must agree and slices are asserted";
  let description = [{
    Before each op on tensors a `cf.assert` of what it takes for granted:
    operands of `posenc.attention` and of linalg agree on their dynamic extents;
    a tensor that a region reads at a plain index (`lengths[b]`, `bias[h, i, j]`)
    has room for it; a slice lies in its tensor. What an entry is passed is then
    refused, with the argument's name, where memory outside of it would be read
    or written.

    Assertions on arguments' extents alone move to the shapes function in
    `posenc-entry-abi`; those that `posenc.symbols` imply fold away there.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def StageTablesPass : Pass<"posenc-stage-tables", "::mlir::func::FuncOp"> {
  let summary = "what attention's regions compute by row, key or distance becomes a table";
  let description = [{
    A value in `score`, `rotate_query` or `rotate_key` that depends on `i`
    alone, on `j` alone (beside `b`, `h` and the pair) and takes a
    transcendental function, an angle or a loop to compute is computed once a
    call by a `linalg.generic` before the attention; the region reads its table.
    So is one that depends on `j - i` alone, also where it only gathers or
    divides: its table has `Lq + Lk - 1` entries in the order of `i - j`, so
    that query lanes read it forwards. What depends on `i` and `j` in another
    way, and on no batch entry, is staged too where it is a gather or expensive
    and all of it takes at most 1 MiB: the bias of a window's places, read by
    every window. What is cheaper to compute (a slope times the distance) stays.
    What a table would compute anew for each of its rows or columns alike
    (frequencies that depend on the length of the call) becomes a table of its
    own.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def TileClassesPass : Pass<"posenc-tile-classes", "::mlir::func::FuncOp"> {
  let summary = "which tiles of the scores are hidden, seen or mixed";
  let description = [{
    Interprets the `mask` of each `posenc.attention` over intervals of rows and
    keys. A conjunction of comparisons linear in the key index gives exact
    `bounds`; of disjunctions, negations and selects `bounds` is an estimate on
    the safe side. Any other mask also gets `tile`, if intervals say anything
    about it: what the mask reads along `i` or `j` alone (document ids, key
    padding) has its interval from a table of the least and greatest element of
    each block of 64, computed once a call by a `linalg.generic`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def GroupPass : Pass<"posenc-group", "::mlir::func::FuncOp"> {
  let summary = "matrix products and their elementwise neighbours are computed tile by tile";
  let description = [{
    Elementwise ops that follow one another become one `linalg.generic`. A
    matrix product that sums in f32, the `linalg.fill` it starts from and the
    elementwise op that alone reads it (a bias, an activation, a residual, a
    cast) become one `scf.forall` over tiles of the result, of the size that the
    module's target chooses; the product itself is a `tensor.empty` of constant
    size inside it. So does a product that nothing of the kind reads.

    Extents may be dynamic: the tiles at the ends are smaller. Sums, roundings
    and their order stay as they were.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def EntryAbiPass : Pass<"posenc-entry-abi", "ModuleOp"> {
  let summary = "graph functions take memrefs and get a function of their outputs' extents";
  let description = [{
    Every public function `@NAME` on tensors becomes an entry (`posenc.entry`):
    its inputs are memrefs of inner stride 1, read through
    `bufferization.to_tensor restrict`; its outputs are memrefs after them,
    written by `bufferization.materialize_in_destination`. A result that an
    argument names in `posenc.donated` is written over that argument. A name that
    C reserves, `main` among them, gets `_graph` behind it.

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

def DecomposeAggregatesPass : Pass<"posenc-decompose-aggregates", "::mlir::func::FuncOp"> {
  let summary = "concatenations and linalg's aggregates become simpler ops";
  let description = [{
    `tensor.concat` becomes a `tensor.insert_slice` a part, into one
    `tensor.empty` that may be an output; `linalg.softmax` and linalg's other
    aggregates become `linalg.generic`. On memrefs they would have no loops.
    Attention stays.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect"
  ];
}

def UnifyExtentsPass : Pass<"posenc-unify-extents", "::mlir::func::FuncOp"> {
  let summary = "extents with one symbol become one value";
  let description = [{
    `tensor.dim` of arguments whose dimensions have the same symbol in
    `posenc.symbols` becomes one `tensor.dim` at the entry. The runtime refuses
    arguments that disagree on a symbol; so tables of queries and keys over the
    same positions are the same table.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SeparateDestinationsPass : Pass<"posenc-separate-destinations", "::mlir::func::FuncOp"> {
  let summary = "every result has a destination of its own";
  let description = [{
    An elementwise `linalg.generic` with several results, each of which goes
    into a `tensor.insert_slice`, becomes one `linalg.generic` a result, before
    its insertion; each use of a `tensor.empty` gets its own. Then each result
    can be computed where it goes. CSE before bufferization undoes this.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def DispatchPass : Pass<"posenc-dispatch", "::mlir::func::FuncOp"> {
  let summary = "attention's kernel is chosen by the number of query rows at run time";
  let description = [{
    Each `posenc.attention` on memrefs with a dynamic number of query rows and
    no schedule becomes an `scf.if`: up to the number of rows where decoding is
    faster on the target, a copy with a `decode` schedule, else one with a
    `prefill` schedule.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def SchedulePass : Pass<"posenc-schedule", "::mlir::func::FuncOp"> {
  let summary = "chooses the tiles of attention";
  let description = [{
    Gives each `posenc.attention` that has none the schedule that the module's
    target chooses for its number of query rows. A schedule the user wrote stays.
    The choice depends on neither the batch size nor the number of threads.
  }];
}

#endif // POSENC_PLAN_PASSES
