//===- PosEncDialect.cpp - Registration of the dialect --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionAssembly.h"
#include "CanonicalForms.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "posenc/Dialect/PosEnc/IR/TargetModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace mlir::posenc;

#include "posenc/Dialect/PosEnc/IR/PosEncAttrInterfaces.cpp.inc"
#include "posenc/Dialect/PosEnc/IR/PosEncDialect.cpp.inc"
#include "posenc/Dialect/PosEnc/IR/PosEncOpInterfaces.cpp.inc"

namespace {
/// Every op may be inlined anywhere: none depends on where it stands.
struct PosEncInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void PosEncDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "posenc/Dialect/PosEnc/IR/PosEncOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "posenc/Dialect/PosEnc/IR/Encodings.cpp.inc"
      >();
  addInterfaces<PosEncInliner>();
}

void PosEncDialect::addTarget(std::unique_ptr<TargetModel> target) {
  targets.push_back(std::move(target));
}

Operation *PosEncDialect::materializeConstant(OpBuilder &b, Attribute value,
                                              Type type, Location loc) {
  return arith::ConstantOp::materialize(b, value, type, loc);
}

#define GET_OP_CLASSES
#include "posenc/Dialect/PosEnc/IR/PosEncOps.cpp.inc"

#define GET_OP_CLASSES
#include "posenc/Dialect/PosEnc/IR/Encodings.cpp.inc"
