//===- PosEnc.h - The PosEnc dialect ----------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_POSENC_H
#define POSENC_DIALECT_POSENC_IR_POSENC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "posenc/Dialect/PosEnc/IR/AttentionRegions.h"
#include "posenc/Dialect/PosEnc/IR/PairFrequency.h"

namespace mlir::posenc {
class ElementFormula;
class TargetModel;
} // namespace mlir::posenc

#include "posenc/Dialect/PosEnc/IR/PosEncDialect.h.inc"
#include "posenc/Dialect/PosEnc/IR/PosEncEnums.h.inc"

#include "posenc/Dialect/PosEnc/IR/PosEncAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "posenc/Dialect/PosEnc/IR/PosEncAttrs.h.inc"

#include "posenc/Dialect/PosEnc/IR/PosEncOpInterfaces.h.inc"

#define GET_OP_CLASSES
#include "posenc/Dialect/PosEnc/IR/PosEncOps.h.inc"

#endif // POSENC_DIALECT_POSENC_IR_POSENC_H
