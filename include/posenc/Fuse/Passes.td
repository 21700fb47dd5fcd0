//===- Passes.td - Passes of the phase Fuse ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FUSE_PASSES
#define POSENC_FUSE_PASSES

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"posenc-decompose", "func::FuncOp"> {
  let summary = "turn the posenc ops that did not fuse into linalg";
  let description = [{
    Every op with an element formula becomes a `linalg.generic` that computes
    it; a rotation becomes tables of cosines and sines and two slices of pairs;
    every aggregated op (`linalg.softmax`, content encodings) its parts.
    `posenc.attention` stays, unless `no-fuse` is set or no kernel takes it,
    which the remark `AttentionNotFused` explains.
  }];
  let options = [
    Option<"noFuse", "no-fuse", "bool", "false",
           "decompose attention as well">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // POSENC_FUSE_PASSES
