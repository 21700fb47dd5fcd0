//===- SizedOp.td - Encodings made from sizes alone ---------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_SIZED_OP
#define POSENC_SIZED_OP

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"

// An encoding whose elements are a formula, and whose operands `sizes` are the
// dynamic extents of its result, in order. It has a verifier, and the canonical
// forms of `sizes` and, where it has one, of `offset` (lib, CanonicalForms.h).
class PosEnc_SizedOp<string mnemonic, list<Trait> traits = []>
    : PosEnc_Op<mnemonic, traits # [Pure,
        DeclareOpInterfaceMethods<FormulaOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult
    $cppClass::reifyResultShapes(::mlir::OpBuilder &b,
                                 ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      shapes.push_back(getMixedSizes(b, getSizes(), getType()));
      return ::mlir::success();
    }

    void $cppClass::getCanonicalizationPatterns(
        ::mlir::RewritePatternSet &patterns, ::mlir::MLIRContext *) {
      addCanonicalForms<$cppClass>(patterns);
    }
  }];
}

#endif // POSENC_SIZED_OP
