//===- posenc-compile.cpp - Compiles a graph to a library -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Output.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using namespace mlir::posenc;

static llvm::Error run(llvm::ArrayRef<const char *> arguments) {
  llvm::Expected<CommandLine> line = parseCommandLine(arguments);
  if (!line)
    return line.takeError();
  if (line->help) {
    printHelp();
    return llvm::Error::success();
  }
  if (line->version) {
    llvm::outs() << "posenc-compile " POSENC_VERSION
                    " (LLVM " LLVM_VERSION_STRING ")\n";
    return llvm::Error::success();
  }
  if (llvm::StringRef(line->input).ends_with(".onnx"))
    return llvm::createStringError(line->input +
                                   ": is an ONNX model: `posenc compile " +
                                   line->input + "` reads it");
  auto source = llvm::MemoryBuffer::getFileOrSTDIN(line->input);
  if (std::error_code error = source.getError())
    return llvm::createStringError("cannot read " + line->input + ": " +
                                   error.message());
  CompileResult result;
  if (llvm::Error error =
          compile((*source)->getBuffer(), line->input, line->options, result))
    return error;
  return writeOutputs(*line, result);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::Error error = run({argv + 1, argv + argc});
  if (!error)
    return 0;
  llvm::WithColor::error(llvm::errs(), "posenc-compile")
      << llvm::toString(std::move(error)) << "\n";
  return 1;
}
