//===- ProducerFormula.cpp - Elements of computed tensors -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProducerFormula.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/FormulaOps.h"

using namespace mlir;
using namespace mlir::posenc;

/// The indices of the one iteration that writes element `at` of `init`; empty
/// if there is more than one, or if it cannot be told.
static SmallVector<Value> getIteration(OpBuilder &b, Location loc,
                                       linalg::LinalgOp op, OpOperand *init,
                                       ValueRange at) {
  AffineMap map = op.getMatchingIndexingMap(init);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<Value> iteration(op.getNumLoops());
  for (auto [expr, index] : llvm::zip_equal(map.getResults(), at))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      iteration[dim.getPosition()] = index;
  for (auto [index, range] : llvm::zip_equal(iteration, ranges)) {
    if (index)
      continue;
    // A loop of one trip, as in a contraction of length one.
    if (range != 1)
      return {};
    index = arith::ConstantIndexOp::create(b, loc, 0);
  }
  return iteration;
}

static bool hasFormulaBody(linalg::LinalgOp op) {
  return llvm::all_of(
      op.getBlock()->without_terminator(), [](Operation &inner) {
        return isa<linalg::IndexOp>(inner) || isFormulaOp(&inner);
      });
}

static Value emitLinalgElement(OpBuilder &b, Location loc, linalg::LinalgOp op,
                               OpResult result, ValueRange at) {
  if (!op.hasPureTensorSemantics() || !hasFormulaBody(op))
    return {};
  OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
  SmallVector<Value> iteration = getIteration(b, loc, op, init, at);
  if (iteration.size() != op.getNumLoops())
    return {};
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    if (!isa<RankedTensorType>(operand.get().getType())) {
      mapping.map(argument, operand.get());
      continue;
    }
    SmallVector<Value> indices;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      indices.push_back(affine::expandAffineExpr(b, loc, expr, iteration, {}));
    mapping.map(
        argument,
        tensor::ExtractOp::create(b, loc, operand.get(), indices).getResult());
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), iteration[index.getDim()]);
    else
      b.clone(inner, mapping);
  }
  return mapping.lookupOrDefault(
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber()));
}

/// An arith or math op on whole tensors.
static Value emitElementwiseElement(OpBuilder &b, Location loc, Operation *op,
                                    ValueRange at) {
  SmallVector<Value> elements;
  for (Value operand : op->getOperands())
    elements.push_back(
        isa<RankedTensorType>(operand.getType())
            ? tensor::ExtractOp::create(b, loc, operand, at).getResult()
            : operand);
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return createLike(b, loc, op, elements, type)->getResult(0);
}

/// The value that the body of tensor.generate yields at `at`.
static Value emitGeneratedElement(OpBuilder &b, tensor::GenerateOp op,
                                  ValueRange at) {
  Block &body = op.getBody().front();
  if (!llvm::all_of(body.without_terminator(),
                    [](Operation &inner) { return isFormulaOp(&inner); }))
    return {};
  return cloneBody(b, body, at).front();
}

static Value emitConstantElement(OpBuilder &b, Location loc, Operation *op) {
  DenseElementsAttr elements;
  if (!matchPattern(op, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(elements.getSplatValue<Attribute>()));
}

Value posenc::emitProducerElement(OpBuilder &b, Location loc, Value tensor,
                                  ValueRange at) {
  Operation *producer = tensor.getDefiningOp();
  if (!producer)
    return {};
  if (auto formula = dyn_cast<FormulaOpInterface>(producer))
    return formula.emitElement(b, loc, at);
  if (auto op = dyn_cast<linalg::LinalgOp>(producer))
    return emitLinalgElement(b, loc, op, cast<OpResult>(tensor), at);
  if (auto splat = dyn_cast<tensor::SplatOp>(producer))
    return splat.getInput();
  if (auto generate = dyn_cast<tensor::GenerateOp>(producer))
    return emitGeneratedElement(b, generate, at);
  if (producer->hasTrait<OpTrait::ConstantLike>())
    return emitConstantElement(b, loc, producer);
  if (OpTrait::hasElementwiseMappableTraits(producer) &&
      producer->getNumResults() == 1)
    return emitElementwiseElement(b, loc, producer, at);
  return emitMovedElement(b, loc, producer, at);
}
