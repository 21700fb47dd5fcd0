//===- fork.c - Forks before, after and during calls --------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_pool -o %t && %t

#include "internal.h"
#include "process.h"
#include "testing.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 64, THREADS = 3 };

static void visit(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)end;
  memset(scratch, 0, 4096);
  atomic_fetch_add((_Atomic int64_t *)ctx, begin + 1);
}

static void call(void) {
  _Atomic int64_t sum = 0;
  posenc_region region = {.task = visit,
                          .ctx = (void *)&sum,
                          .count = COUNT,
                          .scratch_bytes = 4096};
  posenc_distribute(&region, THREADS);
  CHECK(sum == COUNT * (COUNT + 1) / 2);
}

// The child makes calls with workers of its own, and exits as programs do.
static void fork_and_call(void) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int before = count_threads();
    for (int i = 0; i < 100; ++i)
      call();
    CHECK(SANITIZED || count_threads() == before + THREADS - 1);
    exit(0);
  }
  call();
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static _Atomic bool done;

static void *call_until_done(void *unused) {
  (void)unused;
  while (!atomic_load(&done))
    call();
  return NULL;
}

int main(void) {
  int before = count_threads();
  fork_and_call();
  CHECK(SANITIZED || count_threads() == before + THREADS - 1);
  fork_and_call();

  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, call_until_done, NULL) == 0);
  for (int i = 0; i < 20; ++i)
    fork_and_call();
  atomic_store(&done, true);
  pthread_join(thread, NULL);
  return 0;
}
