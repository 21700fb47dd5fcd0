//===- Decomposed2d.cpp - A table for each axis ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ContentTerms.h"
#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

static SmallVector<ContentTerm> getTerms(Decomposed2dOp op) {
  return {{op.getQuery(), /*ofKeys=*/false, op.getRelH()},
          {op.getQuery(), /*ofKeys=*/false, op.getRelW()}};
}

/// C2.
static LogicalResult verifyGrid(Decomposed2dOp op, StringRef name,
                                ArrayRef<int64_t> grid, int64_t length) {
  bool isGrid = grid.size() == 2 && llvm::all_of(grid, [](int64_t size) {
                  return size > 0 && size < (1 << 15);
                });
  int64_t tokens =
      isGrid ? grid[0] * grid[1] + (op.getClassToken() ? 1 : 0) : 0;
  if (isGrid && extentsMayAgree(tokens, length))
    return success();
  return op.emitOpError() << "'" << name << "' is [" << grid
                          << "] for a result " << op.getType()
                          << "; it must be two positive sizes below 32768, "
                             "with the class token as many tokens as the "
                             "result has";
}

LogicalResult Decomposed2dOp::verify() {
  RankedTensorType type = getType();
  SmallVector<ContentTerm> terms = getTerms(*this);
  if (failed(verifyTokens(*this, "query", terms[0], type))) // C1
    return failure();
  if (failed(verifyGrid(*this, "query_grid", getQueryGrid(),
                        type.getDimSize(2))) ||
      failed(verifyGrid(*this, "key_grid", getKeyGrid(),
                        type.getDimSize(3)))) // C2
    return failure();
  for (auto [axis, term] : llvm::enumerate(terms)) { // C3
    StringRef name = axis == 0 ? "rel_h" : "rel_w";
    if (failed(verifyTable(*this, name, term, type, /*staticRows=*/true)))
      return failure();
    int64_t rows = 2 * std::max(getQueryGrid()[axis], getKeyGrid()[axis]) - 1;
    if (term.getNumRows() != rows)
      return emitOpError() << "'" << name << "' has " << term.getNumRows()
                           << " rows; grids of " << getQueryGrid()[axis]
                           << " and " << getKeyGrid()[axis] << " need " << rows
                           << ", resize it to that";
  }
  return verifySizes(*this, getSizes(), type); // C4
}

namespace {
/// The index arithmetic of one element.
class GridIndices {
public:
  GridIndices(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  /// The row and the column of `token` of `grid`, or the nearest ones.
  std::array<Value, 2> split(Value token, ArrayRef<int64_t> grid) {
    token =
        arith::MinSIOp::create(b, loc, token, constant(grid[0] * grid[1] - 1));
    if (grid[1] == 1)
      return {token, constant(0)};
    return {arith::DivUIOp::create(b, loc, token, constant(grid[1])),
            arith::RemUIOp::create(b, loc, token, constant(grid[1]))};
  }

  /// floor(x times / by).
  Value scale(Value x, int64_t times, int64_t by) {
    if (times == by)
      return x;
    return arith::DivUIOp::create(
        b, loc, arith::MulIOp::create(b, loc, x, constant(times)),
        constant(by));
  }

  /// t of a query at `i` of `queries` and a key at `j` of `keys`. Both terms of
  /// the sum are positive or zero and one is an integer, so the floor of the
  /// other is the truncation of the sum.
  Value distance(Value i, int64_t queries, Value j, int64_t keys) {
    Value back = arith::SubIOp::create(b, loc, constant(keys - 1), j);
    return arith::AddIOp::create(
        b, loc, keys > queries ? scale(i, keys, queries) : i,
        keys < queries ? scale(back, queries, keys) : back);
  }

  /// `token` without the class token before it, which becomes the first, and
  /// whether it is not the class token.
  std::pair<Value, Value> dropClass(Value token) {
    Value patch = arith::SubIOp::create(b, loc, token, constant(1));
    Value isPatch = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                          token, constant(0));
    return {arith::MaxSIOp::create(b, loc, patch, constant(0)), isPatch};
  }

private:
  OpBuilder &b;
  Location loc;
};
} // namespace

static Value emitBias(Decomposed2dOp op, OpBuilder &b, Location loc,
                      ValueRange at, ReadTerm read) {
  GridIndices indices(b, loc);
  Value query = at[2], key = at[3], inGrid;
  if (op.getClassToken()) {
    Value keyInGrid;
    std::tie(query, inGrid) = indices.dropClass(query);
    std::tie(key, keyInGrid) = indices.dropClass(key);
    inGrid = arith::AndIOp::create(b, loc, inGrid, keyInGrid);
  }
  ArrayRef<int64_t> queryGrid = op.getQueryGrid(), keyGrid = op.getKeyGrid();
  std::array<Value, 2> queryAt = indices.split(query, queryGrid);
  std::array<Value, 2> keyAt = indices.split(key, keyGrid);
  Value sum;
  for (unsigned axis : {0, 1}) {
    Value row = indices.distance(queryAt[axis], queryGrid[axis], keyAt[axis],
                                 keyGrid[axis]);
    Value term = read(b, loc, axis, row);
    sum = sum ? arith::AddFOp::create(b, loc, sum, term) : term;
  }
  return inGrid ? arith::SelectOp::create(b, loc, inGrid, sum,
                                          createF32(b, loc, 0))
                : sum;
}

static ContentFormula getFormula(Decomposed2dOp op) {
  return ContentFormula(
      op, getTerms(op),
      [op](OpBuilder &b, Location loc, ValueRange at, ReadTerm read) {
        return emitBias(op, b, loc, at, read);
      });
}

Value Decomposed2dOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  return getFormula(*this).emitElement(b, loc, at);
}

FailureOr<SmallVector<Value>> Decomposed2dOp::decomposeOperation(OpBuilder &b) {
  return getFormula(*this).decompose(b);
}
