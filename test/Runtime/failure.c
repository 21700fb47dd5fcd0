//===- failure.c - Failures leave the body and free what it had ---*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_pool -o %t && %t

#include "internal.h"
#include "process.h"
#include "testing.h"

#include <sys/resource.h>

static const posenc_function function = {.name = "f"};
static int64_t impossible = INT64_MAX - 100;

static int32_t call(void (*body)(int64_t *)) {
  int64_t descriptors[1] = {64};
  CHECK(posenc_rt_check_inputs(&function, (DLTensor *[]){NULL}, NULL) == 0);
  return posenc_rt_run(body, descriptors);
}

static void no_failure(int64_t *descriptors) { ++descriptors[0]; }

static void buffer_too_large(int64_t *descriptors) {
  (void)descriptors;
  _mlir_memref_to_llvm_alloc(1000); // freed by the runtime, or leak checks fail
  char *buffer = _mlir_memref_to_llvm_alloc((uint64_t)impossible);
  buffer[0] = 1;
}

static void negative_size(int64_t *descriptors) {
  (void)descriptors;
  char *buffer = _mlir_memref_to_llvm_aligned_alloc(128, (uint64_t)-64);
  buffer[0] = 1;
}

static void use_scratch(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)ctx, (void)begin, (void)end;
  *(char *)scratch = 1;
}

static void scratch_too_large(int64_t *descriptors) {
  posenc_parallel_for(use_scratch, NULL, descriptors[0], impossible);
  abort();
}

static void nested(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)ctx, (void)begin, (void)end, (void)scratch;
  posenc_parallel_for(use_scratch, NULL, 2, impossible);
  abort();
}

static void nested_scratch_too_large(int64_t *descriptors) {
  posenc_parallel_for(nested, NULL, descriptors[0], 0);
  abort();
}

static void bad_item(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)end, (void)scratch;
  _mlir_memref_to_llvm_alloc(100);
  posenc_rt_assert(begin < 7, "token id out of range");
  ((char *)ctx)[begin] = 1;
}

static void bad_task(int64_t *descriptors) {
  char *flags = _mlir_memref_to_llvm_alloc(7);
  posenc_parallel_for(bad_item, flags, descriptors[0], 0);
  abort();
}

static void count_item(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)begin, (void)end;
  *(char *)scratch = 1;
  atomic_fetch_add((_Atomic int *)ctx, 1);
}

// The pool wants more threads than there is memory for.
static void many_threads(int64_t *descriptors) {
  _Atomic int items = 0;
  posenc_region region = {.task = count_item,
                          .ctx = (void *)&items,
                          .count = 1000,
                          .scratch_bytes = descriptors[0]};
  posenc_distribute(&region, 1000);
  CHECK(atomic_load(&region.code) == POSENC_OK && items == 1000);
}

static void large_buffer(int64_t *descriptors) {
  (void)descriptors;
  char *buffer = _mlir_memref_to_llvm_alloc(256 << 20);
  buffer[0] = 1;
}

static void large_scratch(int64_t *descriptors) {
  posenc_parallel_for(use_scratch, NULL, descriptors[0], 256 << 20);
}

// The sizes are possible, but the process is at its limit.
static void test_limit(void) {
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
  struct rlimit low = {128 << 20, limit.rlim_max};
  CHECK(setrlimit(RLIMIT_AS, &low) == 0);
  CHECK(call(large_buffer) == POSENC_ERROR_MEMORY);
  CHECK_ERROR("f: out of memory: an intermediate buffer of 268435456 bytes; "
              "pass smaller inputs or free memory");
  CHECK(call(large_scratch) == POSENC_ERROR_MEMORY);
  CHECK(call(many_threads) == POSENC_OK);
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  CHECK(call(large_buffer) == POSENC_OK);
  CHECK(call(large_scratch) == POSENC_OK);
}

int main(void) {
  for (int repeat = 0; repeat < 10; ++repeat) {
    CHECK(call(no_failure) == POSENC_OK);
    CHECK(call(buffer_too_large) == POSENC_ERROR_MEMORY);
    CHECK_ERROR("f: out of memory: an intermediate buffer of "
                "9223372036854775707 bytes; pass smaller inputs or free "
                "memory");
    CHECK(call(negative_size) == POSENC_ERROR_MEMORY);
    CHECK(call(scratch_too_large) == POSENC_ERROR_MEMORY);
    CHECK_ERROR("f: out of memory: 9223372036854775707 bytes of scratch for a "
                "thread; free memory or set POSENC_NUM_THREADS lower");
    CHECK(call(nested_scratch_too_large) == POSENC_ERROR_MEMORY);
    CHECK(call(bad_task) == POSENC_ERROR_RUNTIME);
    CHECK_ERROR("f: token id out of range");
    CHECK(call(no_failure) == POSENC_OK);
    CHECK_ERROR("");
  }
  if (!SANITIZED) // their shadow memory is past any limit
    test_limit();
  return 0;
}
