//===- Passes.td - Passes of the phase Simplify ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_SIMPLIFY_PASSES
#define POSENC_SIMPLIFY_PASSES

include "mlir/Pass/PassBase.td"

def ComposeRotationsPass : Pass<"posenc-compose-rotations", "func::FuncOp"> {
  let summary = "turn a rotation of a rotation into one";
  let description = [{
    Rotations of the same lanes by the same frequencies add their positions; one
    and its inverse cancel. A remark marks a rotation of a rotation that stays.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def WidenRotationsPass : Pass<"posenc-widen-rotations", "func::FuncOp"> {
  let summary = "rotate some lanes of a whole head instead of a slice of it";
  let description = [{
    A head that is cut into slices of lanes, some of them rotated, and joined
    again is the rotation of those lanes of the head.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def DropRowConstantsPass : Pass<"posenc-drop-row-constants", "func::FuncOp"> {
  let summary = "drop score terms that are the same for every key of a row";
  let description = [{
    The softmax of a row does not change when a number is added to all of its
    scores. Dropped are terms of the outermost sum (what a soft-cap has bounded
    is no sum) that depend on neither the score nor the key and are surely
    finite; not with sinks or a log-sum-exp, of which a remark tells.
  }];
}

def CheckRangesPass : Pass<"posenc-check-ranges", "::mlir::func::FuncOp"> {
  let summary = "report table rows that do not exist";
  let description = [{
    Asks every op that reads rows of a table (`TableReadOpInterface`) which
    conditions on sizes keep it within. One that is false is an error; one that
    is not known yet becomes a `cf.assert` before the op. Rows that follow from
    data are not checked where the op reads the nearest row; where it writes
    rows, they are.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

def FoldConstantTransposesPass : Pass<"posenc-fold-constant-transposes", "func::FuncOp"> {
  let summary = "store constants in the axis order they are read in";
  let description = [{
    A transpose of a constant (the weights of a linear layer, as exporters
    store them) becomes a constant, instead of work on every call.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // POSENC_SIMPLIFY_PASSES
