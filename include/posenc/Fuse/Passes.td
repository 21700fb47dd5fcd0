//===- Passes.td - Passes of the phase Fuse ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FUSE_PASSES
#define POSENC_FUSE_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeContentPass : Pass<"posenc-decompose-content", "func::FuncOp"> {
  let summary = "turn encodings of content into products and a formula";
  let description = [{
    An aggregated op of the dialect other than attention (an encoding that
    queries or keys themselves decide) becomes its parts: contractions with its
    tables, which are computed once a call, and an elementwise op that reads
    them, which `posenc-inline-elements` moves into attention. A remark says of
    each op whether it came apart so, or needs sums over whole rows of keys and
    stays outside of attention.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FoldLayoutsPass : Pass<"posenc-fold-layouts", "func::FuncOp"> {
  let summary = "fold transposes and repeated heads into attention";
  let description = [{
    Queries, keys and values that are only moved (transposed, reshaped, repeated
    for the query heads of a group) on their way to attention are read where
    they come from, in either axis order; a transpose of the output becomes its
    layout. A transpose in front of a rotary op moves behind it first.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def InlineElementsPass : Pass<"posenc-inline-elements", "func::FuncOp"> {
  let summary = "replace the elements attention reads by their formulas";
  let description = [{
    A region's `tensor.extract` of a computed tensor becomes the formula of that
    element, so that no tensor over all rows and keys is left that has one.
    Arguments, constants and what has no element formula stay leaves; so does a
    table: a tensor with at most one axis that is long (dynamic, or no shorter
    than rows or keys) whose elements are expensive, because it is computed
    once; of a gather from one, the table. Remarks say which encodings were fused, which tensor over rows and
    keys is still read, and why.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SplitMaskPass : Pass<"posenc-split-mask", "func::FuncOp"> {
  let summary = "turn minus infinity in the score into the mask";
  let description = [{
    A score that is minus infinity where a condition fails, selected, added or
    read from a constant table, becomes a mask of that condition. So does the lowest finite value of the
    type, with `empty_rows(<average>)`, which is what such a graph computes for
    a row with no key; only where no other mask is and no other term may be as
    low, for otherwise that row would be the average of the keys that those
    leave. Other finite penalties stay a bias; a remark says why.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseRotationPass : Pass<"posenc-fuse-rotation", "func::FuncOp"> {
  let summary = "move the rotation of queries into attention";
  let description = [{
    A query that is a rotary op's result is rotated by `rotate_query` instead,
    and so are those before it that rotate the same lanes. Queries rotated unlike
    their keys are warned of.
    Remarks say of each rotated query whether it fused, and if not, why, and
    which rotations of keys stay ops.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def DecomposePass : Pass<"posenc-decompose", "func::FuncOp"> {
  let summary = "turn the posenc ops that did not fuse into linalg";
  let description = [{
    Every op with an element formula becomes a `linalg.generic` that computes
    it; a rotation becomes tables of cosines and sines and two slices of pairs;
    every aggregated op of the dialect (content encodings) its parts.
    `posenc.attention` stays, unless `no-fuse` is set or no kernel takes it. A
    remark says of each encoding that becomes a tensor of its own who reads it,
    and of attention why no kernel takes it.
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

def SimplifyIndicesPass : Pass<"posenc-simplify-indices", "func::FuncOp"> {
  let summary = "simplify the index arithmetic of attention's regions";
  let description = [{
    A graph computes positions in i64, counts negative indices from the end and
    clamps what it gathers with. In a region the indices lie within the
    operands, so comparisons and clamps that this decides go, a constant table
    of its own indices is its index, and the rest is arithmetic on `index`.
    Sizes and positions below 2^31, which the entry checks, do not overflow.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // POSENC_FUSE_PASSES
