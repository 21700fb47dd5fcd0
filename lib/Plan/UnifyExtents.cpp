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
#include "posenc/Plan/EntryAbi.h"
#include "posenc/Plan/Passes.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_UNIFYEXTENTSPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// The symbol of the extent that `dim` asks for; empty for none.
static StringRef getSymbol(tensor::DimOp dim, func::FuncOp func) {
  auto argument = dyn_cast<BlockArgument>(dim.getSource());
  std::optional<int64_t> dimension = dim.getConstantIndex();
  if (!argument || argument.getOwner() != &func.getBody().front() || !dimension)
    return "";
  auto symbols =
      func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kSymbolsAttr);
  if (!symbols || *dimension < 0 ||
      *dimension >= static_cast<int64_t>(symbols.size()))
    return "";
  auto symbol = dyn_cast<StringAttr>(symbols[*dimension]);
  return symbol ? symbol.getValue() : "";
}

namespace {
struct UnifyExtentsPass : posenc::impl::UnifyExtentsPassBase<UnifyExtentsPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    llvm::StringMap<Value> extents;
    SmallVector<tensor::DimOp> dims;
    func.walk([&](tensor::DimOp dim) { dims.push_back(dim); });
    for (tensor::DimOp dim : dims) {
      StringRef symbol = getSymbol(dim, func);
      if (symbol.empty())
        continue;
      Value &extent = extents[symbol];
      if (!extent) {
        // At the entry, where it dominates every other.
        OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
        extent = tensor::DimOp::create(b, dim.getLoc(), dim.getSource(),
                                       *dim.getConstantIndex());
      }
      dim.replaceAllUsesWith(extent);
      dim.erase();
    }
  }
};
} // namespace
