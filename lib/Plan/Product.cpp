//===- Product.cpp - The loops of a matrix product ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Plan/Product.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

using namespace mlir;
using namespace mlir::posenc;

/// Whether a contraction's body multiplies, and adds to what was there, in f32
/// and does nothing else but widen what it reads.
static bool isSumOfProductsInF32(Block &body) {
  return llvm::all_of(body.getArgumentTypes(),
                      llvm::IsaPred<Float32Type, Float16Type, BFloat16Type>) &&
         llvm::all_of(body.without_terminator(), [](Operation &op) {
           return isa<arith::MulFOp, arith::AddFOp, arith::ExtFOp>(op) &&
                  op.getResult(0).getType().isF32();
         });
}

/// The row loop to tile: the last that is longer than one row, so that rows
/// share what a tile reads of b.
static unsigned chooseRow(linalg::LinalgOp op, ArrayRef<unsigned> rows) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (unsigned loop : llvm::reverse(rows))
    if (extents[loop] != 1)
      return loop;
  return rows.back();
}

FailureOr<ProductLoops> ProductLoops::of(linalg::LinalgOp op,
                                         StringRef *reason) {
  auto refuse = [&](StringRef why) {
    if (reason)
      *reason = why;
    return failure();
  };
  if (!linalg::isaContractionOpInterface(op) ||
      !isSumOfProductsInF32(*op.getBlock()))
    return refuse("it does more than sum products of f32, f16 or bf16 in f32");
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->n.size() != 1 || dims->k.size() != 1)
    return refuse(
        "it does not have one loop over columns and one over products");
  ProductLoops loops{llvm::to_vector(dims->batch), std::nullopt,
                     dims->n.front(), dims->k.front()};
  if (!dims->m.empty()) {
    loops.row = chooseRow(op, dims->m);
    for (unsigned loop : dims->m)
      if (loop != *loops.row)
        loops.outer.push_back(loop);
  }
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto last = dyn_cast<AffineDimExpr>(result.getResults().back());
  if (!last || last.getPosition() != loops.column)
    return refuse(kColumnsApart);
  return loops;
}
