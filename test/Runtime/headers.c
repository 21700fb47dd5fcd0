//===- headers.c - What generated headers embed -------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang %runtime_flags -fsyntax-only %s
// RUN: %clang %runtime_flags -fsyntax-only -DTHEIRS_FIRST -I %S/Inputs %s
// RUN: %clang %runtime_flags -fsyntax-only -DTHEIRS_AFTER -I %S/Inputs %s
// RUN: %clang %runtime_flags -fsyntax-only -std=c99 -pedantic -DC99 %s
// RUN: %clang %runtime_flags -fsyntax-only -x c++ -std=c++17 %s

#ifdef THEIRS_FIRST
#include "vendored-dlpack.h"
#endif
#include "dlpack_abi.h"
#ifdef THEIRS_AFTER
#include "vendored-dlpack.h"
#endif
#include "dlpack_abi.h"
#include "host_threads_abi.h"
#include "library_abi.h"

#include <stddef.h>

// The layout that all versions of DLPack agree on.
#if defined(C99)
#define SAME(condition) extern const char same[(condition) ? 1 : -1]
#elif defined(__cplusplus)
#define SAME(condition) static_assert(condition, #condition)
#else
#define SAME(condition) _Static_assert(condition, #condition)
#endif
SAME(sizeof(DLTensor) == 48);
SAME(offsetof(DLTensor, device) == 8);
SAME(offsetof(DLTensor, ndim) == 16);
SAME(offsetof(DLTensor, dtype) == 20);
SAME(offsetof(DLTensor, shape) == 24);
SAME(offsetof(DLTensor, strides) == 32);
SAME(offsetof(DLTensor, byte_offset) == 40);
SAME(kDLCPU == 1);
