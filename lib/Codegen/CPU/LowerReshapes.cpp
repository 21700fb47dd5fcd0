//===- LowerReshapes.cpp - Reshapes of several dynamic extents ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: memref.expand_shape whose group has several dynamic extents, which
// memref's own expansion does not know. After: memref.reinterpret_cast of the
// sizes that the op states.
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_LOWERRESHAPESPASS
#include "posenc/Codegen/CPU/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;

/// Whether a group of extents is to be found from more than their product.
static bool hasSeveralDynamic(memref::ExpandShapeOp op) {
  MemRefType type = op.getResultType();
  return llvm::any_of(op.getReassociationIndices(),
                      [&](const ReassociationIndices &group) {
                        return llvm::count_if(group, [&](int64_t dimension) {
                                 return type.isDynamicDim(dimension);
                               }) > 1;
                      });
}

/// The strides of the result: within a group each is the next one's, times its
/// size.
static SmallVector<OpFoldResult> getStrides(OpBuilder &b,
                                            memref::ExpandShapeOp op,
                                            ArrayRef<OpFoldResult> sizes,
                                            ArrayRef<OpFoldResult> source) {
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [group, stride] :
       llvm::zip_equal(op.getReassociationIndices(), source)) {
    OpFoldResult next = stride;
    for (int64_t dimension : llvm::reverse(group)) {
      strides[dimension] = next;
      next = affine::makeComposedFoldedAffineApply(b, op.getLoc(), s0 * s1,
                                                   {next, sizes[dimension]});
    }
  }
  return strides;
}

namespace {

struct LowerReshapesPass
    : posenc::impl::LowerReshapesPassBase<LowerReshapesPass> {
  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> reshapes;
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (hasSeveralDynamic(op))
        reshapes.push_back(op);
    });
    for (memref::ExpandShapeOp op : reshapes) {
      OpBuilder b(op);
      auto source =
          memref::ExtractStridedMetadataOp::create(b, op.getLoc(), op.getSrc());
      SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
      auto cast = memref::ReinterpretCastOp::create(
          b, op.getLoc(), op.getResultType(), source.getBaseBuffer(),
          source.getConstifiedMixedOffset(), sizes,
          getStrides(b, op, sizes, source.getConstifiedMixedStrides()));
      op.replaceAllUsesWith(cast.getResult());
      op.erase();
    }
  }
};

} // namespace
