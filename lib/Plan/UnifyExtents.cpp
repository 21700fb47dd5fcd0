//===- UnifyExtents.cpp - Extents with one symbol become one value --------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: tensor.dim of several arguments whose dimensions have one symbol.
// After: all ask the first such dimension, so that equal computations are seen
// to be equal. The runtime refuses arguments that disagree on a symbol.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Formula/SymbolicExtent.h"
#include "posenc/Plan/Passes.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_UNIFYEXTENTSPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// The argument axis whose extent `dim` asks for, the first with its symbol;
/// none where `dim` asks for something else or has a constant extent.
static std::optional<SymbolicExtent::Factor> getExtent(tensor::DimOp dim,
                                                       Block &entry) {
  auto argument = dyn_cast<BlockArgument>(dim.getSource());
  std::optional<int64_t> axis = dim.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
  if (!argument || argument.getOwner() != &entry || !axis || !type ||
      *axis < 0 || *axis >= type.getRank() || !type.isDynamicDim(*axis))
    return std::nullopt;
  SymbolicExtent::Factor first =
      SymbolicExtent::ofAxis(argument, *axis).getFactors().front();
  auto firstType = dyn_cast<RankedTensorType>(first.value.getType());
  if (!firstType || *first.axis >= firstType.getRank())
    return std::nullopt;
  return first;
}

namespace {
struct UnifyExtentsPass : posenc::impl::UnifyExtentsPassBase<UnifyExtentsPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    Block &entry = func.getBody().front();
    SmallVector<tensor::DimOp> dims;
    func.walk([&](tensor::DimOp dim) { dims.push_back(dim); });
    llvm::DenseMap<std::pair<Value, int64_t>, Value> extents;
    for (tensor::DimOp dim : dims) {
      std::optional<SymbolicExtent::Factor> asked = getExtent(dim, entry);
      if (!asked)
        continue;
      Value &extent = extents[{asked->value, *asked->axis}];
      if (!extent) {
        // At the entry, where it dominates every other.
        OpBuilder b = OpBuilder::atBlockBegin(&entry);
        extent =
            tensor::DimOp::create(b, dim.getLoc(), asked->value, *asked->axis);
      }
      dim.replaceAllUsesWith(extent);
      dim.erase();
    }
  }
};
} // namespace
