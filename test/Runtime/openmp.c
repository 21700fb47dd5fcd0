//===- openmp.c - posenc_parallel_for on OpenMP -------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// REQUIRES: openmp
// UNSUPPORTED: sanitizer
// RUN: %clang %runtime_flags -fopenmp %s %runtime_openmp -o %t && %t

#include "internal.h"
#include "testing.h"

#include <time.h>

int kmp_get_blocktime(void);
void kmp_set_blocktime(int milliseconds);

enum { COUNT = 500 };

static _Atomic int visits[COUNT];

static void visit(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)ctx, (void)end;
  memset(scratch, 1, 64);
  atomic_fetch_add(&visits[begin], 1);
}

static double processor_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

int main(void) {
  kmp_set_blocktime(77);
  for (int32_t threads = 2; threads <= 8; ++threads) {
    posenc_region region = {.task = visit, .count = COUNT, .scratch_bytes = 64};
    posenc_distribute(&region, threads);
    for (int i = 0; i < COUNT; ++i)
      CHECK(atomic_exchange(&visits[i], 0) == 1);
  }
  posenc_parallel_for(visit, NULL, COUNT, 64);
  CHECK(kmp_get_blocktime() == 77);

  // The threads sleep afterwards.
  double before = processor_seconds();
  nanosleep(&(struct timespec){0, 200000000}, NULL);
  CHECK(processor_seconds() - before < 0.05);
  return 0;
}
