//===- RuntimeHeaders.h - Texts for generated C headers ---------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The declarations that the C header of a compiled library begins with. They
// are the very headers the runtime is compiled with.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_OBJECT_RUNTIMEHEADERS_H
#define POSENC_OBJECT_RUNTIMEHEADERS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::posenc {

/// DLTensor and what it is made of. Composes with other copies of DLPack.
llvm::StringRef getDLPackDeclarations();

/// The error codes and posenc_last_error.
llvm::StringRef getLibraryDeclarations();

/// The callback's setter and getter, for libraries on the host's threads.
llvm::StringRef getHostThreadsDeclarations();

} // namespace mlir::posenc

#endif // POSENC_OBJECT_RUNTIMEHEADERS_H
