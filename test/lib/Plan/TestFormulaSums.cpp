//===- TestFormulaSums.cpp - Evaluates attention's regions ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention. After: loops that evaluate score, rotate_query and
// rotate_key at every element and print a weighted sum of each, so that the
// regions before and after a pass can be compared by running both.
//
//===----------------------------------------------------------------------===//

#include "../TestPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

/// Adds what `region` yields for `indices`, each result with a weight of its
/// own that differs from element to element, to the f64 in `sum`.
static void addElement(OpBuilder &b, Location loc, Region &region,
                       ArrayRef<Value> indices, Value sum) {
  IRMapping map;
  unsigned next = 0;
  for (BlockArgument argument : region.getArguments())
    map.map(argument, argument.getType().isIndex()
                          ? indices[next++]
                          : Value(arith::ConstantOp::create(
                                b, loc, b.getF32FloatAttr(0.5f))));
  for (Operation &op : region.front().without_terminator())
    b.clone(op, map);
  Value weight = arith::ConstantIndexOp::create(b, loc, 1);
  for (Value index : indices) {
    Value prime = arith::ConstantIndexOp::create(b, loc, 7);
    weight = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, weight, prime), index);
  }
  Value total = memref::LoadOp::create(b, loc, sum);
  for (Value yielded : region.front().getTerminator()->getOperands()) {
    Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(),
                                       map.lookupOrDefault(yielded));
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), weight);
    Value factor = arith::SIToFPOp::create(b, loc, b.getF64Type(), integer);
    total = arith::AddFOp::create(b, loc, total,
                                  arith::MulFOp::create(b, loc, wide, factor));
    weight = arith::AddIOp::create(b, loc, weight, weight);
  }
  memref::StoreOp::create(b, loc, total, sum);
}

/// Loops over `extents`, then adds the element.
static void sumElements(OpBuilder &b, Location loc, Region &region,
                        ArrayRef<Value> extents, SmallVector<Value> &indices,
                        Value sum) {
  if (indices.size() == extents.size())
    return addElement(b, loc, region, indices, sum);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, zero, extents[indices.size()], one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  indices.push_back(loop.getInductionVar());
  sumElements(b, loc, region, extents, indices, sum);
  indices.pop_back();
}

static void printSum(OpBuilder &b, AttentionOp op, Region &region,
                     StringRef name, ArrayRef<Value> extents) {
  if (region.empty())
    return;
  Location loc = op.getLoc();
  Value sum =
      memref::AllocaOp::create(b, loc, MemRefType::get({}, b.getF64Type()));
  memref::StoreOp::create(
      b, loc, arith::ConstantOp::create(b, loc, b.getF64FloatAttr(0.0)), sum);
  SmallVector<Value> indices;
  sumElements(b, loc, region, extents, indices, sum);
  vector::PrintOp::create(b, loc, (name + " ").str());
  vector::PrintOp::create(b, loc, Value(memref::LoadOp::create(b, loc, sum)));
}

namespace {
struct TestFormulaSumsPass
    : PassWrapper<TestFormulaSumsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestFormulaSumsPass)

  StringRef getArgument() const override { return "test-posenc-formula-sums"; }
  StringRef getDescription() const override {
    return "replaces attention by weighted sums of its regions, printed";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, memref::MemRefDialect, scf::SCFDialect,
                    tensor::TensorDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([&](AttentionOp op) {
      OpBuilder b(op);
      auto extent = [&](Value operand, Layout layout, int64_t axis) -> Value {
        return tensor::DimOp::create(b, op.getLoc(), operand,
                                     AttentionOp::getAxis(layout, axis));
      };
      auto query = [&](int64_t axis) {
        return extent(op.getQuery(), op.getQueryLayout(), axis);
      };
      auto key = [&](int64_t axis) {
        return extent(op.getKey(), op.getKeyLayout(), axis);
      };
      auto pairs = [&](std::optional<LanesAttr> lanes) -> Value {
        return arith::ConstantIndexOp::create(b, op.getLoc(),
                                              lanes ? lanes->getNumPairs() : 0);
      };
      printSum(b, op, op.getScore(), "score",
               {query(0), query(1), query(2), key(2)});
      printSum(b, op, op.getRotateQuery(), "rotate_query",
               {query(0), query(1), query(2), pairs(op.getQueryLanes())});
      printSum(b, op, op.getRotateKey(), "rotate_key",
               {key(0), key(1), key(2), pairs(op.getKeyLanes())});
      op->replaceAllUsesWith(op.getDpsInits());
      op.erase();
    });
  }
};
} // namespace

void posenc::test::registerTestFormulaSumsPass() {
  PassRegistration<TestFormulaSumsPass>();
}
