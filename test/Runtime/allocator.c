//===- allocator.c - Reuse and bounds of graph buffers ------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_serial -o %t && %t

#include "process.h"
#include "testing.h"

#include <pthread.h>

#define MIB ((uint64_t)1 << 20)

static void test_alignment(void) {
  for (uint64_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (uint64_t size = 0; size < 300; size += 7) {
      char *block = _mlir_memref_to_llvm_aligned_alloc(alignment, size);
      CHECK((uintptr_t)block % alignment == 0 && (uintptr_t)block % 64 == 0);
      memset(block, 1, size);
      _mlir_memref_to_llvm_free(block);
    }
  }
  _mlir_memref_to_llvm_free(NULL);
}

static void test_reuse(void) {
  void *large = _mlir_memref_to_llvm_alloc(8 * MIB);
  void *small = _mlir_memref_to_llvm_alloc(MIB);
  _mlir_memref_to_llvm_free(large);
  _mlir_memref_to_llvm_free(small);
  // The next call's buffers, sizes a little different: the same memory.
  void *nextSmall = _mlir_memref_to_llvm_alloc(MIB - 100);
  void *nextLarge = _mlir_memref_to_llvm_alloc(8 * MIB - 100);
  CHECK(nextSmall == small && nextLarge == large);
  _mlir_memref_to_llvm_free(nextLarge);
  // Not wasted on something much smaller.
  void *tiny = _mlir_memref_to_llvm_alloc(100);
  CHECK(tiny != large);
  _mlir_memref_to_llvm_free(tiny);
  _mlir_memref_to_llvm_free(nextSmall);
}

// Resident bytes of this process.
static uint64_t resident(void) {
  unsigned long pages = 0, ignored;
  FILE *statm = fopen("/proc/self/statm", "r");
  CHECK(statm && fscanf(statm, "%lu %lu", &ignored, &pages) == 2);
  fclose(statm);
  return (uint64_t)pages * 4096;
}

// Many sizes one after another never hold more than one of them; and what one
// large call needed is given up by and by.
static void test_bound(void) {
  uint64_t before = resident();
  for (uint64_t size = 10 * MIB; size <= 40 * MIB; size += MIB) {
    char *block = _mlir_memref_to_llvm_alloc(size);
    memset(block, 1, size);
    _mlir_memref_to_llvm_free(block);
    CHECK(resident() < before + size + 4 * MIB);
  }
  for (int call = 0; call < 20; ++call)
    _mlir_memref_to_llvm_free(_mlir_memref_to_llvm_alloc(MIB));
  CHECK(resident() < before + 4 * MIB);
}

static void *churn(void *unused) {
  (void)unused;
  unsigned seed = 1;
  void *blocks[8] = {NULL};
  for (int i = 0; i < 20000; ++i) {
    seed = seed * 1103515245 + 12345;
    unsigned slot = seed >> 16 & 7, size = seed >> 19 & 1023;
    _mlir_memref_to_llvm_free(blocks[slot]);
    blocks[slot] = _mlir_memref_to_llvm_alloc(size);
    memset(blocks[slot], (int)slot, size);
  }
  for (int i = 0; i < 8; ++i)
    _mlir_memref_to_llvm_free(blocks[i]);
  return NULL;
}

static void test_threads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, churn, NULL) == 0);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
}

int main(void) {
  test_alignment();
  test_reuse();
  if (!SANITIZED)
    test_bound();
  test_threads();
  return 0;
}
