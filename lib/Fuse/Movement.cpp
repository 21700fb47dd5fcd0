//===- Movement.cpp - Producers that only move elements -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Movement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::posenc;

/// A linalg op whose body hands one input on as it is.
static std::optional<Movement> getLinalgMovement(linalg::LinalgOp op,
                                                 OpResult result) {
  Value yielded =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument || argument.getOwner() != op.getBlock() ||
      static_cast<int64_t>(argument.getArgNumber()) >= op.getNumDpsInputs())
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(argument.getArgNumber());
  AffineMap outputMap =
      op.getMatchingIndexingMap(op.getDpsInitOperand(result.getResultNumber()));
  if (!isa<RankedTensorType>(input->get().getType()) ||
      !outputMap.isPermutation())
    return std::nullopt;
  return Movement{input->get(), op.getMatchingIndexingMap(input).compose(
                                    inversePermutation(outputMap))};
}

/// Row-major number of the element at `at` of a tensor of `shape`; null where
/// an extent that it needs is dynamic.
static AffineExpr linearize(ArrayRef<AffineExpr> at, ArrayRef<int64_t> shape,
                            MLIRContext *context) {
  AffineExpr linear = getAffineConstantExpr(0, context);
  bool isFirst = true;
  for (auto [index, extent] : llvm::zip_equal(at, shape)) {
    if (extent == 1)
      continue;
    if (ShapedType::isDynamic(extent) && !isFirst)
      return {};
    linear = isFirst ? index : linear * extent + index;
    isFirst = false;
  }
  return linear;
}

/// The indices in a tensor of `shape` of its element number `linear`; false
/// where an extent that it needs is dynamic.
static bool delinearize(AffineExpr linear, ArrayRef<int64_t> shape,
                        SmallVectorImpl<AffineExpr> &at) {
  size_t start = at.size();
  at.append(shape.size(), getAffineConstantExpr(0, linear.getContext()));
  SmallVector<size_t> axes;
  for (auto [axis, extent] : llvm::enumerate(shape))
    if (extent != 1)
      axes.push_back(axis);
  for (size_t axis : llvm::reverse(axes)) {
    if (axis == axes.front()) {
      at[start + axis] = linear;
      break;
    }
    if (ShapedType::isDynamic(shape[axis]) || shape[axis] == 0)
      return false;
    at[start + axis] = linear % shape[axis];
    linear = linear.floorDiv(shape[axis]);
  }
  return true;
}

static std::optional<Movement> getExpandMovement(tensor::ExpandShapeOp op) {
  MLIRContext *context = op.getContext();
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  SmallVector<AffineExpr> dims, from;
  for (int64_t i = 0, e = shape.size(); i < e; ++i)
    dims.push_back(getAffineDimExpr(i, context));
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    AffineExpr linear =
        linearize(ArrayRef(dims).slice(group.front(), group.size()),
                  shape.slice(group.front(), group.size()), context);
    if (!linear)
      return std::nullopt;
    from.push_back(linear);
  }
  return Movement{op.getSrc(), AffineMap::get(shape.size(), 0, from, context)};
}

static std::optional<Movement> getCollapseMovement(tensor::CollapseShapeOp op) {
  MLIRContext *context = op.getContext();
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  SmallVector<AffineExpr> from;
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
    if (!delinearize(getAffineDimExpr(dim, context),
                     shape.slice(group.front(), group.size()), from))
      return std::nullopt;
  if (from.size() != shape.size()) // to a tensor of rank 0
    return std::nullopt;
  return Movement{op.getSrc(), AffineMap::get(op.getResultType().getRank(), 0,
                                              from, context)};
}

std::optional<Movement> posenc::getMovement(Value tensor) {
  Operation *producer = tensor.getDefiningOp();
  if (!producer)
    return std::nullopt;
  return TypeSwitch<Operation *, std::optional<Movement>>(producer)
      .Case([&](linalg::LinalgOp op) {
        return getLinalgMovement(op, cast<OpResult>(tensor));
      })
      .Case([](tensor::ExpandShapeOp op) { return getExpandMovement(op); })
      .Case([](tensor::CollapseShapeOp op) { return getCollapseMovement(op); })
      .Case([](tensor::CastOp op) -> std::optional<Movement> {
        auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
        if (!type)
          return std::nullopt;
        return Movement{op.getSource(), AffineMap::getMultiDimIdentityMap(
                                            type.getRank(), op.getContext())};
      })
      .Default([](Operation *) { return std::nullopt; });
}
