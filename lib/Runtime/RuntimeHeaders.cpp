//===- RuntimeHeaders.cpp - Texts for generated C headers -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The build puts the *_abi.h files of this folder into RuntimeHeaders.inc.
//
//===----------------------------------------------------------------------===//

#include "posenc/Object/RuntimeHeaders.h"

#include "RuntimeHeaders.inc"

using namespace llvm;

template <size_t size>
static StringRef asText(const unsigned char (&bytes)[size]) {
  return StringRef(reinterpret_cast<const char *>(bytes), size);
}

StringRef mlir::posenc::getDLPackDeclarations() { return asText(dlpack); }

StringRef mlir::posenc::getLibraryDeclarations() { return asText(library); }

StringRef mlir::posenc::getHostThreadsDeclarations() {
  return asText(host_threads);
}
