//===- process.h - What tests ask about their own process ---------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a sanitizer, which has threads and memory of its own, is in it; the
// number of its threads.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_TEST_RUNTIME_PROCESS_H
#define POSENC_TEST_RUNTIME_PROCESS_H

#include <stdio.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static inline int count_threads(void) {
  char line[256];
  int threads = 0;
  FILE *status = fopen("/proc/self/status", "r");
  if (!status)
    abort();
  while (fgets(line, sizeof line, status))
    sscanf(line, "Threads: %d", &threads);
  fclose(status);
  return threads;
}

#endif // POSENC_TEST_RUNTIME_PROCESS_H
