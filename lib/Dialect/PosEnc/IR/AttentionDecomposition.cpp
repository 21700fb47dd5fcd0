//===- AttentionDecomposition.cpp - Attention as linalg -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

FailureOr<SmallVector<Value>> AttentionOp::decomposeOperation(OpBuilder &b) {
  return failure();
}
