//===- AttentionHeads.cpp - Queries, keys and values of attention ---------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensor a contraction reads as batch, heads, rows and lanes: found by
// the numbers of the indices it is read at, whole or in part, in any order of
// axes, with heads repeated or merged with rows.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::posenc;

bool AttentionMatch::isHeads(Value tensor, ArrayRef<Value> at,
                             ArrayRef<int64_t> axes, Coordinate row,
                             Coordinate lane) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.getRank() != 4)
    return false;
  SymbolicExtent heads = SymbolicExtent::ofAxis(
      output.tensor, AttentionOp::getAxis(output.layout, 1));
  std::optional<SymbolicExtent> group =
      heads.divideBy(SymbolicExtent::ofAxis(tensor, axes[1]));
  if (!group || !group->getConstant())
    return false;
  OpBuilder &b = scratch.getBuilder();
  Value head = scratch.get(Coordinate::Head);
  if (*group->getConstant() != 1)
    head =
        arith::DivSIOp::create(b, scratch.getLoc(), head,
                               arith::ConstantIndexOp::create(
                                   b, scratch.getLoc(), *group->getConstant()));
  SmallVector<Value> expected(4);
  expected[axes[0]] = scratch.get(Coordinate::Batch);
  expected[axes[1]] = head;
  expected[axes[2]] = scratch.get(row);
  expected[axes[3]] = scratch.get(lane);
  return scratch.areEqual(at, expected);
}

std::optional<Heads> AttentionMatch::transposeHeads(Value tensor,
                                                    ArrayRef<Value> at,
                                                    Coordinate row,
                                                    Coordinate lane) {
  SmallVector<int64_t> axes = {0, 1, 2, 3};
  do {
    if (!isHeads(tensor, at, axes, row, lane))
      continue;
    OpBuilder b(tensor.getContext());
    b.setInsertionPointAfterValue(tensor);
    Location loc = tensor.getLoc();
    SmallVector<OpFoldResult> sizes = applyPermutation(
        tensor::getMixedSizes(b, loc, tensor), ArrayRef<int64_t>(axes));
    Value init = tensor::EmptyOp::create(
        b, loc, sizes, getElementTypeOrSelf(tensor.getType()));
    auto transposed = linalg::TransposeOp::create(b, loc, tensor, init, axes);
    return Heads{transposed->getResult(0), Layout::BHLD, 1};
  } while (std::next_permutation(axes.begin(), axes.end()));
  return std::nullopt;
}

bool AttentionMatch::isMergedHeads(Value tensor, ArrayRef<Value> at,
                                   Layout layout, Coordinate row,
                                   Coordinate lane) {
  SmallVector<int64_t> shape =
      AttentionOp::getShapeBHLD(output.tensor, output.layout);
  Value number = scratch.get(Coordinate::Head);
  if (at.size() != 3)
    return false;
  if (shape[0] == 1) {
    SmallVector<Value> expected = {number, scratch.get(row), scratch.get(lane)};
    if (layout == Layout::BLHD)
      std::swap(expected[0], expected[1]);
    return scratch.areEqual(at, expected);
  }
  if (layout != Layout::BHLD || ShapedType::isDynamic(shape[0]) ||
      ShapedType::isDynamic(shape[1]))
    return false;
  OpBuilder &b = scratch.getBuilder();
  Location loc = scratch.getLoc();
  Value heads = arith::ConstantIndexOp::create(b, loc, shape[1]);
  Value first =
      arith::MulIOp::create(b, loc, scratch.get(Coordinate::Batch), heads);
  number = arith::AddIOp::create(b, loc, first, number);
  return scratch.areEqual(at, {number, scratch.get(row), scratch.get(lane)});
}

Heads AttentionMatch::splitHeads(const Heads &merged) const {
  OpBuilder b(merged.tensor.getContext());
  b.setInsertionPointAfterValue(merged.tensor);
  Location loc = merged.tensor.getLoc();
  SmallVector<int64_t> output =
      AttentionOp::getShapeBHLD(this->output.tensor, this->output.layout);
  auto type = cast<RankedTensorType>(merged.tensor.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, merged.tensor);
  SmallVector<int64_t> shape(type.getShape());
  // Without a batch the first axis stays what it is.
  if (output[0] != 1) {
    shape[0] = output[1];
    sizes[0] = b.getIndexAttr(output[1]);
  }
  shape.insert(shape.begin(), output[0]);
  sizes.insert(sizes.begin(), b.getIndexAttr(output[0]));
  auto split = tensor::ExpandShapeOp::create(
      b, loc, type.clone(shape), merged.tensor,
      ArrayRef<ReassociationIndices>{{0, 1}, {2}, {3}}, sizes);
  return {split, merged.layout, merged.scale};
}

/// Whether `tensor`, read for the elements of `moved`, has no others: what
/// takes a part of a tensor does not tell how long the tensor is. An op that
/// reads by its loops alone broadcasts to extents that the front end knows to
/// agree.
static bool isReadWhole(Value moved, Value tensor) {
  Operation *op = moved.getDefiningOp();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.getNumDpsInputs() == 0 ||
           llvm::is_contained(linalgOp.getDpsInputs(), tensor);
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      op);
}

bool AttentionMatch::haveRanges(const Heads &heads, Coordinate row,
                                Coordinate lane) const {
  auto runsOver = [&](Coordinate coordinate, int64_t axis) {
    return scratch.runsOver(coordinate, heads.tensor,
                            AttentionOp::getAxis(heads.layout, axis));
  };
  return runsOver(Coordinate::Batch, 0) && runsOver(row, 2) &&
         runsOver(lane, 3);
}

std::optional<Heads> AttentionMatch::findHeads(Value tensor,
                                               SmallVector<Value> at,
                                               Coordinate row,
                                               Coordinate lane) {
  std::optional<Heads> found, merged;
  Value operand = tensor;
  SmallVector<Value> operandAt = at;
  double scale = 1;
  bool whole = true;
  while (true) {
    for (Layout layout : {Layout::BHLD, Layout::BLHD}) {
      Heads heads{tensor, layout, scale};
      if (whole && isMergedHeads(tensor, at, layout, row, lane))
        merged = heads;
      int64_t axes[] = {0, AttentionOp::getAxis(layout, 1),
                        AttentionOp::getAxis(layout, 2), 3};
      if (isHeads(tensor, at, axes, row, lane) &&
          (whole || haveRanges(heads, row, lane))) {
        found = heads;
        break;
      }
    }
    // One step towards the producers: a movement or a constant factor.
    Value element = scratch.emitElement(
        tensor, at, [&](Value other) { return other != tensor; });
    while (std::optional<double> factor = takeConstantFactor(element))
      scale *= *factor;
    auto read = element.getDefiningOp<tensor::ExtractOp>();
    if (!read || read.getTensor() == tensor)
      break;
    whole &= isReadWhole(tensor, read.getTensor());
    tensor = read.getTensor();
    at = SmallVector<Value>(read.getIndices());
  }
  if (found)
    return found;
  return merged ? splitHeads(*merged)
                : transposeHeads(operand, operandAt, row, lane);
}
