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

/// Clones `op` with f32 in place of 16-bit floats where an operand has become
/// f32: attention computes scores in f32 whatever the storage type.
static void cloneInF32(OpBuilder &b, Operation *op, IRMapping &mapping) {
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
      mapping.map(operand, arith::ExtFOp::create(b, op->getLoc(), f32, mapped));
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
  for (auto [number, coordinate] : llvm::enumerate(coordinates))
    mapping.map(scratch.get(static_cast<Coordinate>(number)), coordinate);
  mapping.map(product, scaled);
  for (Value read : reads)
    if (!mapping.contains(read))
      mapping.map(read, scaled);
  for (Operation *op : getFormulaSlice(score, scratch.getBlock()))
    if (!mapping.contains(op->getResult(0)))
      cloneInF32(b, op, mapping);
  Value result = mapping.lookup(score);
  if (result.getType().isF64())
    return arith::TruncFOp::create(b, result.getLoc(), b.getF32Type(), result);
  return result;
}
