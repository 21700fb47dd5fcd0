//===- TableReads.cpp - Which entries of tables are read ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableReads.h"

#include "mlir/IR/Matchers.h"
#include "posenc/Formula/Dependence.h"

using namespace mlir;
using namespace mlir::posenc;

/// Whether the numbers that `value` takes are not known from the graph.
static bool isOpen(Value value, const ElementFormula &formula) {
  SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    if (isa<ShapedType>(values[i].getType()) ||
        matchPattern(values[i], m_Constant()))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(values[i])) {
      Region *owner = argument.getOwner()->getParent();
      auto type = cast<RankedTensorType>(formula.getTensor().getType());
      // What is no index of the formula is of a loop over constants.
      if (!formula.getRegion().isAncestor(owner) ||
          (owner == &formula.getRegion() &&
           type.isDynamicDim(argument.getArgNumber())))
        return true;
      continue;
    }
    Operation *op = values[i].getDefiningOp();
    bool readsLeaf = isa<tensor::ExtractOp, tensor::DimOp>(op) &&
                     !matchPattern(op->getOperand(0), m_Constant());
    if (readsLeaf || !formula.getRegion().isAncestor(op->getParentRegion()))
      return true;
    values.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

TableReads::TableReads(const ElementFormula &formula)
    : axes(formula.getIndices().size()), openAxes(axes.size()) {
  Region &region = formula.getRegion();
  bool areTold = axes.size() <= Dependence::kMostAxes;
  Recording<DependenceDomain> recording;
  if (areTold) {
    SmallVector<Dependence> arguments;
    for (unsigned axis = 0; axis < axes.size(); ++axis)
      arguments.push_back(Dependence::onAxis(axis));
    recording.run(region.front(), arguments);
  }
  region.walk([&](tensor::ExtractOp read) {
    if (!matchPattern(read.getTensor(), m_Constant()))
      return;
    // Inside of a loop any axis may select.
    bool mayAny = !areTold || read->getParentRegion() != &region;
    auto shape = cast<ShapedType>(read.getTensor().getType()).getShape();
    for (auto [index, size] : llvm::zip_equal(read.getIndices(), shape)) {
      llvm::SmallBitVector on(axes.size(), mayAny);
      for (unsigned axis = 0; !mayAny && axis < axes.size(); ++axis)
        on[axis] = recording.find(index)->isOnAxis(axis);
      axes |= on;
      if (!isOpen(index, formula))
        continue;
      openAxes |= on;
      openRows.push_back({index, llvm::BitVector(static_cast<unsigned>(size))});
    }
  });
}

int64_t TableReads::getMostRows() const {
  int64_t most = 0;
  for (const OpenRow &open : openRows)
    most = std::max<int64_t>(most, open.rows.size());
  return most;
}

void TableReads::note(const llvm::DenseMap<Value, Number> &numbers) {
  for (OpenRow &open : openRows) {
    Number row = numbers.lookup(open.index);
    if (row.isInteger() && row.getInteger() >= 0 &&
        row.getInteger() < static_cast<int64_t>(open.rows.size()))
      open.rows.set(static_cast<unsigned>(row.getInteger()));
  }
}

bool TableReads::isComplete() const {
  return llvm::all_of(openRows, [](const OpenRow &open) {
    int first = open.rows.find_first();
    return first >= 0 && open.rows.find_next_unset(first) < 0;
  });
}
