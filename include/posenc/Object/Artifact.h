//===- Artifact.h - Files from a compiled module ----------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LLVM dialect becomes LLVM IR, is linked with the runtime, optimised, and
// written as one of several kinds of file, in memory.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_ARTIFACT_H
#define POSENC_OBJECT_ARTIFACT_H

#include "posenc/Object/Entry.h"
#include "posenc/Object/RuntimeCode.h"
#include "posenc/Object/Target.h"

namespace mlir::posenc {

/// The kinds of file.
enum class ArtifactKind {
  IR,
  LLVMIR,
  Assembly,
  Object,
  Archive,
  SharedLibrary
};

/// One compilation of a library's functions: a module in the LLVM dialect that
/// posenc-emit-bodies has been through.
struct Variant {
  CodegenTarget target;
  ModuleOp module;
};

/// Choices of the phase.
struct ObjectOptions {
  /// Whose threads the library runs on.
  RuntimeThreads threads = RuntimeThreads::Pool;
  /// The name by which programs linked against a shared library load it.
  std::string libraryName = "libposenc_graph.so";
};

/// The bytes of the file of `kind` with the C functions `entries`, which run
/// the last of `variants` that the CPU can run; at least one, of one
/// architecture. Constants that several have are there once. Not for
/// ArtifactKind::IR.
llvm::Expected<std::string> emitArtifact(ArrayRef<EntryFunction> entries,
                                         ArrayRef<Variant> variants,
                                         ArtifactKind kind,
                                         const ObjectOptions &options);

/// The C header of the library: its functions, documented, and what they need.
std::string emitHeader(ArrayRef<EntryFunction> entries, RuntimeThreads threads);

/// Links object files to a shared library. Thread-safe.
llvm::Expected<std::string> linkSharedLibrary(ArrayRef<StringRef> objects,
                                              const llvm::Triple &triple,
                                              const ObjectOptions &options);

/// Links object files to one that shows the symbols `shown`, and has what these
/// need. Thread-safe.
llvm::Expected<std::string> mergeObjects(ArrayRef<StringRef> objects,
                                         ArrayRef<std::string> shown);

/// Wraps the object file `object` in a static library.
llvm::Expected<std::string> archiveObject(StringRef object);

} // namespace mlir::posenc

#endif // POSENC_OBJECT_ARTIFACT_H
