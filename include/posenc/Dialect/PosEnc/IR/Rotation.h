//===- Rotation.h - Rotated lanes as linalg ---------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_ROTATION_H
#define POSENC_DIALECT_POSENC_IR_ROTATION_H

#include "mlir/IR/Builders.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

namespace mlir::posenc {

/// Emits the cosine and the sine (f32) of a pair of a row, as
/// RotaryOpInterface::emitCosSin does.
using EmitCosSin = llvm::function_ref<std::pair<Value, Value>(
    OpBuilder &b, Location loc, ValueRange batchHeadRow, Value pair)>;

/// `input` with its `lanes` rotated, as linalg ops on tensors of `elementType`.
///
/// Cosines and sines become two f32 tables over those of batch, head, row and
/// pair that they depend on; the two members of every pair are slices of
/// `input`, so that no lane is looked up. Products are f32; lanes outside
/// `lanes` pass through.
Value decomposeRotation(OpBuilder &b, Location loc, Value input, Layout layout,
                        LanesAttr lanes, Type elementType,
                        EmitCosSin emitCosSin);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_ROTATION_H
