//===- Passes.td - Passes of the phase Import ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_IMPORT_PASSES
#define POSENC_IMPORT_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeScansPass : Pass<"posenc-decompose-scans", "func::FuncOp"> {
  let summary = "torch-mlir's running sums become reductions";
  let description = [{
    `tm_tensor.scan` becomes a `linalg.generic` over pairs of elements, in which
    those that come later do not count: quadratic in the length, as a formula
    is, and negligible beside attention. It needs a body with a neutral element.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def NormalizeShapesPass : Pass<"posenc-normalize-shapes", "func::FuncOp"> {
  let summary = "express sizes as extents, reshapes as groups of axes";
  let description = [{
    Front ends for dynamic graphs compute sizes as 64-bit integers, check them,
    reshape by a tensor of sizes and ask at run time whether an axis is
    broadcast. Sizes are followed to the extents they are products of
    (`SymbolicExtent`); what that decides is folded: comparisons and the
    assertions on them, quotients, `tensor.reshape`, and broadcasts to the
    extents a tensor already has.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def RaiseAttentionPass : Pass<"posenc-raise-attention", "func::FuncOp"> {
  let summary = "recognise attention in primitive ops";
  let description = [{
    A contraction, its softmax and a second contraction become
    `posenc.attention`. The two contractions and the softmax between them are
    matched by structure; what lies around them by the element formulas that
    the walker finds: which axes are batch, heads and rows, how many query heads
    share a key head, constant factors (into `scale`), and everything else
    between the first contraction and the softmax (into `score`, which reads
    biases and masks as whole tensors).

    A guard that turns rows without a key to zeros is what `posenc.attention`
    does itself. A remark says of each softmax between two contractions whether
    it was raised, and if not, why.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::posenc::PosEncDialect", "::mlir::tensor::TensorDialect"
  ];
}

def RaiseEncodingsPass : Pass<"posenc-raise-encodings", "func::FuncOp"> {
  let summary = "recognise encodings in the tensors that attention reads";
  let description = [{
    For each tensor that an attention reads, and those it is computed from, the
    walker derives the element formula, every op with `RaisableOpInterface`
    proposes what it may be, and a proposal that `findDifference` cannot tell
    from the formula replaces the tensor. A remark names what was recognised, or
    where the nearest proposal differed.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::posenc::PosEncDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // POSENC_IMPORT_PASSES
