//===- TMTensor.h - The op of torch-mlir that stock MLIR lacks ---*- C++
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_IMPORT_TMTENSOR_H
#define POSENC_IMPORT_TMTENSOR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "posenc/Import/TMTensorDialect.h.inc"

#define GET_OP_CLASSES
#include "posenc/Import/TMTensorOps.h.inc"

#endif // POSENC_IMPORT_TMTENSOR_H
