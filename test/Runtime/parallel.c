//===- parallel.c - posenc_parallel_for under every kind of threading *- C
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_serial -o %t.serial && %t.serial
// RUN: %clang %runtime_flags %s %runtime_host -o %t.host && %t.host
// RUN: %clang %runtime_flags %s %runtime_pool -o %t.pool && %t.pool
// RUN: env POSENC_NUM_THREADS=1 %t.pool
// RUN: env OMP_NUM_THREADS=2,4 POSENC_NUM_THREADS=none %t.pool

#include "internal.h"
#include "testing.h"

enum { COUNT = 1000, SCRATCH = 100 };

static _Atomic int visits[COUNT];

static void visit(void *ctx, int64_t begin, int64_t end, void *scratch) {
  CHECK(end == begin + 1);
  CHECK((uintptr_t)scratch % POSENC_ALIGNMENT == 0);
  // The scratch is this task's alone for as long as it runs.
  memset(scratch, (int)begin, SCRATCH);
  atomic_fetch_add((_Atomic int *)ctx + begin, 1);
  for (int i = 0; i < SCRATCH; ++i)
    CHECK(((unsigned char *)scratch)[i] == (unsigned char)begin);
}

static void expect_visits(int64_t count) {
  for (int64_t i = 0; i < COUNT; ++i)
    CHECK(atomic_exchange(&visits[i], 0) == (i < count));
}

static void test_counts(void) {
  for (int64_t count = 0; count <= COUNT; count = count * 3 / 2 + 1) {
    posenc_parallel_for(visit, visits, count, SCRATCH);
    expect_visits(count);
  }
  posenc_parallel_for(visit, visits, -5, SCRATCH);
  expect_visits(0);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    posenc_parallel_for(visit, visits, 3, SCRATCH);
    expect_visits(3);
  }
}

// More threads than this machine may have CPUs.
static void test_threads(void) {
  for (int32_t threads = 2; threads <= 16; ++threads) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      posenc_region region = {.task = visit,
                              .ctx = visits,
                              .count = COUNT,
                              .scratch_bytes = SCRATCH};
      posenc_distribute(&region, threads);
      CHECK(atomic_load(&region.code) == POSENC_OK);
      expect_visits(COUNT);
    }
  }
}

static void inner(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)end;
  memset(scratch, 0x5a, SCRATCH);
  atomic_fetch_add((_Atomic int *)ctx + begin, 1);
}

static void outer(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)end;
  memset(scratch, (int)begin, SCRATCH);
  posenc_parallel_for(inner, (_Atomic int *)ctx + 10 * begin, 10, SCRATCH);
  for (int i = 0; i < SCRATCH; ++i)
    CHECK(((unsigned char *)scratch)[i] == (unsigned char)begin);
}

static void test_nested(void) {
  posenc_parallel_for(outer, visits, COUNT / 10, SCRATCH);
  expect_visits(COUNT);
}

static void no_scratch(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)ctx, (void)begin, (void)end;
  CHECK(scratch == NULL);
}

static void large_scratch(void *ctx, int64_t begin, int64_t end,
                          void *scratch) {
  (void)begin, (void)end;
  memset(scratch, 1, *(size_t *)ctx);
}

static void test_scratch(void) {
  posenc_parallel_for(no_scratch, NULL, 10, 0);
  for (size_t bytes = 1; bytes < 1 << 20; bytes = 3 * bytes + 5)
    posenc_parallel_for(large_scratch, &bytes, 10, (int64_t)bytes);
}

int main(void) {
  test_counts();
  test_threads();
  test_nested();
  test_scratch();
  return 0;
}
