//===- InlineElements.cpp - Formulas instead of element reads -------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: regions of attention that read whole bias and mask tensors. After:
// regions that compute the element from the tensors those came from.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/ElementFormula.h"
#include "posenc/Formula/FormulaOps.h"
#include "posenc/Fuse/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_INLINEELEMENTSPASS
#include "posenc/Fuse/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Decides which tensors the regions of one attention go on reading.
class LeafPolicy {
public:
  explicit LeafPolicy(AttentionOp op) {
    int64_t rows =
        AttentionOp::getShapeBHLD(op.getQuery(), op.getQueryLayout())[2];
    int64_t keys = AttentionOp::getShapeBHLD(op.getKey(), op.getKeyLayout())[2];
    longExtent = std::min(ShapedType::isDynamic(rows) ? INT64_MAX : rows,
                          ShapedType::isDynamic(keys) ? INT64_MAX : keys);
  }

  bool isLeaf(Value tensor) {
    auto [known, isNew] = leaves.try_emplace(tensor, false);
    if (!isNew)
      return known->second;
    bool leaf = !hasSeveralLongAxes(tensor) && isExpensiveToCompute(tensor);
    return leaves[tensor] = leaf;
  }

  bool hasSeveralLongAxes(Value tensor) const {
    return llvm::count_if(cast<RankedTensorType>(tensor.getType()).getShape(),
                          [&](int64_t extent) {
                            return ShapedType::isDynamic(extent) ||
                                   extent >= longExtent;
                          }) > 1;
  }

private:
  static bool isExpensiveToCompute(Value tensor) {
    ElementFormula formula = ElementFormula::derive(tensor);
    return formula.getRegion()
        .walk([](Operation *op) {
          return isCostlierThanRead(op) ? WalkResult::interrupt()
                                        : WalkResult::advance();
        })
        .wasInterrupted();
  }

  int64_t longExtent;
  llvm::DenseMap<Value, bool> leaves;
};

struct InlineElementsPass
    : posenc::impl::InlineElementsPassBase<InlineElementsPass> {
  using InlineElementsPassBase::InlineElementsPassBase;

  void runOnOperation() override {
    getOperation().walk([](AttentionOp op) {
      if (op.hasTensorSemantics())
        inlineElements(op);
    });
  }

private:
  static void inlineElements(AttentionOp op) {
    LeafPolicy policy(op);
    SmallVector<tensor::ExtractOp> reads;
    op->walk([&](tensor::ExtractOp read) { reads.push_back(read); });
    for (tensor::ExtractOp read : reads) {
      if (policy.isLeaf(read.getTensor()))
        continue;
      OpBuilder b(read);
      Value element =
          emitElement(read.getTensor(), read.getIndices(), b, read.getLoc(),
                      [&](Value tensor) { return policy.isLeaf(tensor); });
      read.getResult().replaceAllUsesWith(element);
      read->erase();
    }
    reportLeaves(op, policy);
  }

  /// A computed tensor over rows and keys that stays is a missed fusion.
  static void reportLeaves(AttentionOp op, LeafPolicy &policy) {
    llvm::SetVector<Value> missed;
    op->walk([&](tensor::ExtractOp read) {
      Value tensor = read.getTensor();
      if (tensor.getDefiningOp() && !matchPattern(tensor, m_Constant()) &&
          policy.hasSeveralLongAxes(tensor))
        missed.insert(tensor);
    });
    for (Value tensor : missed)
      remark::missed(
          tensor.getLoc(),
          remark::RemarkOpts::name("BiasNotInlined").category("posenc"))
          << remark::reason("'{0}' has no formula of one element",
                            tensor.getDefiningOp()->getName().getStringRef());
  }
};
} // namespace
