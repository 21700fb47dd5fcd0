//===- parallel_host.c - --threads=host ---------------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of the program around us, through a callback. Each call of it
// takes items until none is left, so it does not matter how many of them the
// host runs at a time, and the caller finishes what they left.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

static _Atomic(posenc_host_parallel_for) hostFunction;
static _Atomic(void *) hostUser;

// Both weak, as posenc_last_error is: one setting for all libraries.
__attribute__((weak, visibility("default"))) void
posenc_set_parallel_for(posenc_host_parallel_for function, void *user) {
  atomic_store(&hostUser, user);
  atomic_store(&hostFunction, function);
}

__attribute__((weak, visibility("default"))) posenc_host_parallel_for
posenc_get_parallel_for(void **user) {
  *user = atomic_load(&hostUser);
  return atomic_load(&hostFunction);
}

static void work(void *data, int64_t index) {
  (void)index;
  posenc_region_help(data);
}

void posenc_distribute(posenc_region *region, int32_t threads) {
  void *user;
  posenc_host_parallel_for function = posenc_get_parallel_for(&user);
  if (function) {
    // A pool that steals work may run another call on this thread meanwhile.
    posenc_thread *thread = posenc_this_thread();
    posenc_thread saved = *thread;
    *thread = (posenc_thread){0};
    function(work, region, threads, user);
    *thread = saved;
  }
  posenc_region_finish(region);
}

void posenc_distribute_stop(void) {}
