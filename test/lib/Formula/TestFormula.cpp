//===- TestFormula.cpp - Evaluates element formulas -----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: ops with an element formula, of constant operands and static results.
// After: each replaced by the constant that its formula evaluates to in the
// Number domain, so that a test can compare it with a reference.
//
//===----------------------------------------------------------------------===//

#include "../TestPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/ElementFormula.h"
#include "posenc/Formula/Number.h"
#include "posenc/Formula/RegionInterpreter.h"

using namespace mlir;
using namespace mlir::posenc;

/// `number` as an attribute of `type`; null if it is not known.
static Attribute getAttribute(Number number, Type type) {
  if (number.isInteger())
    return IntegerAttr::get(type, number.getInteger());
  if (number.isReal())
    return FloatAttr::get(type, number.getReal());
  return {};
}

/// Indices of the element after the one at `at`, in row-major order.
static void advance(SmallVectorImpl<int64_t> &at, ArrayRef<int64_t> shape) {
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    if (++at[dim] < shape[dim])
      return;
    at[dim] = 0;
  }
}

/// Every element of `tensor`, of static shape; an error where one is not known.
static FailureOr<DenseElementsAttr> evaluate(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  ElementFormula formula = ElementFormula::derive(
      tensor, [&](Value other) { return other != tensor; });
  NumberDomain domain;
  SmallVector<Attribute> elements;
  SmallVector<int64_t> at(type.getRank(), 0);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    auto indices = llvm::map_to_vector(at, Number::ofInteger);
    Number element = interpret(formula.getRegion(), indices, domain).front();
    elements.push_back(getAttribute(element, type.getElementType()));
    if (!elements.back()) {
      InFlightDiagnostic error = emitError(tensor.getLoc())
                                 << "the formula has no number at [";
      llvm::interleaveComma(at, error);
      return error << "]";
    }
    advance(at, type.getShape());
  }
  return DenseElementsAttr::get(type, elements);
}

namespace {
struct TestFormulaPass
    : PassWrapper<TestFormulaPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestFormulaPass)

  StringRef getArgument() const final { return "test-posenc-formula"; }
  StringRef getDescription() const final {
    return "replace every op with an element formula by the constant that its "
           "formula evaluates to";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, PosEncDialect>();
  }

  void runOnOperation() final {
    auto evaluated =
        getOperation().walk([](FormulaOpInterface op) -> WalkResult {
          Value result = op->getResult(0);
          FailureOr<DenseElementsAttr> elements = evaluate(result);
          if (failed(elements))
            return failure();
          OpBuilder b(op);
          result.replaceAllUsesWith(
              arith::ConstantOp::create(b, op.getLoc(), *elements));
          op->erase();
          return success();
        });
    if (evaluated.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

void mlir::posenc::test::registerTestFormulaPass() {
  PassRegistration<TestFormulaPass>();
}
