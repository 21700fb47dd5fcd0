//===- SeparateDestinations.cpp - A destination for each result -----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: an elementwise linalg.generic with several results that are inserted
// one after the other into one tensor, as the two halves of a rotated head are;
// a tensor.empty that several ops write to. After: a linalg.generic a result,
// just before its insertion; a tensor.empty a destination. So each can be
// computed where its result goes.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "posenc/Plan/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_SEPARATEDESTINATIONSPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// The insertion that is the only use of `result`; null if it is not.
static tensor::InsertSliceOp getInsertion(OpResult result) {
  if (!result.hasOneUse())
    return nullptr;
  auto insertion = dyn_cast<tensor::InsertSliceOp>(*result.user_begin());
  return insertion && insertion.getSource() == result ? insertion : nullptr;
}

/// Whether every result of `op` is computed from its inputs alone, element by
/// element, and inserted.
static bool isSplittable(linalg::GenericOp op) {
  return op.getNumResults() > 1 && op.hasPureTensorSemantics() &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::none_of(op.getDpsInitsMutable(),
                       [&](OpOperand &init) {
                         return op.payloadUsesValueFromOperand(&init);
                       }) &&
         llvm::all_of(op->getResults(), [](OpResult result) {
           return static_cast<bool>(getInsertion(result));
         });
}

/// Emits before `insertion` the op that computes result `number` of `op` alone,
/// into the part of the tensor that it is inserted into.
static Value emitResult(tensor::InsertSliceOp insertion, linalg::GenericOp op,
                        unsigned number) {
  OpBuilder b(insertion);
  Location loc = op.getLoc();
  Value part = tensor::ExtractSliceOp::create(
      b, loc, insertion.getSourceType(), insertion.getDest(),
      insertion.getMixedOffsets(), insertion.getMixedSizes(),
      insertion.getMixedStrides());
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input));
  maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(number)));
  auto single = linalg::GenericOp::create(
      b, loc, part.getType(), op.getInputs(), part, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        IRMapping map;
        map.map(op.getRegionInputArgs(), arguments.drop_back());
        for (Operation &inner : op.getBody()->without_terminator())
          b.clone(inner, map);
        Value yielded = op.getBody()->getTerminator()->getOperand(number);
        linalg::YieldOp::create(b, loc, map.lookupOrDefault(yielded));
      });
  return single.getResult(0);
}

/// Replaces `op` by an op a result. Of several results only the first could be
/// computed in place: the tensor that the second goes to exists after the first
/// is inserted.
static void splitResults(linalg::GenericOp op) {
  for (OpResult result : op->getResults())
    result.replaceAllUsesWith(
        emitResult(getInsertion(result), op, result.getResultNumber()));
  op.erase();
}

/// Gives each op that computes into `empty` a tensor of its own; a destination
/// of two ops is taken for one that must keep both results.
static void separateUses(tensor::EmptyOp empty) {
  SmallVector<OpOperand *> destinations;
  for (OpOperand &use : empty->getUses()) {
    auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    if (op && op.isDpsInit(&use) && !isa<tensor::InsertSliceOp>(op))
      destinations.push_back(&use);
  }
  // One may keep the original where nothing else takes it.
  if (!destinations.empty() &&
      static_cast<int64_t>(destinations.size()) ==
          std::distance(empty->use_begin(), empty->use_end()))
    destinations.pop_back();
  OpBuilder b(empty);
  for (OpOperand *use : destinations)
    use->set(b.clone(*empty)->getResult(0));
}

namespace {
struct SeparateDestinationsPass
    : posenc::impl::SeparateDestinationsPassBase<SeparateDestinationsPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isSplittable(op))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops)
      splitResults(op);
    SmallVector<tensor::EmptyOp> empties;
    getOperation().walk([&](tensor::EmptyOp op) { empties.push_back(op); });
    llvm::for_each(empties, separateUses);
  }
};
} // namespace
