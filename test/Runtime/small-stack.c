//===- small-stack.c - Calls on a thread with 64 KiB of stack -----*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_pool -o %t && %t
// UNSUPPORTED: sanitizer

#include "testing.h"

#include <pthread.h>
#include <unistd.h>

static const int64_t extents[] = {4};
static const posenc_argument arguments[] = {
    {"in", extents, NULL, 1, FLOAT32_CODE, 32, 0, 0},
    {"out", extents, NULL, 1, FLOAT32_CODE, 32, 1, 0}};
static const posenc_function function = {"f", arguments, NULL, 2, 1, 0};

static void task(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)ctx, (void)end;
  memset(scratch, 0, 1 << 16);
  posenc_rt_assert(begin != 50, "task 50");
}

static void body(int64_t *descriptors) {
  (void)descriptors;
  _mlir_memref_to_llvm_alloc(100);
  posenc_parallel_for(task, NULL, 51, 1 << 16);
}

static void *call(void *unused) {
  (void)unused;
  float data[8];
  int64_t shape[] = {4}, wrong[] = {5}, descriptors[10];
  DLTensor in = tensor_of(data, 1, shape, NULL);
  DLTensor out = tensor_of(data + 4, 1, shape, NULL);
  DLTensor *pointers[] = {&in, &out};
  CHECK(!posenc_rt_check_inputs(&function, pointers, descriptors));
  CHECK(!posenc_rt_check_outputs(&function, pointers, shape, descriptors));
  CHECK(posenc_rt_run(body, descriptors) == POSENC_ERROR_RUNTIME);
  CHECK_ERROR("f: task 50");
  in.shape = wrong;
  CHECK(posenc_rt_check_inputs(&function, pointers, descriptors) ==
        POSENC_ERROR_SHAPE);
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  long least = sysconf(_SC_THREAD_STACK_MIN); // 128 KiB on AArch64
  size_t bytes = least > 64 << 10 ? (size_t)least : 64 << 10;
  CHECK(pthread_attr_setstacksize(&attributes, bytes) == 0);
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, &attributes, call, NULL) == 0);
    pthread_join(thread, NULL);
  }
  return 0;
}
