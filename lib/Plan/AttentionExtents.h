//===- AttentionExtents.h - The extents attention's indices run over -*- C++
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PLAN_ATTENTIONEXTENTS_H
#define POSENC_LIB_PLAN_ATTENTIONEXTENTS_H

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

namespace mlir::posenc {

/// The extents of b, of the query and of the key heads, of i and of j, for
/// attention on tensors, as constants or values made at `b`.
OpFoldResult getBatchSize(OpBuilder &b, AttentionOp op);
OpFoldResult getNumQueryHeads(OpBuilder &b, AttentionOp op);
OpFoldResult getNumKeyHeads(OpBuilder &b, AttentionOp op);
OpFoldResult getNumRows(OpBuilder &b, AttentionOp op);
/// The rows of `key`, or of all pages of a sequence.
OpFoldResult getNumKeys(OpBuilder &b, AttentionOp op);

} // namespace mlir::posenc

#endif // POSENC_LIB_PLAN_ATTENTIONEXTENTS_H
