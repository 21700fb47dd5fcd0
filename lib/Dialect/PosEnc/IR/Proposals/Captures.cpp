//===- Captures.cpp - Integers a formula takes from outside ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Captures.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::posenc;

Value posenc::findOffset(const ElementFormula &seen,
                         MutableArrayRef<Assignment> assignments,
                         ArrayRef<int64_t> numbers) {
  OpBuilder b(seen.getTensor().getContext());
  b.setInsertionPointAfterValue(seen.getTensor());
  if (llvm::all_equal(numbers))
    return arith::ConstantIndexOp::create(b, seen.getTensor().getLoc(),
                                          numbers.front());
  Value found;
  seen.getRegion().walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (found || !operand.getType().isIndex() ||
          operand.getParentRegion() == &seen.getRegion())
        continue;
      bool agrees = true;
      for (auto [assignment, number] : llvm::zip_equal(assignments, numbers)) {
        Number drawn = assignment.getScalar(operand);
        agrees &= drawn.isInteger() && drawn.getInteger() == number;
      }
      if (agrees)
        found = operand;
    }
  });
  return found;
}
