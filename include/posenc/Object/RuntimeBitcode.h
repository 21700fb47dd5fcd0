//===- RuntimeBitcode.h - The embedded runtime ------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C runtime of compiled libraries (lib/Runtime/posenc_runtime.h) as LLVM
// bitcode. A library is linked with the core and one kind of threading; then
// all symbols but those of getRuntimeExports are made internal.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_RUNTIMEBITCODE_H
#define POSENC_OBJECT_RUNTIMEBITCODE_H

#include "llvm/ADT/ArrayRef.h"
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

/// The module that every library for `arch` needs. Empty where this compiler
/// was built without a runtime for `arch`.
llvm::StringRef getRuntimeCoreBitcode(llvm::Triple::ArchType arch);

/// The module that defines the kind of threading. Empty as above.
llvm::StringRef getRuntimeThreadsBitcode(llvm::Triple::ArchType arch,
                                         RuntimeThreads threads);

/// The runtime's symbols that a library shows to its callers: weak, to be kept
/// when all others are made internal.
llvm::ArrayRef<llvm::StringLiteral> getRuntimeExports(RuntimeThreads threads);

} // namespace mlir::posenc

#endif // POSENC_OBJECT_RUNTIMEBITCODE_H
