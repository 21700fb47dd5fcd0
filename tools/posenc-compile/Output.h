//===- Output.h - Files that posenc-compile writes --------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_TOOLS_POSENC_COMPILE_OUTPUT_H
#define POSENC_TOOLS_POSENC_COMPILE_OUTPUT_H

#include "CommandLine.h"

namespace mlir::posenc {

/// Writes the artifact, its header, dumps and remarks, each file whole or not
/// at all.
llvm::Error writeOutputs(const CommandLine &line, const CompileResult &result);

} // namespace mlir::posenc

#endif // POSENC_TOOLS_POSENC_COMPILE_OUTPUT_H
