//===- LowerAsserts.cpp - Asserts call the runtime ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: cf.assert. After: calls of posenc_rt_assert, which records the
// message instead of aborting the process.
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_LOWERASSERTSPASS
#include "posenc/Codegen/CPU/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;

namespace {

struct LowerAssertsPass : posenc::impl::LowerAssertsPassBase<LowerAssertsPass> {
  void runOnOperation() override {
    SmallVector<cf::AssertOp> asserts;
    getOperation().walk([&](cf::AssertOp op) { asserts.push_back(op); });
    if (asserts.empty())
      return;
    func::FuncOp callee = declareAssert();
    for (auto [number, op] : llvm::enumerate(asserts)) {
      OpBuilder b(op);
      std::string text = op.getMsg().str();
      text.push_back('\0');
      Value message = LLVM::createGlobalString(
          op.getLoc(), b, ("posenc_assert_" + Twine(number)).str(), text,
          LLVM::Linkage::Internal);
      func::CallOp::create(b, op.getLoc(), callee,
                           ValueRange{op.getArg(), message});
      op.erase();
    }
  }

  /// `void posenc_rt_assert(bool ok, const char *message)`.
  func::FuncOp declareAssert() {
    OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    auto function =
        func::FuncOp::create(b, getOperation().getLoc(), "posenc_rt_assert",
                             b.getFunctionType({b.getI1Type(), pointer}, {}));
    function.setPrivate();
    // C passes a bool as a whole register.
    function.setArgAttr(0, LLVM::LLVMDialect::getZExtAttrName(),
                        b.getUnitAttr());
    return function;
  }
};

} // namespace
