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
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Dialect/PosEnc/IR/AttentionDependences.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
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
  /// What an expensive tensor is made of may be expensive in its stead: of a
  /// table that is computed and then gathered from, the table.
  bool isExpensiveToCompute(Value tensor) {
    ElementFormula formula = ElementFormula::derive(tensor, [&](Value operand) {
      return operand != tensor && isLeaf(operand);
    });
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
      Value tensor = read.getTensor();
      if (policy.isLeaf(tensor))
        continue;
      OpBuilder b(read);
      Value element =
          emitElement(tensor, read.getIndices(), b, read.getLoc(),
                      [&](Value tensor) { return policy.isLeaf(tensor); });
      reportInlined(op, tensor, element, policy);
      read.getResult().replaceAllUsesWith(element);
      read->erase();
    }
    reportLeaves(op, policy);
  }

  /// Names the encodings that `element` of `tensor` is computed by, or its
  /// producer where there are none.
  static void reportInlined(AttentionOp op, Value tensor, Value element,
                            LeafPolicy &policy) {
    llvm::SetVector<Operation *> producers, encodings;
    if (Operation *producer = tensor.getDefiningOp())
      producers.insert(producer);
    for (size_t i = 0; i < producers.size(); ++i) {
      if (isa<FormulaOpInterface>(producers[i]))
        encodings.insert(producers[i]);
      // The formula ends at what sums.
      auto sum = dyn_cast<linalg::LinalgOp>(producers[i]);
      if (isa<AttentionOp>(producers[i]) ||
          (sum && sum.getNumReductionLoops() > 0))
        continue;
      for (Value operand : producers[i]->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && isa<RankedTensorType>(operand.getType()) &&
            !policy.isLeaf(operand))
          producers.insert(producer);
    }
    // What is only moved is still read.
    bool isMoved = element.getDefiningOp<tensor::ExtractOp>();
    if (encodings.empty() && !producers.empty() && !isMoved)
      encodings.insert(producers.front());
    for (Operation *encoding : encodings)
      remarkDone(encoding, "inline-elements")
          << remark::add("'{0}' fused into {1}",
                         encoding->getName().getStringRef(), nameWithPlace(op));
  }

  /// A tensor over rows and keys that is still read is a missed fusion.
  static void reportLeaves(AttentionOp op, LeafPolicy &policy) {
    llvm::SetVector<Value> leaves;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      Dependences dependences(region);
      region.walk([&](tensor::ExtractOp read) {
        if (policy.hasSeveralLongAxes(read.getTensor()) &&
            isOfRowAndKey(read, dependences) && !isOfColumn(read))
          leaves.insert(read.getTensor());
      });
    }
    for (Value tensor : leaves)
      reportLeaf(op, tensor);
  }

  /// Whether `read` is of a product at a column that a formula computes: then
  /// its columns are rows of a table, not keys.
  static bool isOfColumn(tensor::ExtractOp read) {
    auto product = read.getTensor().getDefiningOp<linalg::LinalgOp>();
    return product && linalg::isaContractionOpInterface(product) &&
           !ShapedType::isDynamic(
               read.getTensor().getType().getShape().back()) &&
           read.getIndices().back().getDefiningOp();
  }

  /// Whether `read` has one index of the row and another of the key.
  static bool isOfRowAndKey(tensor::ExtractOp read,
                            const Dependences &dependences) {
    unsigned indices = 0;
    for (Value index : read.getIndices()) {
      auto argument = dyn_cast<BlockArgument>(index);
      auto loop = argument
                      ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                      : scf::ForOp();
      if (!loop || argument != loop.getInductionVar())
        indices |= dependences.of(index).getIndices();
    }
    return (indices & Dependence::Row) && (indices & Dependence::Key);
  }

  static void reportLeaf(AttentionOp op, Value tensor) {
    Operation *producer = tensor.getDefiningOp();
    bool isConstant = matchPattern(tensor, m_Constant());
    std::string what = nameOf(tensor);
    if (!producer || isConstant)
      remarkMissed(op, "inline-elements")
          << remark::add("'{0}' reads {1}, {2}, an element a score",
                         op->getName().getStringRef(), what, tensor.getType())
          << remark::reason(isConstant
                                ? "an exporter baked it for these lengths, and "
                                  "no encoding was recognised in its numbers"
                                : "what an argument holds is known at run time "
                                  "only")
          << remark::suggest("compute it in the graph to have it fused");
    else
      remarkMissed(producer, "inline-elements")
          << remark::add("'{0}' stays a tensor, {1}, that {2} reads",
                         producer->getName().getStringRef(), tensor.getType(),
                         nameWithPlace(op))
          << remark::reason("'{0}' has no formula of one element",
                            producer->getName().getStringRef())
          << remark::suggest("compute it elementwise to have it fused");
  }
};
} // namespace
