//===- scratch.c - Scratch memory of the threads ------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One buffer a thread, grown as tasks need and freed when the thread exits. The
// slots form a list that is only pushed to, and a slot is reused by a later
// thread: no lock, so nothing to hold across a fork, and the unloading of the
// library finds every buffer.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct slot {
  struct slot *next;
  _Atomic bool taken; // by a thread
  void *memory;
  size_t capacity;
} slot;

static _Atomic(slot *) slots;
static pthread_key_t slotOfThread;
static pthread_once_t keyOnce = PTHREAD_ONCE_INIT;
static bool hasKey;

// At the exit of a thread.
static void leave_slot(void *pointer) {
  slot *own = pointer;
  free(own->memory);
  own->memory = NULL;
  own->capacity = 0;
  atomic_store_explicit(&own->taken, false, memory_order_release);
}

static void make_key(void) {
  hasKey = pthread_key_create(&slotOfThread, leave_slot) == 0;
}

static slot *take_slot(void) {
  for (slot *s = atomic_load(&slots); s; s = s->next) {
    bool taken = false;
    if (atomic_compare_exchange_strong(&s->taken, &taken, true))
      return s;
  }
  slot *fresh = calloc(1, sizeof *fresh);
  if (!fresh)
    return NULL;
  atomic_init(&fresh->taken, true);
  fresh->next = atomic_load(&slots);
  while (!atomic_compare_exchange_weak(&slots, &fresh->next, fresh)) {
  }
  return fresh;
}

static slot *this_thread_slot(void) {
  pthread_once(&keyOnce, make_key);
  if (!hasKey)
    return NULL;
  slot *own = pthread_getspecific(slotOfThread);
  if (own)
    return own;
  own = take_slot();
  if (own && pthread_setspecific(slotOfThread, own) != 0) {
    leave_slot(own);
    return NULL;
  }
  return own;
}

void *posenc_thread_scratch(int64_t bytes) {
  slot *own = this_thread_slot();
  if (!own)
    return NULL;
  if (own->capacity >= (size_t)bytes)
    return own->memory;
  free(own->memory);
  own->memory = NULL;
  own->capacity = 0;
  if (bytes > INT64_MAX - POSENC_ALIGNMENT)
    return NULL;
  size_t capacity =
      ((size_t)bytes + POSENC_ALIGNMENT - 1) & ~(size_t)(POSENC_ALIGNMENT - 1);
  own->memory = aligned_alloc(POSENC_ALIGNMENT, capacity);
  if (own->memory)
    own->capacity = capacity;
  return own->memory;
}

void posenc_scratch_release(void) {
  if (hasKey)
    pthread_key_delete(slotOfThread);
  hasKey = false;
  for (slot *s = atomic_exchange(&slots, NULL); s;) {
    slot *next = s->next;
    free(s->memory);
    free(s);
    s = next;
  }
}
