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
#include "posenc/Object/RuntimeBitcode.h"
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

/// Choices of the phase.
struct ObjectOptions {
  CodegenTarget target;
  /// Whose threads the library runs on.
  RuntimeThreads threads = RuntimeThreads::Pool;
  /// The name by which programs linked against a shared library load it.
  std::string libraryName = "libposenc_graph.so";
};

/// The bytes of the file of `kind` for `module`, which posenc-emit-entries has
/// been through. Not for ArtifactKind::IR.
llvm::Expected<std::string> emitArtifact(ModuleOp module, ArtifactKind kind,
                                         const ObjectOptions &options);

/// The C header of the library: its functions, documented, and what they need.
std::string emitHeader(ArrayRef<EntryFunction> entries, RuntimeThreads threads);

/// Links the object file `object` to a shared library. Thread-safe.
llvm::Expected<std::string> linkSharedLibrary(StringRef object,
                                              const ObjectOptions &options);

/// Wraps the object file `object` in a static library.
llvm::Expected<std::string> archiveObject(StringRef object,
                                          const ObjectOptions &options);

} // namespace mlir::posenc

#endif // POSENC_OBJECT_ARTIFACT_H
