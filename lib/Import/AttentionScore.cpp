//===- AttentionScore.cpp - What happens to a score before softmax --------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of AttentionMatch between the first contraction and the softmax:
// constant factors go into the scale, everything else into the score region.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Formula/FormulaOps.h"

using namespace mlir;
using namespace mlir::posenc;

bool AttentionMatch::matchScore(Operation *keys, std::string &reason) {
  SmallVector<Operation *> slice = getFormulaSlice(score, scratch.getBlock());
  for (Operation *op : slice)
    if (auto read = dyn_cast<tensor::ExtractOp>(op))
      if (read.getTensor() == keys->getResult(0))
        reads.push_back(read);
  if (reads.empty()) {
    reason = "the scores do not depend on the product of queries and keys";
    return false;
  }
  product = reads.front();
  if (reads.size() > 1)
    return true;
  // Factors of the product alone belong to the scale.
  llvm::DenseSet<Operation *> inSlice(slice.begin(), slice.end());
  while (product != score) {
    SmallVector<Operation *> users;
    for (Operation *user : product.getUsers())
      if (inSlice.contains(user))
        users.push_back(user);
    if (users.size() != 1)
      break;
    Value factored = users.front()->getResult(0);
    std::optional<double> factor = takeConstantFactor(factored);
    if (!factor || factored != product)
      break;
    scale *= *factor;
    product = users.front()->getResult(0);
  }
  return true;
}

/// Axes that were merged for the contraction and split again are indexed by
/// quotients and rests that are just a coordinate.
void AttentionMatch::simplifyReads() {
  constexpr Coordinate coordinates[] = {Coordinate::Batch, Coordinate::Head,
                                        Coordinate::Row, Coordinate::Key};
  for (Operation *op : getFormulaSlice(score, scratch.getBlock())) {
    auto read = dyn_cast<tensor::ExtractOp>(op);
    if (!read)
      continue;
    for (OpOperand &index : read.getIndicesMutable()) {
      if (isa<BlockArgument>(index.get()) ||
          matchPattern(index.get(), m_Constant()))
        continue;
      for (Coordinate coordinate : coordinates)
        if (scratch.areEqual(index.get(), scratch.get(coordinate))) {
          index.set(scratch.get(coordinate));
          break;
        }
    }
  }
}

static bool isLowest(const APFloat &number) {
  return number.isNegative() && number.isLargest();
}

/// A table of 16-bit floats in f32, in which the lowest finite value becomes
/// that of f32; null if there is none.
static DenseElementsAttr widenLowest(DenseFPElementsAttr table) {
  if (llvm::none_of(table.getValues<APFloat>(), isLowest))
    return {};
  SmallVector<APFloat> entries;
  for (APFloat entry : table.getValues<APFloat>()) {
    bool lowest = isLowest(entry), losesInfo;
    entry.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    entries.push_back(
        lowest ? APFloat::getLargest(APFloat::IEEEsingle(), /*Negative=*/true)
               : entry);
  }
  ShapedType type = table.getType();
  return DenseElementsAttr::get(
      type.clone(Float32Type::get(table.getContext())), entries);
}

/// `value`, of 16-bit floats, as f32. The lowest finite value of its type, with
/// which graphs hide keys, becomes that of f32: only so does it take in the
/// scores that it is added to, as it does in sums of 16 bits. `known` are the
/// values widened before.
static Value widen(OpBuilder &b, Value value, DenseMap<Value, Value> &known) {
  if (Value before = known.lookup(value))
    return before;
  Location loc = value.getLoc();
  Type f32 = b.getF32Type();
  Attribute table;
  FloatAttr number;
  Value widened;
  if (matchPattern(value, m_Constant(&number)) && isLowest(number.getValue())) {
    APFloat lowest =
        APFloat::getLargest(APFloat::IEEEsingle(), /*Negative=*/true);
    widened = arith::ConstantOp::create(b, loc, FloatAttr::get(f32, lowest));
  } else if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    Value yes = widen(b, select.getTrueValue(), known);
    Value no = widen(b, select.getFalseValue(), known);
    widened = arith::SelectOp::create(b, loc, select.getCondition(), yes, no);
  } else if (auto read = value.getDefiningOp<tensor::ExtractOp>();
             read && matchPattern(read.getTensor(), m_Constant(&table)) &&
             isa<DenseFPElementsAttr>(table)) {
    if (auto wide = widenLowest(cast<DenseFPElementsAttr>(table)))
      widened = tensor::ExtractOp::create(
          b, loc, arith::ConstantOp::create(b, loc, wide), read.getIndices());
  }
  if (!widened)
    widened = arith::ExtFOp::create(b, loc, f32, value);
  known[value] = widened;
  return widened;
}

/// Clones `op` with f32 in place of 16-bit floats where an operand has become
/// f32: attention computes scores in f32 whatever the storage type.
static void cloneInF32(OpBuilder &b, Operation *op, IRMapping &mapping,
                       DenseMap<Value, Value> &widened) {
  Type f32 = b.getF32Type();
  bool widens = llvm::any_of(op->getOperands(), [&](Value operand) {
    return operand.getType() != f32 && mapping.contains(operand) &&
           mapping.lookup(operand).getType() == f32;
  });
  if (!widens) {
    b.clone(*op, mapping);
    return;
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    mapping.map(op->getResult(0), mapping.lookup(op->getOperand(0)));
    return;
  }
  for (Value operand : op->getOperands()) {
    Value mapped = mapping.lookupOrDefault(operand);
    if (isa<FloatType>(mapped.getType()) && mapped.getType() != f32)
      mapping.map(operand, widen(b, mapped, widened));
  }
  Operation *clone = b.clone(*op, mapping);
  for (Value result : clone->getResults())
    if (isa<FloatType>(result.getType()))
      result.setType(f32);
}

Value AttentionMatch::cloneScore(OpBuilder &b, Value scaled,
                                 ValueRange coordinates) const {
  if (product == score)
    return scaled;
  IRMapping mapping;
  DenseMap<Value, Value> widened;
  for (auto [number, coordinate] : llvm::enumerate(coordinates))
    mapping.map(scratch.get(static_cast<Coordinate>(number)), coordinate);
  mapping.map(product, scaled);
  for (Value read : reads)
    if (!mapping.contains(read))
      mapping.map(read, scaled);
  for (Operation *op : getFormulaSlice(score, scratch.getBlock()))
    if (!mapping.contains(op->getResult(0)))
      cloneInF32(b, op, mapping, widened);
  Value result = mapping.lookup(score);
  if (result.getType().isF64())
    return arith::TruncFOp::create(b, result.getLoc(), b.getF32Type(), result);
  return result;
}
