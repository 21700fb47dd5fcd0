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

/// Whether `positions` (`[L]`, `[1, L]` or `[B, L]`; `[axes, ...]`) can number
/// `rows` rows of each of `batch` sequences.
bool positionsFit(RankedTensorType positions, int64_t batch, int64_t rows);

/// Verifies that `bias` is `[1, Hq, Lq, Lk]`.
LogicalResult verifySharedByBatch(Operation *op, RankedTensorType bias);

/// Verifies that `values`, which the user knows as `name`, has one for each
/// head of a bias `[.., Hq, Lq, Lk]`.
LogicalResult verifyPerHead(Operation *op, Value values, StringRef name,
                            RankedTensorType bias);

/// Verifies that `window` is `[Wh, Ww]`, of at least one place and not more
/// than an index of its distances can number.
LogicalResult verifyWindow(Operation *op, ArrayRef<int64_t> window);

/// The number of distances between places of `window`: `(2 Wh - 1)(2 Ww - 1)`.
int64_t countWindowDistances(ArrayRef<int64_t> window);

/// Verifies the `positions` and the `offset`, either or both absent, of an
/// additive encoding whose result is `[L, d]` or `[B, L, d]`.
LogicalResult verifyPositions(Operation *op, Value positions, Value offset,
                              RankedTensorType result);

/// The f32 constant nearest to `value`.
Value createF32(OpBuilder &b, Location loc, double value);

/// `value` as an f32, whatever number it is; positions lose nothing up to 2^24.
Value castToF32(OpBuilder &b, Location loc, Value value);
/// `value` (an f32) rounded to the storage type `storage`.
Value castFromF32(OpBuilder &b, Location loc, Value value, Type storage);
/// `value` (an integer or index) as an index.
Value castToIndex(OpBuilder &b, Location loc, Value value);

/// `lhs + rhs` where `rhs` may be absent (zero).
Value addOptional(OpBuilder &b, Location loc, Value lhs, Value rhs);

/// The position of key `at[3]` relative to query row `at[2]`, whose key index
/// is `offset` more: an index, less than zero for keys before the query.
Value emitRelativePosition(OpBuilder &b, Location loc, ValueRange at,
                           Value offset);

/// The position of row `row` of batch `batch`: from `positions` (`[L]`,
/// `[1, L]` or `[B, L]`) where given, else `offset + row` as an index.
Value emitPosition(OpBuilder &b, Location loc, Value positions, Value offset,
                   Value batch, Value row);

/// `index`, or the nearest index within dimension `dim` of `tensor`.
Value clampToExtent(OpBuilder &b, Location loc, Value index, Value tensor,
                    int64_t dim);

/// Appends the conditions under which rows `first` to `first + length - 1` lie
/// within dimension 0 of `table`, for TableReadOpInterface. `what` names the
/// rows and `remedy` says what to do, both for the user.
void appendRangeConditions(
    OpBuilder &b, Location loc, OpFoldResult first, OpFoldResult length,
    Value table, StringRef what, StringRef remedy,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions);

/// Appends the condition under which `table` has a row where a result of
/// `sizes` has an element: a position past the end reads the last row.
void appendRowExists(
    OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Value table,
    StringRef what, SmallVectorImpl<std::pair<Value, std::string>> &conditions);

/// Element `index` of a constant table of `numbers`.
Value readTable(OpBuilder &b, Location loc, ArrayRef<float> numbers,
                Value index);
Value readTable(OpBuilder &b, Location loc, ArrayRef<double> numbers,
                Value index);
Value readTable(OpBuilder &b, Location loc, ArrayRef<int32_t> numbers,
                Value index);

} // namespace mlir::posenc

#endif // POSENC_DIALECT_POSENC_IR_SHAPEUTILS_H
