//===- PosEncOps.td - The ops that passes know -------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodings are listed in Encodings.td.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OPS
#define POSENC_OPS

include "posenc/Dialect/PosEnc/IR/AttentionOp.td"
include "posenc/Dialect/PosEnc/IR/CosSinOp.td"

#endif // POSENC_OPS
