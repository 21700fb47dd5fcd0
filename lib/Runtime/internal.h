//===- internal.h - State shared by the runtime's files -----------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread's state, the frames that a failure jumps back to, and the parallel
// region that the implementations of posenc_distribute hand out.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_RUNTIME_INTERNAL_H
#define POSENC_RUNTIME_INTERNAL_H

#include "posenc/Codegen/CPU/CPUFeatures.h"
#include "posenc_runtime.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>

// The bounds of what the runtime aligns: cache lines and AVX-512 vectors.
enum { POSENC_ALIGNMENT = 64 };

typedef struct posenc_block posenc_block;

// Where a failure jumps to, and what must be freed then.
typedef struct posenc_frame {
  jmp_buf target;
  struct posenc_frame *previous;
  posenc_block *blocks; // allocated since the frame was entered
} posenc_frame;

// One posenc_parallel_for. It lives on the caller's stack, which no thread may
// touch once posenc_distribute has returned.
typedef struct posenc_region {
  void (*task)(void *ctx, int64_t begin, int64_t end, void *scratch);
  void *ctx;
  int64_t count;
  int64_t scratch_bytes;
  const char *function;                // of the caller, for messages
  char message[POSENC_ERROR_CAPACITY]; // of the first failure
  _Atomic int32_t code;                // of the first failure
  // Alone on its line: every thread writes it.
  _Alignas(POSENC_ALIGNMENT) _Atomic int64_t next;
} posenc_region;

// What the runtime knows about a thread. Zero is a thread at rest.
typedef struct posenc_thread {
  const char *function;  // the compiled function being called
  posenc_frame *frame;   // the innermost; NULL outside posenc_rt_run
  posenc_region *region; // whose task runs here; NULL outside tasks
  int32_t code;          // first failure of the call, outside tasks
} posenc_thread;

posenc_thread *posenc_this_thread(void);

// Begins a call of `function` on this thread.
void posenc_begin_call(const char *function);

// Records a failure unless the call (in tasks: the region) has one.
__attribute__((format(printf, 2, 3))) void posenc_fail(int32_t code,
                                                       const char *format, ...);

// Jumps to the innermost frame; returns where there is none.
void posenc_abandon(void);

// Entered before setjmp(frame->target), left on both ways out of it. Leaving
// frees the blocks that are still allocated.
void posenc_frame_enter(posenc_frame *frame);
void posenc_frame_leave(posenc_frame *frame);

// This thread's cached scratch, or NULL when there is no memory.
void *posenc_thread_scratch(int64_t bytes);

// Runs items of the region on this thread until none is left. A helper that
// gets no memory for its scratch leaves them to the others; the caller, who
// finishes, has to have it.
void posenc_region_help(posenc_region *region);
void posenc_region_finish(posenc_region *region);

// Has up to `threads` threads, the caller one of them, work on the region, and
// returns when all have finished. One implementation a library, in
// parallel_*.c; `threads` is at least 2.
void posenc_distribute(posenc_region *region, int32_t threads);

// Whether a body is running on some thread (in the child of a fork perhaps only
// was).
bool posenc_is_running(void);

// The features of this CPU whose registers the system saves.
uint64_t posenc_cpu_features(void);

// Whether the system permits `features`. Asks for what must be asked for: AMX,
// whose permission enlarges every signal frame of the program.
bool posenc_cpu_permits(uint64_t features);

// The last variant whose features `mask` has and the system permits, or -1.
// What it does not permit is taken from `mask`.
int32_t posenc_best_variant(const posenc_variants *library, uint64_t *mask);

// When the library is unloaded: no thread of the runtime runs its code
// afterwards, and what it cached is free.
void posenc_distribute_stop(void);
void posenc_scratch_release(void);
void posenc_allocator_release(void);

#endif // POSENC_RUNTIME_INTERNAL_H
