//===- RuntimeBitcode.cpp - The embedded runtime --------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the embedded module for an architecture and a kind of threading. The
// build compiles lib/Runtime to the arrays in RuntimeBitcode.inc.
//
//===----------------------------------------------------------------------===//

#include "posenc/Object/RuntimeBitcode.h"

#include "llvm/Support/ErrorHandling.h"

#include "RuntimeBitcode.inc"

using namespace llvm;
using mlir::posenc::RuntimeThreads;

namespace {

/// The modules of one architecture.
struct Modules {
  StringRef core, pool, serial, host, openmp;
};

template <size_t size> StringRef asString(const unsigned char (&bytes)[size]) {
  return StringRef(reinterpret_cast<const char *>(bytes), size);
}

} // namespace

/// Empty where the compiler was built without the architecture's runtime.
static Modules modulesFor(Triple::ArchType arch) {
  switch (arch) {
  case Triple::x86_64:
    return {asString(x86_64_core), asString(x86_64_pool),
            asString(x86_64_serial), asString(x86_64_host),
            asString(x86_64_openmp)};
#ifdef POSENC_RUNTIME_HAS_AARCH64
  case Triple::aarch64:
    return {asString(aarch64_core), asString(aarch64_pool),
            asString(aarch64_serial), asString(aarch64_host),
            asString(aarch64_openmp)};
#endif
  default:
    return {};
  }
}

StringRef mlir::posenc::getRuntimeCoreBitcode(Triple::ArchType arch) {
  return modulesFor(arch).core;
}

StringRef mlir::posenc::getRuntimeThreadsBitcode(Triple::ArchType arch,
                                                 RuntimeThreads threads) {
  Modules modules = modulesFor(arch);
  switch (threads) {
  case RuntimeThreads::Pool:
    return modules.pool;
  case RuntimeThreads::Serial:
    return modules.serial;
  case RuntimeThreads::Host:
    return modules.host;
  case RuntimeThreads::OpenMP:
    return modules.openmp;
  }
  llvm_unreachable("unknown kind of threading");
}

ArrayRef<StringLiteral>
mlir::posenc::getRuntimeExports(RuntimeThreads threads) {
  static constexpr StringLiteral exports[] = {"posenc_last_error",
                                              "posenc_set_parallel_for",
                                              "posenc_get_parallel_for"};
  return ArrayRef(exports).take_front(threads == RuntimeThreads::Host ? 3 : 1);
}
