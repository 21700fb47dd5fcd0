//===- parallel.c - posenc_parallel_for ---------------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all kinds of threading share: the items of a region are taken from one
// counter by every thread that works on it; how threads come to do so is
// posenc_distribute, of the one parallel_*.c that is linked in.
//
//===----------------------------------------------------------------------===//

#include "fpstate.h"
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// OMP_NUM_THREADS may be a list, one number a nesting level.
static int32_t threads_from(const char *variable) {
  const char *text = getenv(variable);
  long threads = text ? strtol(text, NULL, 10) : 0;
  return threads > 0 && threads < INT32_MAX ? (int32_t)threads : INT32_MAX;
}

// The CPUs this thread may run on. The system call itself: glibc has had two
// functions of this name with different parameters.
static int32_t threads_of_affinity(void) {
  unsigned long mask[128] = {0};
  if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask) < 0)
    return 1;
  int32_t threads = 0;
  for (size_t i = 0; i < sizeof mask / sizeof mask[0]; ++i)
    threads += __builtin_popcountl(mask[i]);
  return threads;
}

// Read once: getenv must not race with a setenv of the program.
static int32_t thread_limit(void) {
  static _Atomic int32_t cached;
  int32_t limit = atomic_load_explicit(&cached, memory_order_relaxed);
  if (limit > 0)
    return limit;
  limit = threads_of_affinity();
  int32_t own = threads_from("POSENC_NUM_THREADS");
  int32_t openMP = threads_from("OMP_NUM_THREADS");
  limit = own < limit ? own : limit;
  limit = openMP < limit ? openMP : limit;
  atomic_store_explicit(&cached, limit, memory_order_relaxed);
  return limit;
}

static void fail_scratch(int64_t bytes) {
  posenc_fail(POSENC_ERROR_MEMORY,
              "%s: out of memory: %" PRId64
              " bytes of scratch for a thread; free memory or set "
              "POSENC_NUM_THREADS lower",
              posenc_this_thread()->function, bytes);
  posenc_abandon();
}

static void take_items(posenc_region *region, bool isCaller) {
  void *scratch = NULL;
  if (region->scratch_bytes > 0) {
    scratch = posenc_thread_scratch(region->scratch_bytes);
    if (!scratch && !isCaller)
      return;
    if (!scratch)
      fail_scratch(region->scratch_bytes);
  }
  while (atomic_load_explicit(&region->code, memory_order_relaxed) ==
         POSENC_OK) {
    int64_t item =
        atomic_fetch_add_explicit(&region->next, 1, memory_order_relaxed);
    if (item >= region->count)
      return;
    region->task(region->ctx, item, item + 1, scratch);
  }
}

// Not inlined, and the task is opaque to the optimiser: see posenc_rt_run.
__attribute__((noinline)) static void work(posenc_region *region,
                                           bool isCaller) {
  posenc_thread *thread = posenc_this_thread();
  const char *function = thread->function;
  posenc_region *outer = thread->region;
  thread->function = region->function;
  thread->region = region;
  posenc_fpstate saved = posenc_fp_enter(/*flush=*/true);
  posenc_frame frame;
  posenc_frame_enter(&frame);
  if (setjmp(frame.target) == 0)
    take_items(region, isCaller);
  posenc_frame_leave(&frame);
  posenc_fp_write(saved);
  thread->region = outer;
  thread->function = function;
}

void posenc_region_help(posenc_region *region) {
  work(region, /*isCaller=*/false);
}

void posenc_region_finish(posenc_region *region) {
  work(region, /*isCaller=*/true);
}

// Inside a task: in line, with scratch of its own, since the thread's is the
// task's. A failure goes to the task's frame.
static void run_nested(void (*task)(void *, int64_t, int64_t, void *),
                       void *ctx, int64_t count, int64_t scratch_bytes) {
  void *scratch = scratch_bytes > 0
                      ? _mlir_memref_to_llvm_alloc((uint64_t)scratch_bytes)
                      : NULL;
  for (int64_t i = 0; i < count; ++i)
    task(ctx, i, i + 1, scratch);
  _mlir_memref_to_llvm_free(scratch);
}

void posenc_parallel_for(void (*task)(void *ctx, int64_t begin, int64_t end,
                                      void *scratch),
                         void *ctx, int64_t count, int64_t scratch_bytes) {
  if (count <= 0)
    return;
  __asm__ volatile("" : "+r"(task));
  posenc_thread *thread = posenc_this_thread();
  if (thread->region) {
    run_nested(task, ctx, count, scratch_bytes);
    return;
  }
  posenc_region region;
  region.task = task;
  region.ctx = ctx;
  region.count = count;
  region.scratch_bytes = scratch_bytes;
  region.function = thread->function;
  atomic_init(&region.code, POSENC_OK);
  atomic_init(&region.next, 0);
  int32_t limit = thread_limit();
  int32_t threads = count < limit ? (int32_t)count : limit;
  if (threads > 1)
    posenc_distribute(&region, threads);
  else
    posenc_region_finish(&region);
  int32_t code = atomic_load_explicit(&region.code, memory_order_relaxed);
  if (code != POSENC_OK) {
    posenc_fail(code, "%s", region.message);
    posenc_abandon();
  }
}
