//===- concurrent.c - Calls from several threads at once ----------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_pool -o %t && %t

#include "testing.h"

#include <pthread.h>

enum { THREADS = 6, CALLS = 300, COUNT = 40 };

static const posenc_function function = {.name = "f"};

static void visit(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)end;
  float *sum = scratch;
  sum[0] = (float)begin;
  ((float *)ctx)[begin] = sum[0] + 1;
  // One thread's calls fail; the others' do not.
  posenc_rt_assert(begin < COUNT, "row out of range");
}

static void body(int64_t *descriptors) {
  float *out = _mlir_memref_to_llvm_alloc(sizeof(float[COUNT + 1]));
  posenc_parallel_for(visit, out, COUNT + descriptors[0], 64);
  for (int i = 0; i < COUNT; ++i)
    CHECK(out[i] == (float)(i + 1));
  _mlir_memref_to_llvm_free(out);
}

static void *call_often(void *pointer) {
  int64_t failing = pointer != NULL;
  for (int i = 0; i < CALLS; ++i) {
    CHECK(posenc_rt_check_inputs(&function, (DLTensor *[]){NULL}, NULL) == 0);
    int32_t code = posenc_rt_run(body, &failing);
    CHECK(code == (failing ? POSENC_ERROR_RUNTIME : POSENC_OK));
    CHECK_ERROR(failing ? "f: row out of range" : "");
  }
  return NULL;
}

int main(void) {
  static int token;
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, call_often,
                         i == 0 ? &token : NULL) == 0);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  return 0;
}
