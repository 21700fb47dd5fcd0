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

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::posenc;
using llvm::StringRef;

static llvm::Error cannotWrite(StringRef path, const llvm::Twine &reason) {
  return llvm::createStringError("cannot write " + path + ": " + reason);
}

/// Writes `text` and closes; an error of the stream must not reach its
/// destructor, which ends the process.
static std::error_code writeAndClose(llvm::raw_fd_ostream &stream,
                                     StringRef text) {
  stream << text;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

/// Writes into what stands there and stays: a pipe, a device, or what a link
/// without a file will point at.
static llvm::Error writeThrough(StringRef path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::CD_OpenAlways);
  if (!error)
    error = writeAndClose(stream, text);
  return error ? cannotWrite(path, error.message()) : llvm::Error::success();
}

/// Puts a whole file in the place of the one there, if any.
static llvm::Error replaceFile(StringRef path, StringRef text) {
  llvm::SmallString<128> target;
  if (llvm::sys::fs::real_path(path, target))
    target = path;
  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(target + ".temp-%%%%%%", 0666);
  if (!file)
    return cannotWrite(path, llvm::toString(file.takeError()));
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << text;
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  if (!error) {
    if (llvm::Error failed = file->keep(target))
      return cannotWrite(path, llvm::toString(std::move(failed)));
    return llvm::Error::success();
  }
  return llvm::joinErrors(cannotWrite(path, error.message()), file->discard());
}

static llvm::Error writeFile(StringRef path, StringRef text) {
  if (path == "-") {
    llvm::outs() << text;
    return llvm::Error::success();
  }
  bool isFile = llvm::sys::fs::is_regular_file(path);
  bool isFree =
      !llvm::sys::fs::exists(path) && !llvm::sys::fs::is_symlink_file(path);
  return isFile || isFree ? replaceFile(path, text) : writeThrough(path, text);
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

/// A header goes beside what can be linked, once that is written.
static bool hasHeader(const CommandLine &line, const CompileResult &result) {
  ArtifactKind kind = line.options.emit;
  return !result.header.empty() &&
         llvm::sys::fs::is_regular_file(line.output) &&
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
