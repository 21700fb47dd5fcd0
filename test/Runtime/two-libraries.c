//===- two-libraries.c - Two libraries in one program tell one story *- C
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Address sanitizer cannot register what objcopy hides.
// UNSUPPORTED: address_sanitizer
//
// Linked into the program as objects, each with a runtime of its own made
// private, as the compiler does:
// RUN: %clang %runtime_flags -DNAME=first -r %S/Inputs/library.c %runtime_pool -o %t.first.o
// RUN: %clang %runtime_flags -DNAME=second -r %S/Inputs/library.c %runtime_pool -o %t.second.o
// RUN: llvm-objcopy --keep-global-symbol=first --keep-global-symbol=posenc_last_error %t.first.o
// RUN: llvm-objcopy --keep-global-symbol=second --keep-global-symbol=posenc_last_error %t.second.o
// RUN: %clang %runtime_flags %s %t.first.o %t.second.o -o %t.static && %t.static
//
// And as shared libraries:
// RUN: %clang %runtime_flags -shared %t.first.o -o %t.first.so
// RUN: %clang %runtime_flags -shared %t.second.o -o %t.second.so
// RUN: %clang %runtime_flags %s %t.first.so %t.second.so -o %t.shared && %t.shared
//
// These show their callers nothing else.
// RUN: llvm-nm -D --defined-only --format=just-symbols %t.first.so | FileCheck %s --match-full-lines
// CHECK-NOT: {{.}}
// CHECK: first
// CHECK-NEXT: posenc_last_error
// CHECK-NOT: {{.}}

#include "testing.h"

#include <pthread.h>

int first(int64_t item);
int second(int64_t item);

static void *call_both(void *unused) {
  (void)unused;
  CHECK_ERROR("");
  for (int i = 0; i < 100; ++i) {
    CHECK(first(i) == POSENC_ERROR_RUNTIME);
    CHECK_ERROR("first: bad item");
    CHECK(second(i) == POSENC_ERROR_RUNTIME);
    CHECK_ERROR("second: bad item");
    CHECK(first(-1) == POSENC_OK);
    CHECK_ERROR("");
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, call_both, NULL) == 0);
  call_both(NULL);
  pthread_join(thread, NULL);
  return 0;
}
