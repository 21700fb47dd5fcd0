//===- Libraries.cpp - Shared and static libraries ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Object files become a library, or one object: by lld, in this process, and by
// LLVM's archive writer and objcopy.
//
//===----------------------------------------------------------------------===//

#include "posenc/Object/Artifact.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace mlir::posenc;

/// Runs lld. Its state is global: one at a time, and no more once it has
/// crashed.
static llvm::Error runLinker(ArrayRef<std::string> arguments) {
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable)
    return llvm::createStringError("the linker crashed before: start a new "
                                   "process, or emit an object file (.o)");
  SmallVector<const char *> argv = {"ld.lld"};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string output, errors;
  llvm::raw_string_ostream outputStream(output), errorStream(errors);
  lld::Result result = lld::lldMain(argv, outputStream, errorStream,
                                    {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return llvm::createStringError("cannot link: " +
                                   StringRef(errors).split('\n').first);
  return llvm::Error::success();
}

/// A file that is gone when this object is.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(StringRef suffix,
                                              StringRef bytes) {
    SmallString<128> path;
    int descriptor;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile(
            "posenc", suffix, descriptor, path))
      return llvm::createStringError(error,
                                     "no temporary file: " + error.message());
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << bytes;
    stream.close();
    if (std::error_code error = stream.error()) {
      stream.clear_error();
      llvm::sys::fs::remove(path);
      return llvm::createStringError(error, "cannot write " + path + ": " +
                                                error.message());
    }
    return TemporaryFile(path);
  }

  std::string path() const { return remover->getPath(); }

private:
  struct Remover {
    explicit Remover(StringRef path) : path(path) {}
    ~Remover() { llvm::sys::fs::remove(path); }
    std::string getPath() const { return path; }
    std::string path;
  };
  explicit TemporaryFile(StringRef path)
      : remover(std::make_unique<Remover>(path)) {}

  std::unique_ptr<Remover> remover;
};

static llvm::Expected<std::string> readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (std::error_code error = buffer.getError())
    return llvm::createStringError(error, "cannot read " + path + ": " +
                                              error.message());
  return (*buffer)->getBuffer().str();
}

/// Runs lld on `objects` and returns the file it writes.
static llvm::Expected<std::string> linkFiles(ArrayRef<StringRef> objects,
                                             ArrayRef<std::string> arguments) {
  SmallVector<TemporaryFile> inputs;
  SmallVector<std::string> command(arguments);
  for (StringRef object : objects) {
    llvm::Expected<TemporaryFile> input = TemporaryFile::create("o", object);
    if (!input)
      return input.takeError();
    command.push_back(input->path());
    inputs.push_back(std::move(*input));
  }
  llvm::Expected<TemporaryFile> output = TemporaryFile::create("out", "");
  if (!output)
    return output.takeError();
  command.append({"-o", output->path()});
  if (llvm::Error error = runLinker(command))
    return error;
  return readFile(output->path());
}

llvm::Expected<std::string>
posenc::linkSharedLibrary(ArrayRef<StringRef> objects,
                          const llvm::Triple &triple,
                          const ObjectOptions &options) {
  SmallVector<std::string> arguments = {
      "-shared",          "--gc-sections",   "-O2",
      "--hash-style=gnu", "--build-id=none", "-znow",
      "-zrelro",          "--threads=1",     "-soname=" + options.libraryName};
  std::optional<TemporaryFile> openmp;
  if (options.threads == RuntimeThreads::OpenMP) {
    // An empty library of that name: the linker takes only the name from it, so
    // that the machine that compiles needs no OpenMP.
    llvm::Expected<TemporaryFile> stub = TemporaryFile::create("so", "");
    if (!stub)
      return stub.takeError();
    llvm::Expected<TemporaryFile> script = TemporaryFile::create("ld", "");
    if (!script)
      return script.takeError();
    if (llvm::Error error = runLinker(
            {"-shared", "-m", triple.isX86() ? "elf_x86_64" : "aarch64linux",
             "-soname=libomp.so.5", script->path(), "-o", stub->path()}))
      return error;
    openmp = std::move(*stub);
    arguments.push_back(openmp->path());
  }
  return linkFiles(objects, arguments);
}

/// Makes hidden symbols local: an object shows those to the rest of a program.
static llvm::Expected<std::string> localizeHidden(StringRef object) {
  llvm::Expected<std::unique_ptr<llvm::object::Binary>> binary =
      llvm::object::createBinary(llvm::MemoryBufferRef(object, "object"));
  if (!binary)
    return binary.takeError();
  llvm::objcopy::ConfigManager config;
  config.ELF.LocalizeHidden = true;
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (llvm::Error error =
          llvm::objcopy::executeObjcopyOnBinary(config, **binary, stream))
    return error;
  return std::string(bytes.begin(), bytes.end());
}

llvm::Expected<std::string> posenc::mergeObjects(ArrayRef<StringRef> objects,
                                                 ArrayRef<std::string> shown) {
  SmallVector<std::string> arguments = {"-r", "--gc-sections", "--threads=1"};
  for (StringRef symbol : shown)
    arguments.push_back("--undefined=" + symbol.str());
  llvm::Expected<std::string> merged = linkFiles(objects, arguments);
  if (!merged)
    return merged;
  return localizeHidden(*merged);
}

llvm::Expected<std::string> posenc::archiveObject(StringRef object) {
  llvm::NewArchiveMember member(
      llvm::MemoryBufferRef(object, "posenc_graph.o"));
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive =
      llvm::writeArchiveToBuffer(member, llvm::SymtabWritingMode::NormalSymtab,
                                 llvm::object::Archive::K_GNU,
                                 /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return (*archive)->getBuffer().str();
}
