//===- allocator.c - Buffers of the calls, kept for reuse ---------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A freed block goes to a small cache, from which a later request of about its
// size takes it: the calls of a program repeat. Blocks handed out and cached
// together never exceed what the calls needed at their peak; the peak decays.
//
// The cache is guarded by a lock that is only tried. Who does not get it goes
// to malloc; so a fork at a bad moment costs the child the cache, not its life.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CACHE_CAPACITY = 32 };

// In front of the memory handed out.
struct posenc_block {
  _Alignas(POSENC_ALIGNMENT) void *base; // from malloc
  size_t capacity;
  posenc_frame *frame;           // that frees it on failure
  posenc_block *previous, *next; // of the same frame
};

static struct {
  atomic_flag lock;
  posenc_block *blocks[CACHE_CAPACITY]; // oldest first
  size_t count;
  size_t cached; // bytes in `blocks`
  size_t inUse;  // bytes handed out while the lock was free
  size_t peak;   // of inUse since it was last 0
  size_t limit;  // of cached + inUse
} cache = {.lock = ATOMIC_FLAG_INIT};

static bool try_lock(void) {
  return !atomic_flag_test_and_set_explicit(&cache.lock, memory_order_acquire);
}

static void unlock(void) {
  atomic_flag_clear_explicit(&cache.lock, memory_order_release);
}

static void *block_memory(posenc_block *block) { return block + 1; }

static posenc_block *memory_block(void *memory) {
  return (posenc_block *)memory - 1;
}

static posenc_block *remove_cached(size_t i) {
  posenc_block *block = cache.blocks[i];
  --cache.count;
  for (; i < cache.count; ++i)
    cache.blocks[i] = cache.blocks[i + 1];
  cache.cached -= block->capacity;
  return block;
}

// Frees the oldest blocks until the cache holds at most `bytes`.
static void trim(size_t bytes) {
  while (cache.count > 0 && cache.cached > bytes)
    free(remove_cached(0)->base);
}

// The smallest cached block that fits without wasting more than half.
static posenc_block *take_cached(size_t size, size_t alignment) {
  size_t best = CACHE_CAPACITY;
  for (size_t i = 0; i < cache.count; ++i) {
    posenc_block *block = cache.blocks[i];
    if (block->capacity < size || block->capacity / 2 > size ||
        (uintptr_t)block_memory(block) % alignment != 0)
      continue;
    if (best == CACHE_CAPACITY ||
        block->capacity < cache.blocks[best]->capacity)
      best = i;
  }
  return best == CACHE_CAPACITY ? NULL : remove_cached(best);
}

static posenc_block *new_block(size_t size, size_t alignment) {
  size_t extra = sizeof(posenc_block) + alignment;
  if (size > (size_t)PTRDIFF_MAX - extra)
    return NULL;
  void *base = malloc(size + extra);
  if (!base)
    return NULL;
  uintptr_t memory =
      ((uintptr_t)base + extra - 1) & ~(uintptr_t)(alignment - 1);
  posenc_block *block = memory_block((void *)memory);
  block->base = base;
  block->capacity = size;
  return block;
}

// Counts `bytes` as handed out, at the cost of cached ones.
static void account(size_t bytes) {
  cache.inUse += bytes;
  if (cache.inUse > cache.peak)
    cache.peak = cache.inUse;
  if (cache.peak > cache.limit)
    cache.limit = cache.peak;
  trim(cache.limit - cache.inUse);
}

static posenc_block *obtain(size_t size, size_t alignment) {
  bool locked = try_lock();
  posenc_block *block = locked ? take_cached(size, alignment) : NULL;
  if (!block)
    block = new_block(size, alignment);
  if (!block && locked) {
    trim(0);
    block = new_block(size, alignment);
  }
  if (locked) {
    if (block)
      account(block->capacity);
    unlock();
  }
  return block;
}

static void give_back(posenc_block *block) {
  if (!try_lock()) {
    free(block->base);
    return;
  }
  // Blocks obtained or freed past the lock make this an estimate.
  size_t bytes = block->capacity;
  cache.inUse -= bytes < cache.inUse ? bytes : cache.inUse;
  if (cache.count == CACHE_CAPACITY)
    free(remove_cached(0)->base);
  cache.blocks[cache.count++] = block;
  cache.cached += bytes;
  if (cache.inUse == 0) {
    cache.limit -= (cache.limit - cache.peak) / 2;
    cache.peak = 0;
  }
  trim(cache.limit - cache.inUse);
  unlock();
}

static void unlink_block(posenc_block *block) {
  if (block->next)
    block->next->previous = block->previous;
  if (block->previous)
    block->previous->next = block->next;
  else if (block->frame)
    block->frame->blocks = block->next;
}

void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size) {
  if (alignment < POSENC_ALIGNMENT)
    alignment = POSENC_ALIGNMENT;
  posenc_thread *thread = posenc_this_thread();
  posenc_block *block = obtain(size, alignment);
  if (!block) {
    posenc_fail(POSENC_ERROR_MEMORY,
                "%s: out of memory: an intermediate buffer of %" PRIu64
                " bytes; pass smaller inputs or free memory",
                thread->function, size);
    posenc_abandon();
    return NULL;
  }
  block->frame = thread->frame;
  block->previous = NULL;
  block->next = block->frame ? block->frame->blocks : NULL;
  if (block->next)
    block->next->previous = block;
  if (block->frame)
    block->frame->blocks = block;
  return block_memory(block);
}

void *_mlir_memref_to_llvm_alloc(uint64_t size) {
  return _mlir_memref_to_llvm_aligned_alloc(POSENC_ALIGNMENT, size);
}

void _mlir_memref_to_llvm_free(void *pointer) {
  if (!pointer)
    return;
  posenc_block *block = memory_block(pointer);
  unlink_block(block);
  give_back(block);
}

void posenc_frame_leave(posenc_frame *frame) {
  while (frame->blocks)
    _mlir_memref_to_llvm_free(block_memory(frame->blocks));
  posenc_this_thread()->frame = frame->previous;
}

void posenc_allocator_release(void) { trim(0); }
