//===- Inputs/library.c - What the compiler makes of a graph, in C *- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiled function NAME(item): 100 tasks, of which `item` fails.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

#include <string.h>

#define STRING(text) #text
#define STRING_OF(macro) STRING(macro)

static const posenc_function function = {.name = STRING_OF(NAME)};

static void task(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)end;
  memset(scratch, 1, 4096);
  posenc_rt_assert(begin != *(int64_t *)ctx, "bad item");
}

static void body(int64_t *item) {
  _mlir_memref_to_llvm_free(_mlir_memref_to_llvm_alloc(1 << 16));
  // More threads than this machine may have.
  posenc_region region = {.task = task,
                          .ctx = item,
                          .count = 100,
                          .scratch_bytes = 4096,
                          .function = function.name};
  posenc_distribute(&region, 3);
  posenc_parallel_for(task, item, 100, 4096);
}

__attribute__((visibility("default"))) int NAME(int64_t item) {
  DLTensor *none[] = {NULL};
  int32_t code = posenc_rt_check_inputs(&function, none, NULL);
  return code != POSENC_OK ? code : posenc_rt_run(body, &item);
}
