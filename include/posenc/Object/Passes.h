//===- Passes.h - The phase Object ------------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the phase: the LLVM dialect. After its pass: the same with the C
// functions of the library; posenc/Object/Artifact.h makes files of it.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_PASSES_H
#define POSENC_OBJECT_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::posenc {

#define GEN_PASS_DECL
#include "posenc/Object/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "posenc/Object/Passes.h.inc"

} // namespace mlir::posenc

#endif // POSENC_OBJECT_PASSES_H
