//===- unload.c - A library may go away while its callers live ----*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags -DNAME=first -shared %S/Inputs/library.c %runtime_pool -o %t.so
// RUN: %clang %runtime_flags %s -DLIBRARY='"%t.so"' -o %t && %t

#include "process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%d: failed: %s\n", __LINE__, #condition);               \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

enum { CALLERS = 3 };

static int (*first)(int64_t item);
static pthread_barrier_t called, closed;

// Exits, with whatever the library hung on this thread, after the unloading.
static void *call(void *unused) {
  (void)unused;
  for (int i = 0; i < 10; ++i)
    CHECK(first(-1) == 0);
  pthread_barrier_wait(&called);
  pthread_barrier_wait(&closed);
  return NULL;
}

int main(void) {
  pthread_barrier_init(&called, NULL, CALLERS + 1);
  pthread_barrier_init(&closed, NULL, CALLERS + 1);
  for (int repeat = 0; repeat < 10; ++repeat) {
    int before = count_threads();
    void *library = dlopen(LIBRARY, RTLD_NOW);
    CHECK(library);
    CHECK(SANITIZED || count_threads() == before);
    first = (int (*)(int64_t))dlsym(library, "first");
    CHECK(first);
    pthread_t callers[CALLERS];
    for (int i = 0; i < CALLERS; ++i)
      CHECK(pthread_create(&callers[i], NULL, call, NULL) == 0);
    pthread_barrier_wait(&called);
    CHECK(dlclose(library) == 0);
    CHECK(!dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD));
    CHECK(SANITIZED || count_threads() == before + CALLERS);
    pthread_barrier_wait(&closed);
    for (int i = 0; i < CALLERS; ++i)
      pthread_join(callers[i], NULL);
  }
  return 0;
}
