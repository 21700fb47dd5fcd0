//===- host.c - The host's own threads ----------------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_host -o %t && %t

#include "internal.h"
#include "testing.h"

#include <pthread.h>

enum { COUNT = 200, MAX_THREADS = 8 };

static _Atomic int visits[COUNT];
static const posenc_function function = {.name = "f"}, other = {.name = "g"};
static int hostCalls;

static void visit(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)end;
  memset(scratch, 1, 64);
  atomic_fetch_add(&visits[begin], 1);
  posenc_rt_assert(begin != *(int64_t *)ctx, "the bad item");
}

static void body(int64_t *bad) {
  posenc_region region = {.task = visit,
                          .ctx = bad,
                          .count = COUNT,
                          .scratch_bytes = 64,
                          .function = posenc_this_thread()->function};
  posenc_distribute(&region, 4);
  if (atomic_load(&region.code))
    posenc_fail(atomic_load(&region.code), "%s", region.message);
}

static void expect_all(void) {
  for (int i = 0; i < COUNT; ++i)
    CHECK(atomic_exchange(&visits[i], 0) == 1);
}

static int32_t call(int64_t bad) {
  CHECK(posenc_rt_check_inputs(&function, (DLTensor *[]){NULL}, NULL) == 0);
  return posenc_rt_run(body, &bad);
}

typedef struct item {
  void (*work)(void *data, int64_t index);
  void *data;
  int64_t index;
} item;

static void *run_item(void *pointer) {
  item *i = pointer;
  i->work(i->data, i->index);
  return NULL;
}

static void on_threads(void (*work)(void *data, int64_t index), void *data,
                       int64_t count, void *user) {
  CHECK(user == &hostCalls);
  ++hostCalls;
  CHECK(count <= MAX_THREADS);
  pthread_t threads[MAX_THREADS];
  item items[MAX_THREADS];
  for (int64_t i = 0; i < count; ++i) {
    items[i] = (item){work, data, i};
    CHECK(pthread_create(&threads[i], NULL, run_item, &items[i]) == 0);
  }
  for (int64_t i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
}

// A pool that does other work on this thread while it waits: a call that fails.
static void stealing(void (*work)(void *data, int64_t index), void *data,
                     int64_t count, void *user) {
  (void)user;
  CHECK(posenc_rt_check_inputs(&other, (DLTensor *[]){NULL}, NULL) == 0);
  posenc_rt_assert(false, "another call");
  CHECK(posenc_rt_status() == POSENC_ERROR_SHAPE);
  CHECK_ERROR("g: another call");
  for (int64_t i = count - 1; i >= 0; --i)
    work(data, i);
}

static void lazy(void (*work)(void *data, int64_t index), void *data,
                 int64_t count, void *user) {
  (void)work, (void)data, (void)count, (void)user;
}

int main(void) {
  void *user;
  CHECK(posenc_get_parallel_for(&user) == NULL);
  CHECK(call(-1) == POSENC_OK);
  expect_all();

  posenc_set_parallel_for(on_threads, &hostCalls);
  CHECK(posenc_get_parallel_for(&user) == on_threads && user == &hostCalls);
  CHECK(call(-1) == POSENC_OK);
  CHECK(hostCalls == 1);
  expect_all();
  CHECK(call(17) == POSENC_ERROR_RUNTIME);
  CHECK_ERROR("f: the bad item");
  memset((void *)visits, 0, sizeof visits);

  posenc_set_parallel_for(stealing, NULL);
  CHECK(call(-1) == POSENC_OK);
  expect_all();
  posenc_set_parallel_for(lazy, NULL);
  CHECK(call(-1) == POSENC_OK);
  expect_all();
  return 0;
}
