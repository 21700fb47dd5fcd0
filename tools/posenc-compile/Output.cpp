//===- Output.cpp - Files that posenc-compile writes ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files appear under their names only when they are complete.
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::posenc;
using llvm::StringRef;

static llvm::Error writeFile(StringRef path, StringRef text) {
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &stream) {
    stream << text;
    return llvm::Error::success();
  });
  if (error)
    return llvm::createStringError("cannot write " +
                                   llvm::toString(std::move(error)));
  return llvm::Error::success();
}

static llvm::Error writeDumps(StringRef folder, const CompileResult &result) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot make " + folder + ": " +
                                   error.message());
  for (const Snapshot &snapshot : result.ir) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(
        path,
        llvm::formatv("{0}-{1}.mlir", snapshot.number, snapshot.phase).str());
    if (llvm::Error error = writeFile(path, snapshot.text))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Error writeRemarks(StringRef path, const CompileResult &result) {
  if (path != "-")
    return writeFile(path, result.remarks);
  llvm::errs() << result.remarks;
  return llvm::Error::success();
}

/// A header goes beside what can be linked.
static bool hasHeader(const CommandLine &line, const CompileResult &result) {
  ArtifactKind kind = line.options.emit;
  return !result.header.empty() && line.output != "-" &&
         (kind == ArtifactKind::Object || kind == ArtifactKind::Archive ||
          kind == ArtifactKind::SharedLibrary);
}

llvm::Error mlir::posenc::writeOutputs(const CommandLine &line,
                                       const CompileResult &result) {
  if (!line.dumpDir.empty())
    if (llvm::Error error = writeDumps(line.dumpDir, result))
      return error;
  if (!line.remarks.empty())
    if (llvm::Error error = writeRemarks(line.remarks, result))
      return error;
  if (line.timePhases)
    for (auto [phase, seconds] : result.times)
      llvm::errs() << llvm::formatv("{0,10} {1:f4} s\n", phase, seconds);
  if (llvm::Error error = writeFile(line.output, result.artifact))
    return error;
  if (!hasHeader(line, result))
    return llvm::Error::success();
  llvm::SmallString<128> header(line.output);
  llvm::sys::path::replace_extension(header, "h");
  return writeFile(header, result.header);
}
