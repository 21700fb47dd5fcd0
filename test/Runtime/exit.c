//===- exit.c - A program may exit while a thread computes --------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags -DNAME=first %s %S/Inputs/library.c %runtime_pool -o %t
// RUN: %t && %t && %t && %t

#include "testing.h"

#include <pthread.h>
#include <time.h>

int first(int64_t item);

static void *call_for_ever(void *unused) {
  (void)unused;
  for (;;)
    first(-1);
}

int main(void) {
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, call_for_ever, NULL) == 0);
  }
  nanosleep(&(struct timespec){0, 20000000}, NULL);
  exit(0);
}
