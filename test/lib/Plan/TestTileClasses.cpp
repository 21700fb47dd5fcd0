//===- TestTileClasses.cpp - Checks bounds and tile by brute force --------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention with mask, bounds and tile. After: loops that
// compare the regions at every element, with an assertion a promise, and print
// how many elements bounds and tile classify.
//
//===----------------------------------------------------------------------===//

#include "../TestPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
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

using Predicate = arith::CmpIPredicate;

namespace {
/// Emits the check of one attention at `b`.
class Checker {
public:
  Checker(OpBuilder &b, AttentionOp op, int64_t rowBlock, int64_t keyBlock)
      : b(b), loc(op.getLoc()), op(op), rowBlock(rowBlock), keyBlock(keyBlock) {
  }

  void emit(StringRef name) {
    counters = memref::AllocaOp::create(b, loc,
                                        MemRefType::get({4}, b.getIndexType()));
    for (int64_t which = 0; which < 4; ++which)
      memref::StoreOp::create(b, loc, constant(0), counters, constant(which));
    numRows = extent(op.getQuery(), 2);
    numKeys = extent(op.getKey(), 2);
    loop(extent(op.getQuery(), 0), 1, [&](Value batch) {
      loop(extent(op.getQuery(), 1), 1, [&](Value head) {
        loop(numRows, rowBlock, [&](Value row) {
          checkBounds(batch, head, row);
          checkTiles(batch, head, row);
        });
      });
    });
    static constexpr StringLiteral kinds[] = {"outside bounds", "full range",
                                              "hidden tiles", "seen tiles"};
    vector::PrintOp::create(b, loc, (name + ":\n").str());
    for (auto [which, kind] : llvm::enumerate(kinds)) {
      vector::PrintOp::create(b, loc, ("  " + kind + " ").str());
      Value count = memref::LoadOp::create(b, loc, counters, constant(which));
      vector::PrintOp::create(b, loc, count);
    }
  }

private:
  enum Counter { Outside, Full, Hidden, Seen };

  void checkBounds(Value batch, Value head, Value row) {
    if (op.getBounds().empty())
      return;
    Value end = least(row, rowBlock, numRows);
    SmallVector<Value> bounds =
        inlineRegion(op.getBounds(), {batch, head, row, end});
    Value previous = constant(0);
    for (unsigned order : {0, 1, 2, 3}) {
      check(compare(Predicate::sle, previous, bounds[order]),
            "bounds are not nested");
      previous = bounds[order];
    }
    check(compare(Predicate::sle, previous, numKeys), "bounds exceed the keys");
    forEachElement(
        batch, head, row, constant(0), numKeys, [&](Value key, Value visible) {
          Value inside = isWithin(key, bounds[0], bounds[3]);
          Value full = isWithin(key, bounds[1], bounds[2]);
          check(implies(visible, inside), "a visible key is outside bounds");
          check(implies(full, visible), "a hidden key is in the full range");
          count(Outside, negate(inside));
          count(Full, full);
        });
  }

  void checkTiles(Value batch, Value head, Value row) {
    if (op.getTile().empty())
      return;
    Value end = least(row, rowBlock, numRows);
    loop(numKeys, keyBlock, [&](Value key) {
      Value keyEnd = least(key, keyBlock, numKeys);
      SmallVector<Value> tile =
          inlineRegion(op.getTile(), {batch, head, row, end, key, keyEnd});
      forEachElement(batch, head, row, key, keyEnd, [&](Value, Value visible) {
        check(implies(visible, tile[0]), "a visible key is in a hidden tile");
        check(implies(tile[1], visible), "a hidden key is in a seen tile");
        count(Hidden, negate(tile[0]));
        count(Seen, tile[1]);
      });
    });
  }

  void forEachElement(Value batch, Value head, Value row, Value firstKey,
                      Value endKey,
                      llvm::function_ref<void(Value, Value)> body) {
    Value rows =
        arith::SubIOp::create(b, loc, least(row, rowBlock, numRows), row);
    Value keys = arith::SubIOp::create(b, loc, endKey, firstKey);
    loop(rows, 1, [&](Value i) {
      loop(keys, 1, [&](Value j) {
        Value key = arith::AddIOp::create(b, loc, firstKey, j);
        Value at = arith::AddIOp::create(b, loc, row, i);
        Value visible =
            inlineRegion(op.getMask(), {batch, head, at, key}).front();
        body(key, visible);
      });
    });
  }

  SmallVector<Value> inlineRegion(Region &region, ValueRange arguments) {
    IRMapping map;
    map.map(region.getArguments(), arguments);
    for (Operation &inner : region.front().without_terminator())
      b.clone(inner, map);
    return llvm::map_to_vector(
        region.front().getTerminator()->getOperands(),
        [&](Value value) { return map.lookupOrDefault(value); });
  }

  void loop(Value end, int64_t step, llvm::function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(b, loc, constant(0), end, constant(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    body(loop.getInductionVar());
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value extent(Value operand, int64_t dimension) {
    return tensor::DimOp::create(b, loc, operand, dimension);
  }
  Value compare(Predicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value negate(Value condition) {
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return arith::XOrIOp::create(b, loc, condition, yes);
  }
  Value implies(Value x, Value y) {
    return arith::OrIOp::create(b, loc, negate(x), y);
  }
  Value isWithin(Value x, Value low, Value high) {
    return arith::AndIOp::create(b, loc, compare(Predicate::sle, low, x),
                                 compare(Predicate::slt, x, high));
  }
  Value least(Value first, int64_t step, Value end) {
    Value next = arith::AddIOp::create(b, loc, first, constant(step));
    return arith::MinSIOp::create(b, loc, next, end);
  }
  void check(Value condition, StringRef promise) {
    cf::AssertOp::create(b, loc, condition, promise);
  }
  void count(Counter which, Value condition) {
    Value before = memref::LoadOp::create(b, loc, counters, constant(which));
    Value one =
        arith::IndexCastUIOp::create(b, loc, b.getIndexType(), condition);
    Value after = arith::AddIOp::create(b, loc, before, one);
    memref::StoreOp::create(b, loc, after, counters, constant(which));
  }

  OpBuilder &b;
  Location loc;
  AttentionOp op;
  int64_t rowBlock, keyBlock;
  Value counters, numRows, numKeys;
};

struct TestTileClassesPass
    : PassWrapper<TestTileClassesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestTileClassesPass)

  TestTileClassesPass() = default;
  TestTileClassesPass(const TestTileClassesPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-posenc-tile-classes"; }
  StringRef getDescription() const override {
    return "replaces attention by a check of bounds and tile against mask";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    memref::MemRefDialect, scf::SCFDialect,
                    tensor::TensorDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([&](AttentionOp op) {
      OpBuilder b(op);
      Checker(b, op, rowBlock, keyBlock).emit(getOperation().getName());
      op->replaceAllUsesWith(op.getDpsInits());
      op.erase();
    });
  }

  Option<int64_t> rowBlock{*this, "row-block", llvm::cl::init(64)};
  Option<int64_t> keyBlock{*this, "key-block", llvm::cl::init(64)};
};
} // namespace

void posenc::test::registerTestTileClassesPass() {
  PassRegistration<TestTileClassesPass>();
}
