//===- ElementFormula.cpp - The walk from a tensor to its leaves ----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk rewrites element reads: a tensor.extract of a tensor whose producer
// has a formula is replaced by that formula, whose own reads are rewritten in
// turn, until only reads of leaves are left.
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/ElementFormula.h"

#include "ProducerFormula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include <map>

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Notes the element reads that a formula is made of, and passes every
/// notification on to the listener of the builder it stands in for.
struct ReadRecorder : RewriterBase::ForwardingListener {
  using ForwardingListener::ForwardingListener;

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (auto read = dyn_cast<tensor::ExtractOp>(op))
      reads.push_back(read);
    ForwardingListener::notifyOperationInserted(op, previous);
  }

  SmallVector<tensor::ExtractOp> reads;
};

class Walker {
public:
  Walker(OpBuilder &builder, IsLeaf isLeaf)
      : recorder(builder.getListener()), b(builder), isLeaf(isLeaf) {
    b.setListener(&recorder);
  }

  Value emit(Value tensor, ValueRange at, Location loc) {
    Value element = tensor::ExtractOp::create(b, loc, tensor, at);
    pushReads();
    while (!pending.empty()) {
      tensor::ExtractOp read = pending.pop_back_val();
      bool isElement = read.getResult() == element;
      Value replacement = replace(read);
      if (isElement && replacement)
        element = replacement;
    }
    return element;
  }

private:
  /// The new reads, the first on top: reads are replaced in program order, so
  /// that an earlier formula dominates later reads of the same element.
  void pushReads() {
    pending.append(recorder.reads.rbegin(), recorder.reads.rend());
    recorder.reads.clear();
  }

  /// Replaces `read` by the formula of its element; null if it is of a leaf.
  Value replace(tensor::ExtractOp read) {
    if (isLeaf(read.getTensor()))
      return {};
    auto [known, isNew] = formulas.try_emplace(getKey(read));
    if (isNew) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(read);
      known->second = emitProducerElement(b, read.getLoc(), read.getTensor(),
                                          read.getIndices());
      pushReads();
    }
    Value replacement = known->second;
    if (!replacement)
      return {};
    // Where a formula is just a read, it may be this one.
    for (auto &[key, formula] : formulas)
      if (formula == read.getResult())
        formula = replacement;
    read.getResult().replaceAllUsesWith(replacement);
    read->erase();
    return replacement;
  }

  /// What makes two reads the same: block, tensor and indices.
  static SmallVector<const void *> getKey(tensor::ExtractOp read) {
    SmallVector<const void *> key = {read->getBlock()};
    for (Value operand : read->getOperands())
      key.push_back(operand.getAsOpaquePointer());
    return key;
  }

  ReadRecorder recorder;
  OpBuilder b;
  IsLeaf isLeaf;
  SmallVector<tensor::ExtractOp> pending;
  std::map<SmallVector<const void *>, Value> formulas;
};
} // namespace

Value posenc::emitElement(Value tensor, ValueRange at, OpBuilder &b,
                          Location loc, IsLeaf isLeaf) {
  return Walker(b, isLeaf).emit(tensor, at, loc);
}

ElementFormula ElementFormula::derive(Value tensor, IsLeaf isLeaf) {
  ElementFormula formula(tensor);
  Location loc = tensor.getLoc();
  OpBuilder b(tensor.getContext());
  Block *block = b.createBlock(formula.region.get());
  for (int64_t i = 0, e = cast<RankedTensorType>(tensor.getType()).getRank();
       i < e; ++i)
    block->addArgument(b.getIndexType(), loc);
  Value element = emitElement(tensor, block->getArguments(), b, loc, isLeaf);
  YieldOp::create(b, loc, element);
  block->walk([&](tensor::ExtractOp read) {
    if (!matchPattern(read.getTensor(), m_Constant()))
      formula.leaves.insert(read.getTensor());
  });
  return formula;
}

Value ElementFormula::getElement() const {
  return region->front().getTerminator()->getOperand(0);
}
