//===- FoldConstantTransposes.cpp - Weights in the order they are read ----===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: transposes of constants, done on every call. After: constants stored
// transposed.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Simplify/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_FOLDCONSTANTTRANSPOSESPASS
#include "posenc/Simplify/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;

/// The bytes of a constant whose elements are whole bytes and not one splat;
/// empty for any other.
static ArrayRef<char> getBytes(Attribute constant) {
  if (auto dense = dyn_cast<DenseElementsAttr>(constant))
    return dense.isSplat() ? ArrayRef<char>() : dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

/// `bytes`, elements of `size` bytes of a tensor of `shape`, as a blob of the
/// tensor whose axis k is axis `permutation[k]` of that.
static AsmResourceBlob transpose(ArrayRef<char> bytes, size_t size,
                                 ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> permutation) {
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(bytes.size(), /*align=*/64);
  char *to = blob.getMutableData().data();
  SmallVector<int64_t> fromStrides =
      applyPermutation(computeStrides(shape), permutation);
  SmallVector<int64_t> toStrides =
      computeStrides(applyPermutation(shape, permutation));
  for (int64_t number = 0, e = bytes.size() / size; number < e; ++number) {
    int64_t from = linearize(delinearize(number, toStrides), fromStrides);
    std::memcpy(to + number * size, bytes.data() + from * size, size);
  }
  return blob;
}

namespace {
struct FoldConstantTranspose : OpRewritePattern<linalg::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    ElementsAttr constant;
    if (!op.hasPureTensorSemantics() ||
        !matchPattern(op.getInput(), m_Constant(&constant)))
      return rewriter.notifyMatchFailure(op, "transposes no constant");
    auto type = cast<RankedTensorType>(constant.getType());
    Type elementType = type.getElementType();
    if (!elementType.isIntOrFloat() ||
        elementType.getIntOrFloatBitWidth() % 8 != 0)
      return rewriter.notifyMatchFailure(op, "elements are no whole bytes");
    size_t size = elementType.getIntOrFloatBitWidth() / 8;
    ArrayRef<char> bytes = getBytes(constant);
    if (bytes.size() != type.getNumElements() * size)
      return rewriter.notifyMatchFailure(op, "is one splat, or has no bytes");
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op,
        cast<TypedAttr>(Attribute(DenseResourceElementsAttr::get(
            result, "transposed_weight",
            transpose(bytes, size, type.getShape(), op.getPermutation())))));
    return success();
  }
};

struct FoldConstantTransposesPass
    : posenc::impl::FoldConstantTransposesPassBase<FoldConstantTransposesPass> {
  using FoldConstantTransposesPassBase::FoldConstantTransposesPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldConstantTranspose>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
