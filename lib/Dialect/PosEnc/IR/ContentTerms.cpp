//===- ContentTerms.cpp - Queries or keys against a table -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContentTerms.h"

#include "ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Tabulate.h"
#include "posenc/Formula/FormulaOps.h"

using namespace mlir;
using namespace mlir::posenc;

/// More columns than this and a product of all tokens is larger than what it
/// saves: then products are summed where they are read.
static constexpr int64_t kMostColumns = 512;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

int64_t ContentTerm::getNumRows() const {
  return getTensorType(table).getShape().take_back(2).front();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult posenc::verifyTokens(Operation *op, StringRef name,
                                   const ContentTerm &term,
                                   RankedTensorType result) {
  RankedTensorType type = getTensorType(term.tokens);
  int64_t heads = type.getDimSize(1), queryHeads = result.getDimSize(1);
  bool headsFit = extentsMayAgree(heads, queryHeads);
  if (term.ofKeys && !headsFit)
    headsFit = heads > 0 && queryHeads % heads == 0;
  if (headsFit && extentsMayAgree(type.getDimSize(0), result.getDimSize(0)) &&
      extentsMayAgree(type.getDimSize(2),
                      result.getDimSize(term.ofKeys ? 3 : 2)))
    return success();
  return op->emitOpError() << "'" << name << "' is " << type << " for a result "
                           << result << "; it must be "
                           << (term.ofKeys
                                   ? "[B, Hkv, Lk, D], Hkv a divisor of Hq,"
                                   : "[B, Hq, Lq, D]")
                           << " for a bias [B, Hq, Lq, Lk]";
}

LogicalResult posenc::verifyTable(Operation *op, StringRef name,
                                  const ContentTerm &term,
                                  RankedTensorType result, bool staticRows) {
  RankedTensorType table = getTensorType(term.table);
  int64_t width = getTensorType(term.tokens).getDimSize(3);
  int64_t rows = term.getNumRows();
  bool headsFit = table.getRank() == 2 ||
                  extentsMayAgree(table.getDimSize(0), result.getDimSize(1));
  if (headsFit && table.getShape().back() == width && width > 0 &&
      width <= kMostTrips && rows != 0 &&
      (!staticRows || !ShapedType::isDynamic(rows)))
    return success();
  return op->emitOpError()
         << "'" << name << "' is " << table << " for tokens of width "
         << (ShapedType::isDynamic(width) ? "?" : std::to_string(width))
         << " and a result " << result
         << "; it must be [rows, D] or [Hq, rows, D], with "
         << (staticRows ? "a static number of rows" : "at least one row")
         << " and a static D from 1 to " << kMostTrips;
}

//===----------------------------------------------------------------------===//
// Heads and products
//===----------------------------------------------------------------------===//

/// The head of `numKeyHeads` that query head `head` of `numHeads` reads.
static Value emitKeyHead(OpBuilder &b, Location loc, Value head,
                         OpFoldResult numHeads, OpFoldResult numKeyHeads) {
  if (numHeads == numKeyHeads)
    return head;
  std::optional<int64_t> heads = getConstantIntValue(numHeads);
  std::optional<int64_t> keyHeads = getConstantIntValue(numKeyHeads);
  if (keyHeads == 1)
    return arith::ConstantIndexOp::create(b, loc, 0);
  if (heads && keyHeads)
    return arith::DivUIOp::create(
        b, loc, head,
        arith::ConstantIndexOp::create(b, loc, *heads / *keyHeads));
  // h / (Hq / Hkv), the division that may be by zero left out.
  return arith::DivUIOp::create(
      b, loc,
      arith::MulIOp::create(
          b, loc, head, getValueOrCreateConstantIndexOp(b, loc, numKeyHeads)),
      getValueOrCreateConstantIndexOp(b, loc, numHeads));
}

Value posenc::repeatHeads(OpBuilder &b, Location loc, Value tokens,
                          OpFoldResult heads) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tokens);
  OpFoldResult keyHeads = std::exchange(sizes[1], heads);
  if (keyHeads == heads)
    return tokens;
  SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
  return tabulate(b, loc, getTensorType(tokens).clone(shape), sizes,
                  [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
                    SmallVector<Value> source(at);
                    source[1] = emitKeyHead(b, loc, at[1], heads, keyHeads);
                    return tensor::ExtractOp::create(b, loc, tokens, source);
                  });
}

Value posenc::multiplyRows(OpBuilder &b, Location loc, Value tokens,
                           Value rows) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tokens);
  int64_t rank = getTensorType(rows).getRank();
  sizes[3] = tensor::getMixedSize(b, loc, rows, rank - 2);
  Value zero = createF32(b, loc, 0);
  Value init =
      linalg::FillOp::create(
          b, loc, zero,
          tensor::EmptyOp::create(b, loc, sizes, b.getF32Type()).getResult())
          .getResult(0);
  // Loops: b, h, i, r, d.
  auto map = [&](ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> dims;
    for (unsigned loop : loops)
      dims.push_back(b.getAffineDimExpr(loop));
    return AffineMap::get(5, 0, dims, b.getContext());
  };
  constexpr unsigned rowLoops[] = {0, 1, 3, 4};
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, init.getType(), ValueRange{tokens, rows}, init,
             ArrayRef{map({0, 1, 2, 4}),
                      map(ArrayRef(rowLoops).take_back(rank)),
                      map({0, 1, 2, 3})},
             iterators,
             [](OpBuilder &b, Location loc, ValueRange e) {
               Value product = arith::MulFOp::create(
                   b, loc, castToF32(b, loc, e[0]), castToF32(b, loc, e[1]));
               linalg::YieldOp::create(
                   b, loc,
                   arith::AddFOp::create(b, loc, e[2], product).getResult());
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// ContentFormula
//===----------------------------------------------------------------------===//

OpFoldResult ContentFormula::getNumHeads(OpBuilder &b) const {
  ReifiedRankedShapedTypeDims shapes;
  [[maybe_unused]] LogicalResult known = reifyResultShapes(b, op, shapes);
  assert(succeeded(known) && "an encoding knows its shape");
  return shapes.front()[1];
}

/// The head of the tokens that `queryHead` reads.
Value ContentFormula::emitHead(OpBuilder &b, Location loc,
                               const ContentTerm &term, Value queryHead) const {
  if (!term.ofKeys)
    return queryHead;
  return emitKeyHead(b, loc, queryHead, getNumHeads(b),
                     tensor::getMixedSize(b, loc, term.tokens, 1));
}

Value ContentFormula::emitSum(OpBuilder &b, Location loc,
                              const ContentTerm &term, ValueRange at,
                              Value row) const {
  Value head = emitHead(b, loc, term, at[1]);
  Value token = term.ofKeys ? at[3] : at[2];
  bool tableOfHeads = getTensorType(term.table).getRank() == 3;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto read = [](OpBuilder &b, Location loc, Value tensor, ValueRange at) {
    return castToF32(b, loc, tensor::ExtractOp::create(b, loc, tensor, at));
  };
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(getTensorType(term.tokens).getDimSize(3)),
      constant(1), createF32(b, loc, 0),
      [&](OpBuilder &b, Location loc, Value lane, ValueRange sum) {
        Value x = read(b, loc, term.tokens, {at[0], head, token, lane});
        if (term.tokenBias)
          x = arith::AddFOp::create(
              b, loc, x, read(b, loc, term.tokenBias, {at[1], lane}));
        Value y = tableOfHeads ? read(b, loc, term.table, {at[1], row, lane})
                               : read(b, loc, term.table, {row, lane});
        Value product = arith::MulFOp::create(b, loc, x, y);
        scf::YieldOp::create(
            b, loc, arith::AddFOp::create(b, loc, sum[0], product).getResult());
      });
  return loop.getResult(0);
}

Value ContentFormula::emitElement(OpBuilder &b, Location loc,
                                  ValueRange at) const {
  return emit(b, loc, at,
              [&](OpBuilder &b, Location loc, unsigned term, Value row) {
                return emitSum(b, loc, terms[term], at, row);
              });
}

/// The products of all tokens with all rows, of key heads where the table is
/// the same for every query head.
Value ContentFormula::createProduct(OpBuilder &b,
                                    const ContentTerm &term) const {
  Location loc = op->getLoc();
  Value tokens = term.tokens;
  if (term.ofKeys && getTensorType(term.table).getRank() == 3)
    tokens = repeatHeads(b, loc, tokens, getNumHeads(b));
  if (term.tokenBias) {
    Value plain = tokens;
    tokens =
        tabulate(b, loc, getTensorType(tokens).clone(b.getF32Type()),
                 tensor::getMixedSizes(b, loc, tokens),
                 [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
                   Value x = tensor::ExtractOp::create(b, loc, plain, at);
                   Value bias = tensor::ExtractOp::create(
                       b, loc, term.tokenBias, ValueRange{at[1], at[3]});
                   return arith::AddFOp::create(b, loc, castToF32(b, loc, x),
                                                castToF32(b, loc, bias));
                 });
  }
  return multiplyRows(b, loc, tokens, term.table);
}

SmallVector<Value> ContentFormula::decompose(OpBuilder &b) const {
  SmallVector<Value> products;
  for (const ContentTerm &term : terms) {
    int64_t rows = term.getNumRows();
    bool isSmall = !ShapedType::isDynamic(rows) && rows <= kMostColumns;
    products.push_back(isSmall ? createProduct(b, term) : Value());
  }
  ReifiedRankedShapedTypeDims shapes;
  [[maybe_unused]] LogicalResult known = reifyResultShapes(b, op, shapes);
  assert(succeeded(known) && "an encoding knows its shape");
  auto emitAt = [&](OpBuilder &b, Location loc, ValueRange at) {
    return emit(
        b, loc, at,
        [&](OpBuilder &b, Location loc, unsigned number, Value row) -> Value {
          const ContentTerm &term = terms[number];
          if (!products[number])
            return emitSum(b, loc, term, at, row);
          Value token = term.ofKeys ? at[3] : at[2];
          bool ofKeyHeads = getTensorType(term.table).getRank() == 2;
          Value head = ofKeyHeads ? emitHead(b, loc, term, at[1]) : at[1];
          return tensor::ExtractOp::create(b, loc, products[number],
                                           ValueRange{at[0], head, token, row});
        });
  };
  return {tabulate(b, op->getLoc(),
                   cast<RankedTensorType>(op->getResult(0).getType()),
                   shapes.front(), emitAt)};
}
