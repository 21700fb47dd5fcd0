//===- ShapesFunction.cpp - The extents of an entry's outputs -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the graph that asks for the extents of its results only. Upstream's
// shape reification resolves them to extents of the inputs, and the graph's
// computations fall away as dead code.
//
//===----------------------------------------------------------------------===//

#include "EntrySignature.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// An extent of a result: where it is stored, and what to call it.
struct StoredExtent {
  memref::StoreOp store;
  StringAttr name;
  int64_t dimension;
};
} // namespace

/// The op by which `value` depends on more than the extents of block arguments:
/// the first in its backward slice that takes a tensor, or makes one whose
/// extent is asked for. Null where there is none.
static Operation *findDataUse(Value value) {
  llvm::SetVector<Value> slice;
  slice.insert(value);
  for (unsigned next = 0; next < slice.size(); ++next) {
    Operation *op = slice[next].getDefiningOp();
    if (!op)
      continue;
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      if (Operation *producer = dim.getSource().getDefiningOp())
        return producer;
      slice.insert(dim.getIndex());
      continue;
    }
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    if (llvm::any_of(op->getOperandTypes(), isTensor) ||
        op->getNumRegions() != 0)
      return op;
    slice.insert(op->operand_begin(), op->operand_end());
  }
  return nullptr;
}

/// Replaces the return of `shapes` by stores of the outputs' extents into the
/// last argument, and asserts that a donated result fits its input.
static SmallVector<StoredExtent> storeExtents(func::FuncOp shapes,
                                              const EntrySignature &signature) {
  Block &body = shapes.getBody().front();
  Value extents = body.addArgument(
      MemRefType::get({ShapedType::kDynamic},
                      IntegerType::get(shapes.getContext(), 64)),
      shapes.getLoc());
  auto ret = cast<func::ReturnOp>(body.getTerminator());
  OpBuilder b(ret);
  Location loc = ret.getLoc();
  SmallVector<StoredExtent> stored;
  for (auto [result, value] :
       llvm::zip_equal(signature.results, ret.getOperands())) {
    for (int64_t d = 0; d < result.type.getRank(); ++d) {
      Value extent = tensor::DimOp::create(b, loc, value, d);
      if (result.donatedInput) {
        Value room = tensor::DimOp::create(
            b, loc, body.getArgument(*result.donatedInput), d);
        Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                           extent, room);
        cf::AssertOp::create(
            b, loc, fits,
            ("result '" + result.name.getValue() + "' is written over '" +
             signature.inputs[*result.donatedInput].name.getValue() +
             "' but differs from it in dimension " + Twine(d))
                .str());
        continue;
      }
      Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), extent);
      Value at = arith::ConstantIndexOp::create(b, loc, stored.size());
      auto store = memref::StoreOp::create(b, loc, wide, extents, at);
      stored.push_back({store, result.name, d});
    }
  }
  ret.getOperandsMutable().clear();
  return stored;
}

/// Resolves extents of results to extents of arguments and drops dead code.
static void resolveExtents(func::FuncOp shapes) {
  RewritePatternSet patterns(shapes.getContext());
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, shapes.getContext());
  scf::ForallOp::getCanonicalizationPatterns(patterns, shapes.getContext());
  arith::CmpIOp::getCanonicalizationPatterns(patterns, shapes.getContext());
  cf::AssertOp::getCanonicalizationPatterns(patterns, shapes.getContext());
  // Not reaching the fixed point leaves a tensor op, which is reported then.
  (void)applyPatternsGreedily(shapes, std::move(patterns));
}

/// Shares the assertions between `func` and its copy: what depends on extents
/// only is checked by the shapes function, before any data is touched.
static void moveAssertions(func::FuncOp func, func::FuncOp shapes,
                           MutableArrayRef<cf::AssertOp> originals,
                           StringRef tag) {
  llvm::SmallBitVector kept(originals.size());
  shapes.walk([&](cf::AssertOp assertion) {
    auto number = assertion->getAttrOfType<IntegerAttr>(tag);
    assertion->removeAttr(tag);
    bool nested = assertion->getParentOp() != shapes;
    if (!nested && !findDataUse(assertion.getArg()))
      return;
    if (number)
      kept.set(number.getInt());
    assertion.erase();
  });
  for (auto [number, assertion] : llvm::enumerate(originals)) {
    assertion->removeAttr(tag);
    if (!kept.test(number))
      assertion.erase();
  }
}

/// Refuses outputs whose extents are not known before their data.
static LogicalResult verifyExtents(func::FuncOp func,
                                   MutableArrayRef<StoredExtent> stored) {
  for (StoredExtent &extent : stored)
    if (Operation *op = findDataUse(extent.store.getValue()))
      return func.emitError()
             << "cannot compute dimension " << extent.dimension
             << " of result '" << extent.name.getValue() << "' of '"
             << func.getName() << "' from the extents of its inputs: '"
             << op->getName()
             << "' makes it depend on data; give the graph a static or "
                "symbolic extent there";
  return success();
}

LogicalResult posenc::buildShapesFunction(func::FuncOp func,
                                          const EntrySignature &signature) {
  static constexpr StringLiteral tag = "posenc.assertion";
  SmallVector<cf::AssertOp> originals;
  Builder b(func.getContext());
  func.walk([&](cf::AssertOp assertion) {
    assertion->setAttr(tag, b.getI64IntegerAttr(originals.size()));
    originals.push_back(assertion);
  });

  func::FuncOp shapes = func.clone();
  func->getParentRegion()->front().getOperations().insert(func->getIterator(),
                                                          shapes);
  shapes.setName((func.getName() + kShapesSuffix).str());
  SmallVector<StoredExtent> stored = storeExtents(shapes, signature);
  Block &body = shapes.getBody().front();
  shapes.setFunctionType(b.getFunctionType(body.getArgumentTypes(), {}));
  shapes.setAllArgAttrs(
      SmallVector<Attribute>(body.getNumArguments(), b.getDictionaryAttr({})));
  shapes.setAllResultAttrs(ArrayRef<Attribute>());
  shapes->setAttr(kShapesAttr, b.getUnitAttr());

  resolveExtents(shapes);
  moveAssertions(func, shapes, originals, tag);
  if (failed(verifyExtents(func, stored)))
    return failure();
  IRRewriter rewriter(func.getContext());
  // What the regions of a dead op capture falls in the round after it.
  while (succeeded(runRegionDCE(rewriter, shapes->getRegions())))
    ;

  for (auto [argument, input] :
       llvm::zip(body.getArguments(), signature.inputs)) {
    argument.setType(getEntryMemRefType(input.type));
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      auto dim = dyn_cast<tensor::DimOp>(user);
      if (!dim)
        return func.emitError()
               << "cannot compute the extents of the results of '"
               << func.getName() << "' before their data: '" << user->getName()
               << "' is or feeds an op with effects beyond its results; take "
                  "that op out";
      rewriter.setInsertionPoint(dim);
      rewriter.replaceOpWithNewOp<memref::DimOp>(dim, argument, dim.getIndex());
    }
  }
  shapes.setFunctionType(b.getFunctionType(body.getArgumentTypes(), {}));
  return success();
}
