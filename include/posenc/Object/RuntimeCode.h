//===- RuntimeCode.h - The embedded runtime ---------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C runtime of compiled libraries (lib/Runtime/posenc_runtime.h). A library
// is linked with the core and one kind of threading; then all symbols but those
// of getRuntimeExports are made internal.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_RUNTIMECODE_H
#define POSENC_OBJECT_RUNTIMECODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"

namespace mlir::posenc {

/// Whose threads a compiled library runs on.
enum class RuntimeThreads {
  Pool,   ///< a small pool of its own
  Serial, ///< none but the caller
  Host,   ///< those of the program around it, through a callback
  OpenMP  ///< LLVM's OpenMP runtime; the library then needs libomp
};

/// One part of the runtime, as an object file and as the LLVM bitcode of which
/// that was made.
struct RuntimePart {
  llvm::StringRef bitcode, object;
};

/// The core and what runs tasks; none where this compiler was built without the
/// C headers of `arch`. Symbols of objects are hidden, but for the exports.
llvm::SmallVector<RuntimePart, 2> getRuntimeParts(llvm::Triple::ArchType arch,
                                                  RuntimeThreads threads);

/// The runtime's symbols that a library shows to its callers: weak, to be kept
/// when all others are made internal.
llvm::ArrayRef<llvm::StringLiteral> getRuntimeExports(RuntimeThreads threads);

} // namespace mlir::posenc

#endif // POSENC_OBJECT_RUNTIMECODE_H
