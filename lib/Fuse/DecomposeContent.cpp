//===- DecomposeContent.cpp - Products and a formula ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: encodings that queries or keys decide. After: contractions with their
// tables and an elementwise op of them, which inline-elements moves into
// attention.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Formula/ElementFormula.h"
#include "posenc/Fuse/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_DECOMPOSECONTENTPASS
#include "posenc/Fuse/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// What an element of a decomposed op reads of what was computed for it.
struct ComputedLeaves {
  SmallVector<Value> products;
  /// As large as the result, for it has no formula of one element.
  Value whole;
};
} // namespace

static ComputedLeaves findComputed(Operation *op, Value result) {
  auto isOperand = [&](Value tensor) {
    return llvm::is_contained(op->getOperands(), tensor);
  };
  ElementFormula formula = ElementFormula::derive(result, isOperand);
  ComputedLeaves computed;
  for (Value leaf : formula.getLeaves()) {
    auto producer = leaf.getDefiningOp<linalg::LinalgOp>();
    if (!producer || isOperand(leaf))
      continue;
    if (linalg::isaContractionOpInterface(producer))
      computed.products.push_back(leaf);
    else
      computed.whole = leaf;
  }
  return computed;
}

static void report(Operation *op, Value result) {
  StringRef name = op->getName().getStringRef();
  ComputedLeaves computed = findComputed(op, result);
  if (computed.whole) {
    remarkMissed(op, "decompose-content")
        << remark::add("'{0}' is computed by itself, by way of a tensor, {1}",
                       name, computed.whole.getType())
        << remark::reason("it needs sums over whole rows of keys, which no "
                          "formula of one element holds");
    return;
  }
  if (computed.products.empty()) {
    remarkDone(op, "decompose-content")
        << remark::add("'{0}' becomes a formula that sums its products where "
                       "they are read, for its table is long",
                       name);
    return;
  }
  std::string products;
  for (Value product : computed.products)
    products += llvm::formatv("{0}{1}", products.empty() ? "" : " and ",
                              product.getType());
  remarkDone(op, "decompose-content")
      << remark::add("'{0}' becomes a formula that reads {1}, products "
                     "computed once a call",
                     name, products);
}

namespace {
struct DecomposeContentPass
    : posenc::impl::DecomposeContentPassBase<DecomposeContentPass> {
  void runOnOperation() override {
    SmallVector<linalg::AggregatedOpInterface> ops;
    getOperation().walk([&](linalg::AggregatedOpInterface op) {
      if (isa<PosEncDialect>(op->getDialect()) && !isa<AttentionOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface op : ops) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> parts = op.decomposeOperation(rewriter);
      if (failed(parts))
        return signalPassFailure();
      report(op, parts->front());
      rewriter.replaceOp(op, *parts);
    }
  }
};
} // namespace
