//===- DecomposeScans.cpp - Running sums as reductions ---*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: `tm_tensor.scan`, which only torch-mlir lowers. After: a
// `linalg.generic` whose loop over all elements leaves out those that come
// later, the form in which every front end's cumulative sum is seen.
//
//===----------------------------------------------------------------------===//

#include "posenc/Import/Passes.h"
#include "posenc/Import/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_DECOMPOSESCANSPASS
#include "posenc/Import/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;
using tm_tensor::ScanOp;

/// The combination of `element` and what there is, by a copy of the body.
static Value combine(OpBuilder &b, ScanOp scan, Value before, Value element) {
  Block &body = scan.getCombiner().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), ValueRange{before, element});
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
}

/// The tensor that combining starts from, of the shape of `like`; null if the
/// body has no neutral element.
static Value createNeutral(OpBuilder &b, ScanOp scan, Value like) {
  Block &body = scan.getCombiner().front();
  if (!llvm::hasSingleElement(body.without_terminator()))
    return {};
  std::optional<TypedAttr> neutral = arith::getNeutralElement(&body.front());
  if (!neutral)
    return {};
  Location loc = scan.getLoc();
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, like), neutral->getType());
  Value scalar = arith::ConstantOp::create(b, loc, *neutral);
  return linalg::FillOp::create(b, loc, scalar, init).getResult(0);
}

/// All elements along the dimension, combined with `init`.
static Value createTotal(OpBuilder &b, ScanOp scan, Value init) {
  auto type = cast<RankedTensorType>(scan.getInput().getType());
  auto map = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  kinds[scan.getDimension()] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             b, scan.getLoc(), init.getType(), scan.getInput(), init,
             ArrayRef{map, map.dropResult(scan.getDimension())}, kinds,
             [&](OpBuilder &b, Location loc, ValueRange values) {
               linalg::YieldOp::create(b, loc,
                                       combine(b, scan, values[1], values[0]));
             })
      .getResult(0);
}

/// The elements before each one, itself if inclusive, combined with `init`.
static Value createPrefixes(OpBuilder &b, ScanOp scan, Value init) {
  auto type = cast<RankedTensorType>(scan.getInput().getType());
  unsigned rank = type.getRank(), dimension = scan.getDimension();
  AffineMap output = AffineMap::getMultiDimIdentityMap(rank + 1, b.getContext())
                         .dropResult(rank);
  SmallVector<AffineExpr> reads(output.getResults());
  reads[dimension] = b.getAffineDimExpr(rank);
  AffineMap input = AffineMap::get(rank + 1, 0, reads, b.getContext());
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  auto order = scan.getInclusive() ? arith::CmpIPredicate::sle
                                   : arith::CmpIPredicate::slt;
  return linalg::GenericOp::create(
             b, scan.getLoc(), type, scan.getInput(), init,
             ArrayRef{input, output}, kinds,
             [&](OpBuilder &b, Location loc, ValueRange values) {
               Value here = linalg::IndexOp::create(b, loc, dimension);
               Value other = linalg::IndexOp::create(b, loc, rank);
               Value counts = arith::CmpIOp::create(b, loc, order, other, here);
               Value combined = combine(b, scan, values[1], values[0]);
               Value next =
                   arith::SelectOp::create(b, loc, counts, combined, values[1]);
               linalg::YieldOp::create(b, loc, next);
             })
      .getResult(0);
}

/// `tensor` repeated along the dimension of the scan that it lacks.
static Value createBroadcast(OpBuilder &b, ScanOp scan, Value tensor) {
  Location loc = scan.getLoc();
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, scan.getInput()),
      getElementTypeOrSelf(tensor.getType()));
  return linalg::BroadcastOp::create(
             b, loc, tensor, init,
             ArrayRef<int64_t>(static_cast<int64_t>(scan.getDimension())))
      ->getResult(0);
}

static LogicalResult decompose(ScanOp scan) {
  OpBuilder b(scan);
  bool inclusive = scan.getInclusive();
  Value start = inclusive ? createNeutral(b, scan, scan.getInput())
                          : createBroadcast(b, scan, scan.getAccumulatorInit());
  Value total = inclusive ? createNeutral(b, scan, scan.getAccumulatorInit())
                          : scan.getAccumulatorInit();
  if (!start || !total)
    return scan.emitError(
        "combines by more than one operation, or by one without a neutral "
        "element; posenc takes running sums, products, minima and maxima");
  scan.getOutput().replaceAllUsesWith(createPrefixes(b, scan, start));
  if (!scan.getAccumulator().use_empty())
    scan.getAccumulator().replaceAllUsesWith(createTotal(b, scan, total));
  scan.erase();
  return success();
}

namespace {
class DecomposeScansPass
    : public posenc::impl::DecomposeScansPassBase<DecomposeScansPass> {
  void runOnOperation() override {
    SmallVector<ScanOp> scans;
    getOperation()->walk([&](ScanOp scan) { scans.push_back(scan); });
    for (ScanOp scan : scans)
      if (failed(decompose(scan)))
        return signalPassFailure();
  }
};
} // namespace
