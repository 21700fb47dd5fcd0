//===- testing.h - What the runtime's tests share -----------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check that ends the program, and a compiled function as a table to call.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_TEST_RUNTIME_TESTING_H
#define POSENC_TEST_RUNTIME_TESTING_H

#include "posenc_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);  \
      fprintf(stderr, "  last error: %s\n", posenc_last_error());              \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define CHECK_ERROR(text)                                                      \
  do {                                                                         \
    if (strcmp(posenc_last_error(), (text)) != 0) {                            \
      fprintf(stderr, "%s:%d:\n  expected: %s\n  got:      %s\n", __FILE__,    \
              __LINE__, (text), posenc_last_error());                          \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

enum { FLOAT32_CODE = 2 };

static inline DLTensor tensor_of(void *data, int32_t rank, int64_t *shape,
                                 int64_t *strides) {
  return (DLTensor){.data = data,
                    .device = {kDLCPU, 0},
                    .ndim = rank,
                    .dtype = {FLOAT32_CODE, 32, 1},
                    .shape = shape,
                    .strides = strides,
                    .byte_offset = 0};
}

#endif // POSENC_TEST_RUNTIME_TESTING_H
