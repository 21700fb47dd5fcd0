//===- Shaw.cpp - Tables of relative positions ----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ContentTerms.h"
#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Rows of relative positions
//===----------------------------------------------------------------------===//

/// The row of query row `i` and key `j`: the nearest of a table of `rows`, and
/// what `value` is where there is none of its own.
template <typename OpTy>
static Value emitAtRow(OpTy op, OpBuilder &b, Location loc, int64_t rows,
                       Value i, Value j,
                       llvm::function_ref<Value(Value row)> emitValue) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value query = addOptional(b, loc, i, op.getOffset());
  bool keyFirst = op.getRelative() == RelativeOrder::KeyMinusQuery;
  Value relative =
      arith::SubIOp::create(b, loc, keyFirst ? j : query, keyFirst ? query : j);
  Value own = arith::AddIOp::create(b, loc, relative, constant(op.getLeft()));
  Value row = arith::MaxSIOp::create(b, loc, own, constant(0));
  row = arith::MinSIOp::create(b, loc, row, constant(rows - 1));
  Value value = emitValue(row);
  if (op.getOutside() != RelativeOutside::Zero)
    return value;
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own, row);
  return arith::SelectOp::create(b, loc, inside, value, createF32(b, loc, 0));
}

static LogicalResult verifyLeft(Operation *op, int64_t left, int64_t rows) {
  if (left >= 0 && left < rows)
    return success();
  return op->emitOpError() << "'left' is " << left << "; it must be one of the "
                           << rows
                           << " rows of the table, that of relative position 0";
}

//===----------------------------------------------------------------------===//
// ShawOp
//===----------------------------------------------------------------------===//

static SmallVector<ContentTerm> getTerms(ShawOp op) {
  SmallVector<ContentTerm> terms;
  if (op.getQuery())
    terms.push_back({op.getQuery(), /*ofKeys=*/false, op.getTable()});
  if (op.getKey())
    terms.push_back({op.getKey(), /*ofKeys=*/true, op.getTable()});
  return terms;
}

static ContentFormula getFormula(ShawOp op) {
  SmallVector<ContentTerm> terms = getTerms(op);
  auto emit = [op, numTerms = terms.size()](OpBuilder &b, Location loc,
                                            ValueRange at,
                                            ReadTerm read) mutable {
    int64_t rows = op.getTable().getType().getShape().take_back(2).front();
    return emitAtRow(op, b, loc, rows, at[2], at[3], [&](Value row) {
      Value sum = read(b, loc, 0, row);
      for (unsigned term = 1; term < numTerms; ++term)
        sum = arith::AddFOp::create(b, loc, sum, read(b, loc, term, row));
      return sum;
    });
  };
  return ContentFormula(op, terms, emit);
}

LogicalResult ShawOp::verify() {
  SmallVector<ContentTerm> terms = getTerms(*this);
  if (terms.empty()) // C1
    return emitOpError("has neither 'query' nor 'key'; give it one or both");
  for (const ContentTerm &term : terms) {
    if (failed(verifyTokens(*this, term.ofKeys ? "key" : "query", term,
                            getType())) || // C1
        failed(verifyTable(*this, "table", term, getType(),
                           /*staticRows=*/true))) // C2
      return failure();
  }
  if (failed(verifyLeft(*this, getLeft(), terms.front().getNumRows()))) // C4
    return failure();
  return verifySizes(*this, getSizes(), getType()); // C3
}

Value ShawOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  return getFormula(*this).emitElement(b, loc, at);
}

FailureOr<SmallVector<Value>> ShawOp::decomposeOperation(OpBuilder &b) {
  return getFormula(*this).decompose(b);
}

void ShawOp::emitRangeConditions(
    OpBuilder &b, Location loc,
    SmallVectorImpl<std::pair<Value, std::string>> &conditions) {
  if (getOutside() != RelativeOutside::Error)
    return;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  SmallVector<OpFoldResult> sizes = getMixedSizes(b, getSizes(), getType());
  auto getLast = [&](unsigned dim) {
    return b.createOrFold<arith::SubIOp>(
        loc, getValueOrCreateConstantIndexOp(b, loc, sizes[dim]), constant(1));
  };
  Value first = getOffset() ? getOffset() : constant(0);
  Value afterKeys = b.createOrFold<arith::SubIOp>(loc, getLast(3), first);
  Value beforeKeys = b.createOrFold<arith::AddIOp>(loc, getLast(2), first);
  bool keyFirst = getRelative() == RelativeOrder::KeyMinusQuery;
  int64_t left = getLeft();
  int64_t right = getTerms(*this).front().getNumRows() - 1 - left;
  auto append = [&](Value distance, int64_t most, StringRef side) {
    conditions.emplace_back(
        b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, distance,
                                      constant(most)),
        ("keys " + side +
         " their query are farther away than the table of relative positions "
         "has rows for; shorten the sequence, lengthen the table, or ask for "
         "'outside(<clip>)'")
            .str());
  };
  append(beforeKeys, keyFirst ? left : right, "before");
  append(afterKeys, keyFirst ? right : left, "after");
}

//===----------------------------------------------------------------------===//
// ShawValuesOp
//===----------------------------------------------------------------------===//

LogicalResult ShawValuesOp::verify() {
  RankedTensorType type = getType(), table = getTable().getType();
  RankedTensorType probabilities = getProbabilities().getType();
  int64_t rows = table.getShape().take_back(2).front();
  if (ShapedType::isDynamic(rows) || rows == 0 ||
      (table.getRank() == 3 &&
       !extentsMayAgree(table.getDimSize(0), type.getDimSize(1)))) // C1
    return emitOpError() << "'table' is " << table << " for a result " << type
                         << "; it must be [rows, Dv] or [Hq, rows, Dv], with a "
                            "static number of rows";
  bool fits = extentsMayAgree(type.getDimSize(3), table.getShape().back());
  for (unsigned dim = 0; dim < 3; ++dim)
    fits &=
        extentsMayAgree(type.getDimSize(dim), probabilities.getDimSize(dim));
  if (!fits) // C2
    return emitOpError() << "result is " << type << " for probabilities "
                         << probabilities << " and a table " << table
                         << "; it must be [B, Hq, Lq, Dv]";
  if (getOutside() == RelativeOutside::Error) // C4
    return emitOpError("'outside' is 'error', which nothing checks here; ask "
                       "for 'clip', which is the same within the table");
  return verifyLeft(*this, getLeft(), rows); // C3
}

LogicalResult
ShawValuesOp::reifyResultShapes(OpBuilder &b,
                                ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, getLoc(), getProbabilities());
  sizes[3] = tensor::getMixedSize(b, getLoc(), getTable(),
                                  getTable().getType().getRank() - 1);
  // What the result type knows, the operands need not.
  for (auto [size, extent] : llvm::zip_equal(sizes, getType().getShape()))
    if (!ShapedType::isDynamic(extent))
      size = b.getIndexAttr(extent);
  shapes.push_back(std::move(sizes));
  return success();
}

FailureOr<SmallVector<Value>> ShawValuesOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(b, shapes)))
    return failure();
  Value zero = createF32(b, loc, 0);
  Value empty = tensor::EmptyOp::create(b, loc, shapes.front(), b.getF32Type());
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  int64_t rows = getTable().getType().getShape().take_back(2).front();
  // Loops: b, h, i, lane, j.
  auto output = AffineMap::getMultiDimIdentityMap(5, b.getContext());
  AffineMap input = output.dropResult(3);
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  auto sum = linalg::GenericOp::create(
      b, loc, init.getType(), getProbabilities(), init,
      ArrayRef{input, output.dropResult(4)}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange e) {
        auto index = [&](int64_t loop) -> Value {
          return linalg::IndexOp::create(b, loc, loop);
        };
        Value product = emitAtRow(
            *this, b, loc, rows, index(2), index(4), [&](Value row) -> Value {
              SmallVector<Value> at = {index(1), row, index(3)};
              Value entry = tensor::ExtractOp::create(
                  b, loc, getTable(),
                  ArrayRef(at).take_back(getTable().getType().getRank()));
              return arith::MulFOp::create(b, loc, castToF32(b, loc, e[0]),
                                           castToF32(b, loc, entry));
            });
        linalg::YieldOp::create(
            b, loc, arith::AddFOp::create(b, loc, e[1], product).getResult());
      });
  Value result = sum.getResult(0);
  if (result.getType() != getType())
    result = tensor::CastOp::create(b, loc, getType(), result);
  return SmallVector<Value>{result};
}
