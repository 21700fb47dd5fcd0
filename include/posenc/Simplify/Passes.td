//===- Passes.td - Passes of the phase Simplify ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_SIMPLIFY_PASSES
#define POSENC_SIMPLIFY_PASSES

include "mlir/Pass/PassBase.td"

def CheckRangesPass : Pass<"posenc-check-ranges", "::mlir::func::FuncOp"> {
  let summary = "report table rows that do not exist";
  let description = [{
    Asks every op that reads rows of a table (`TableReadOpInterface`) which
    conditions on sizes keep it within. One that is false is an error; one that
    is not known yet becomes a `cf.assert` before the op. Rows that follow from
    data are not checked: the op reads the nearest row.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

#endif // POSENC_SIMPLIFY_PASSES
