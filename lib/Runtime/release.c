//===- release.c - When the library is unloaded -------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stops the threads before their code goes away, then frees what is cached.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

static void release(void) {
  posenc_distribute_stop();
  // A program may exit while one of its threads computes.
  if (posenc_is_running())
    return;
  posenc_scratch_release();
  posenc_allocator_release();
}

// Placed by hand: __attribute__((destructor)) becomes llvm.global_dtors, which
// a TargetMachine with the default options puts where no loader looks. Address
// sanitizer would pad the array with nulls.
__attribute__((
    section(".fini_array"), used,
    no_sanitize("address"))) static void (*const releaseEntry)(void) = release;
