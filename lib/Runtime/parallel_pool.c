//===- parallel_pool.c - --threads=pool ---------------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool of our own, started by the first region that can use it.
//
// One caller has the pool at a time; others run serially meanwhile. The caller
// opens the gate, workers join by counting themselves in, and when no item is
// left the caller closes the gate and waits for those inside only: a worker
// that wakes late finds the gate closed and costs nobody time. Between regions
// workers spin for some microseconds, then sleep on a futex.
//
// A fork leaves the child without workers and, if it came at a bad moment, with
// a pool that looks taken. So the pool is stamped with its process.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_WORKERS = 1023, SPIN_NANOSECONDS = 5000, STACK_BYTES = 1 << 20 };

static const uint32_t gateOpen = 1u << 31; // the other bits count workers

static struct {
  _Atomic pid_t owner;   // process whose thread has the pool; 0: free
  pid_t process;         // whose workers these are
  int32_t workers;       // started
  posenc_region *region; // stable while a worker is inside the gate
  _Alignas(POSENC_ALIGNMENT) _Atomic uint32_t gate;
  _Atomic int32_t places;                            // workers the gate lets in
  _Alignas(POSENC_ALIGNMENT) _Atomic uint32_t epoch; // openings of the gate
  _Atomic int32_t sleepers;
  _Atomic bool stopping;
  pthread_t threads[MAX_WORKERS];
} pool;

static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int threads) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void pause_cpu(void) {
#if defined(__x86_64__)
  __asm__ volatile("pause");
#else
  __asm__ volatile("isb" : : : "memory");
#endif
}

// Spins until the word differs from `value` or some microseconds have passed:
// by time, since a pause takes 5 to 150 cycles. Returns the word.
static uint32_t spin_while(_Atomic uint32_t *word, uint32_t value) {
  int64_t end = nanoseconds() + SPIN_NANOSECONDS;
  do {
    for (int i = 0; i < 8; ++i) {
      uint32_t now = atomic_load_explicit(word, memory_order_acquire);
      if (now != value)
        return now;
      pause_cpu();
    }
  } while (nanoseconds() < end);
  return atomic_load_explicit(word, memory_order_acquire);
}

static bool enter_gate(void) {
  uint32_t gate = atomic_load(&pool.gate);
  do { // a stale number of places costs a thread too many or too few, no more
    if (!(gate & gateOpen) ||
        (int32_t)(gate & ~gateOpen) >=
            atomic_load_explicit(&pool.places, memory_order_relaxed))
      return false;
  } while (!atomic_compare_exchange_weak(&pool.gate, &gate, gate + 1));
  return true;
}

static void leave_gate(void) {
  // The last one out of a closed gate: the caller waits for it.
  if (atomic_fetch_sub(&pool.gate, 1) == 1)
    futex_wake(&pool.gate, 1);
}

static void *run_worker(void *unused) {
  (void)unused;
  uint32_t seen = 0;
  while (!atomic_load(&pool.stopping)) {
    uint32_t epoch = spin_while(&pool.epoch, seen);
    if (epoch == seen) {
      atomic_fetch_add(&pool.sleepers, 1);
      futex_wait(&pool.epoch, seen);
      atomic_fetch_sub(&pool.sleepers, 1);
      continue;
    }
    seen = epoch;
    if (enter_gate()) {
      posenc_region_help(pool.region);
      leave_gate();
    }
  }
  return NULL;
}

// Advances the epoch; a worker about to sleep sees it, or is counted here.
static void wake_workers(int32_t count) {
  atomic_fetch_add(&pool.epoch, 1);
  if (atomic_load(&pool.sleepers) > 0)
    futex_wake(&pool.epoch, count);
}

// Takes the pool for this thread, over from a process that we are a fork of.
static bool acquire(pid_t process) {
  pid_t owner = atomic_load_explicit(&pool.owner, memory_order_relaxed);
  if (owner == process ||
      !atomic_compare_exchange_strong(&pool.owner, &owner, process))
    return false;
  if (pool.process != process) {
    pool.process = process;
    pool.workers = 0;
    atomic_store(&pool.gate, 0);
    atomic_store(&pool.epoch, 0);
    atomic_store(&pool.sleepers, 0);
  }
  return true;
}

// Fewer workers than asked for is no error: the caller works too.
static void start_workers(int32_t count) {
  if (count > MAX_WORKERS)
    count = MAX_WORKERS;
  if (pool.workers >= count)
    return;
  // Signals are the program's own threads' business.
  sigset_t all, saved;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &saved);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  while (pool.workers < count &&
         pthread_create(&pool.threads[pool.workers], &attributes, run_worker,
                        NULL) == 0)
    ++pool.workers;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

void posenc_distribute(posenc_region *region, int32_t threads) {
  if (!acquire(getpid())) {
    posenc_region_finish(region);
    return;
  }
  start_workers(threads - 1);
  pool.region = region;
  atomic_store_explicit(&pool.places, threads - 1, memory_order_relaxed);
  atomic_fetch_or(&pool.gate, gateOpen);
  wake_workers(threads - 1);
  posenc_region_finish(region);
  uint32_t inside = atomic_fetch_and(&pool.gate, ~gateOpen) & ~gateOpen;
  while (inside != 0) {
    inside = spin_while(&pool.gate, inside);
    if (inside != 0) {
      futex_wait(&pool.gate, inside);
      inside = atomic_load(&pool.gate);
    }
  }
  atomic_store_explicit(&pool.owner, 0, memory_order_release);
}

void posenc_distribute_stop(void) {
  // Where a call has the pool the program is exiting around it. Else nothing
  // gets the pool any more, and late calls run serially.
  if (!acquire(getpid()))
    return;
  atomic_store(&pool.stopping, true);
  wake_workers(INT_MAX);
  for (int32_t i = 0; i < pool.workers; ++i)
    pthread_join(pool.threads[i], NULL);
  pool.workers = 0;
}
