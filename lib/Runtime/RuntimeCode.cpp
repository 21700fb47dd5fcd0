//===- RuntimeCode.cpp - The embedded runtime -----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the embedded parts for an architecture and a kind of threading. The
// build compiles lib/Runtime to the arrays in RuntimeCode.inc.
//
//===----------------------------------------------------------------------===//

#include "posenc/Object/RuntimeCode.h"

#include "llvm/Support/ErrorHandling.h"

#include "RuntimeCode.inc"

using namespace llvm;
using mlir::posenc::RuntimePart;
using mlir::posenc::RuntimeThreads;

namespace {

/// Files of one architecture, by posenc_runtime_modules of CMakeLists.txt.
struct Parts {
  RuntimePart core, pool, serial, host, openmp;
};

} // namespace

template <size_t size>
static StringRef asString(const unsigned char (&bytes)[size]) {
  return StringRef(reinterpret_cast<const char *>(bytes), size);
}

#define POSENC_PART(name) {asString(name##_bc), asString(name##_o)}
#define POSENC_PARTS(arch)                                                     \
  {POSENC_PART(arch##_core), POSENC_PART(arch##_pool),                         \
   POSENC_PART(arch##_serial), POSENC_PART(arch##_host),                       \
   POSENC_PART(arch##_openmp)}

static std::optional<Parts> partsFor(Triple::ArchType arch) {
  switch (arch) {
  case Triple::x86_64:
    return Parts POSENC_PARTS(x86_64);
#ifdef POSENC_RUNTIME_HAS_AARCH64
  case Triple::aarch64:
    return Parts POSENC_PARTS(aarch64);
#endif
  default:
    return std::nullopt;
  }
}

static const RuntimePart &threadsOf(const Parts &parts,
                                    RuntimeThreads threads) {
  switch (threads) {
  case RuntimeThreads::Pool:
    return parts.pool;
  case RuntimeThreads::Serial:
    return parts.serial;
  case RuntimeThreads::Host:
    return parts.host;
  case RuntimeThreads::OpenMP:
    return parts.openmp;
  }
  llvm_unreachable("unknown kind of threading");
}

SmallVector<RuntimePart, 2>
mlir::posenc::getRuntimeParts(Triple::ArchType arch, RuntimeThreads threads) {
  std::optional<Parts> parts = partsFor(arch);
  if (!parts)
    return {};
  return {parts->core, threadsOf(*parts, threads)};
}

ArrayRef<StringLiteral>
mlir::posenc::getRuntimeExports(RuntimeThreads threads) {
  static constexpr StringLiteral exports[] = {"posenc_last_error",
                                              "posenc_set_parallel_for",
                                              "posenc_get_parallel_for"};
  return ArrayRef(exports).take_front(threads == RuntimeThreads::Host ? 3 : 1);
}
