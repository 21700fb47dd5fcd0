//===- CommandLine.h - Options and files of posenc-compile ------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_TOOLS_POSENC_COMPILE_COMMANDLINE_H
#define POSENC_TOOLS_POSENC_COMPILE_COMMANDLINE_H

#include "posenc/Pipeline/Pipeline.h"

#include "llvm/ADT/ArrayRef.h"

namespace mlir::posenc {

/// What the command line asks for.
struct CommandLine {
  CompileOptions options;
  std::string input;
  std::string output;
  /// Folder of the IR dumps; empty: none.
  std::string dumpDir;
  /// Where remarks go; "-" is standard error.
  std::string remarks;
  bool timePhases = false;
  bool help = false;
  bool version = false;
};

/// Reads the arguments after the program's name.
llvm::Expected<CommandLine> parseCommandLine(ArrayRef<const char *> arguments);

void printHelp();

} // namespace mlir::posenc

#endif // POSENC_TOOLS_POSENC_COMPILE_COMMANDLINE_H
