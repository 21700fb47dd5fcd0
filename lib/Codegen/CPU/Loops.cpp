//===- Loops.cpp - linalg on memrefs becomes loops ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: linalg ops and memref.copy on memrefs. After: scf.for nests, inside
// an scf.forall over blocks where an op is large or of run-time size.
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_LOOPSPASS
#include "posenc/Codegen/CPU/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;

namespace {

/// The loop along which most operands are contiguous; the later one of equals.
unsigned chooseInnermost(linalg::GenericOp op) {
  SmallVector<unsigned> contiguous(op.getNumLoops(), 0);
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.getNumResults() > 0)
      if (auto last = dyn_cast<AffineDimExpr>(map.getResults().back()))
        ++contiguous[last.getPosition()];
  unsigned best = op.getNumLoops() - 1;
  for (unsigned loop = op.getNumLoops(); loop-- > 0;)
    if (contiguous[loop] > contiguous[best])
      best = loop;
  return best;
}

/// The order of loops: parallel, reductions, innermost. The terms of every
/// reduction keep their order, so the result does not depend on it.
SmallVector<unsigned> chooseOrder(linalg::GenericOp op) {
  unsigned innermost = chooseInnermost(op);
  SmallVector<unsigned> order;
  auto append = [&](utils::IteratorType type) {
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      if (iterator == type &&
          (loop != innermost || type == utils::IteratorType::reduction))
        order.push_back(loop);
  };
  append(utils::IteratorType::parallel);
  append(utils::IteratorType::reduction);
  if (linalg::isParallelIterator(op.getIteratorTypesArray()[innermost]))
    order.push_back(innermost);
  return order;
}

/// Index arithmetic that folds constants.
struct IndexBuilder {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  template <typename Op> Value make(Value lhs, Value rhs) {
    return b.createOrFold<Op>(loc, lhs, rhs);
  }
  Value ceilDiv(Value lhs, Value rhs) {
    Value biased =
        make<arith::SubIOp>(make<arith::AddIOp>(lhs, rhs), constant(1));
    return make<arith::DivUIOp>(biased, rhs);
  }
  Value product(ArrayRef<Value> values) {
    Value result = constant(1);
    for (Value value : values)
      result = make<arith::MulIOp>(result, value);
    return result;
  }
};

/// The trip count where it is constant.
std::optional<int64_t> constantTrips(ArrayRef<scf::ForOp> loops) {
  int64_t trips = 1;
  for (scf::ForOp loop : loops) {
    std::optional<int64_t> bound = getConstantIntValue(loop.getUpperBound());
    if (!bound)
      return std::nullopt;
    trips *= *bound;
  }
  return trips;
}

/// Makes the outermost `count` loops of the perfect nest `loops` (from zero,
/// step one) an scf.forall over blocks of about `grain` innermost iterations.
void parallelise(RewriterBase &rewriter, MutableArrayRef<scf::ForOp> loops,
                 unsigned count, int64_t grain) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loops.front());
  IndexBuilder index{rewriter, loops.front().getLoc()};
  SmallVector<Value> outer, inner;
  for (auto [at, loop] : llvm::enumerate(loops))
    (at < count ? outer : inner).push_back(loop.getUpperBound());
  Value one = index.constant(1);
  Value rows = index.product(outer);
  Value work = index.make<arith::MaxUIOp>(index.product(inner), one);
  Value block = index.ceilDiv(index.constant(grain), work);
  Value blocks = index.ceilDiv(rows, block);

  auto forall = scf::ForallOp::create(
      rewriter, index.loc, ArrayRef<OpFoldResult>{blocks}, ValueRange{},
      /*mapping=*/std::nullopt);
  rewriter.setInsertionPointToStart(forall.getBody());
  Value begin = index.make<arith::MulIOp>(forall.getInductionVar(0), block);
  Value end =
      index.make<arith::MinUIOp>(index.make<arith::AddIOp>(begin, block), rows);
  auto loop = scf::ForOp::create(rewriter, index.loc, begin, end, one);

  rewriter.setInsertionPointToStart(loop.getBody());
  Value rest = loop.getInductionVar();
  for (unsigned at = count; at-- > 1;) {
    Value iv = index.make<arith::RemUIOp>(rest, outer[at]);
    rewriter.replaceAllUsesWith(loops[at].getInductionVar(), iv);
    rest = index.make<arith::DivUIOp>(rest, outer[at]);
  }
  rewriter.replaceAllUsesWith(loops[0].getInductionVar(), rest);
  scf::ForOp last = loops[count - 1];
  rewriter.eraseOp(last.getBody()->getTerminator());
  rewriter.inlineBlockBefore(last.getBody(), loop.getBody()->getTerminator(),
                             {rest});
  rewriter.eraseOp(loops.front());
}

LogicalResult lower(RewriterBase &rewriter, linalg::LinalgOp op,
                    int64_t grain) {
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> general =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(general))
      return op.emitError("has no loops: decompose it before bufferization");
    generic = *general;
  }
  if (generic.getNumLoops() > 1) {
    FailureOr<linalg::GenericOp> ordered =
        linalg::interchangeGenericOp(rewriter, generic, chooseOrder(generic));
    if (succeeded(ordered))
      generic = *ordered;
  }
  bool nested = generic->getParentOfType<scf::ForallOp>() != nullptr;
  SmallVector<utils::IteratorType> iterators = generic.getIteratorTypesArray();
  rewriter.setInsertionPoint(generic);
  FailureOr<linalg::LinalgLoops> nest =
      linalg::linalgOpToLoops(rewriter, generic);
  if (failed(nest))
    return generic.emitError("has no loops");
  rewriter.eraseOp(generic);

  auto loops = llvm::map_to_vector(
      *nest, [](Operation *loop) { return cast<scf::ForOp>(loop); });
  unsigned outer = 0;
  while (outer < loops.size() && linalg::isParallelIterator(iterators[outer]))
    ++outer;
  if (outer == loops.size() && outer > 1)
    --outer; // the innermost loop stays whole
  std::optional<int64_t> trips = constantTrips(loops);
  if (outer > 0 && !nested && !(trips && *trips <= grain))
    parallelise(rewriter, loops, outer, grain);
  return success();
}

struct LoopsPass : posenc::impl::LoopsPassBase<LoopsPass> {
  using LoopsPassBase::LoopsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // The lowering of copies calls a library function where one is strided.
    getOperation().walk([&](memref::CopyOp copy) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      rewriter.eraseOp(copy);
    });
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      if (failed(lower(rewriter, op, grain)))
        return signalPassFailure();
  }
};

} // namespace
