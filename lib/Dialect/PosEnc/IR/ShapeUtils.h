//===- ShapeUtils.h - Sizes of results, positions of rows -------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several encodings need of shapes and indices.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_SHAPEUTILS_H
#define POSENC_DIALECT_POSENC_IR_SHAPEUTILS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace mlir::posenc {

/// Verifies that `sizes` has one operand a dynamic dimension of `type`.
LogicalResult verifySizes(Operation *op, ValueRange sizes, ShapedType type);

/// The extents of `type`, dynamic ones taken from `sizes` in order.
SmallVector<OpFoldResult> getMixedSizes(OpBuilder &b, ValueRange sizes,
                                        ShapedType type);

/// Whether two static or dynamic extents can be the same at run time.
bool extentsMayAgree(int64_t a, int64_t b);

/// `value` as an f32, whatever number it is; positions lose nothing up to 2^24.
Value castToF32(OpBuilder &b, Location loc, Value value);
/// `value` (an integer or index) as an index.
Value castToIndex(OpBuilder &b, Location loc, Value value);

/// `lhs + rhs` where `rhs` may be absent (zero).
Value addOptional(OpBuilder &b, Location loc, Value lhs, Value rhs);

/// The position of row `row` of batch `batch`: from `positions` (`[L]`,
/// `[1, L]` or `[B, L]`) where given, else `offset + row` as an index.
Value emitPosition(OpBuilder &b, Location loc, Value positions, Value offset,
                   Value batch, Value row);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_SHAPEUTILS_H
