//===- host-libraries.c - One callback serves every library -------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags -DNAME=first -shared %S/Inputs/library.c %runtime_host -o %t.first.so
// RUN: %clang %runtime_flags -DNAME=second -shared %S/Inputs/library.c %runtime_host -o %t.second.so
// RUN: %clang %runtime_flags %s %t.first.so %t.second.so -o %t && %t

#include "testing.h"

int first(int64_t item);
int second(int64_t item);

static void count_calls(void (*work)(void *data, int64_t index), void *data,
                        int64_t count, void *user) {
  ++*(int *)user;
  for (int64_t i = 0; i < count; ++i)
    work(data, i);
}

int main(void) {
  int calls = 0;
  CHECK(first(-1) == POSENC_OK && second(-1) == POSENC_OK && calls == 0);
  posenc_set_parallel_for(count_calls, &calls);
  CHECK(first(-1) == POSENC_OK);
  int callsOfFirst = calls;
  CHECK(callsOfFirst > 0);
  CHECK(second(-1) == POSENC_OK);
  CHECK(calls == 2 * callsOfFirst);
  return 0;
}
