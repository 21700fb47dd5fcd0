//===- fpstate.c - The floating-point state of caller and tasks ---*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_pool -o %t && %t

#include "fpstate.h"
#include "internal.h"
#include "testing.h"

static const posenc_function function = {.name = "f"};

// Not folded at compile time.
static volatile float denormal = 1e-40f, half = 0.5f, third = 1.0f / 3;
static float roundedToNearest;

static void in_task(void *ctx, int64_t begin, int64_t end, void *scratch) {
  (void)ctx, (void)end, (void)scratch;
  CHECK(denormal * half == 0);
  CHECK(third * third == roundedToNearest);
  posenc_rt_assert(begin != 100, "task 100");
}

static void body(int64_t *descriptors) {
  CHECK(denormal * half != 0);
  CHECK(third * third == roundedToNearest);
  posenc_parallel_for(in_task, NULL, descriptors[0], 0);
}

// The caller's state, with exceptions already raised, comes back bit by bit.
static void call_with(uint64_t control, uint64_t status) {
  posenc_fpstate saved = posenc_fp_read();
  int64_t counts[] = {1, 64, 101};
  for (int i = 0; i < 3; ++i) {
    posenc_fp_write((posenc_fpstate){control, status});
    posenc_fpstate before = posenc_fp_read();
    int32_t checked =
        posenc_rt_check_inputs(&function, (DLTensor *[]){NULL}, NULL);
    int32_t code = posenc_rt_run(body, &counts[i]);
    posenc_fpstate after = posenc_fp_read();
    posenc_fp_write(saved);
    CHECK(checked == POSENC_OK);
    CHECK(code == (i == 2 ? POSENC_ERROR_RUNTIME : POSENC_OK));
    CHECK(before.control == after.control && before.status == after.status);
  }
}

int main(void) {
  roundedToNearest = third * third;
#if defined(__x86_64__)
  call_with(0x1F80, 0);
  call_with(0x1F80 | 0x8040, 0);        // FTZ, DAZ
  call_with(0x1F80 | 0x4000, 0);        // upwards
  call_with(0x1F80 | 0x6000 | 0x3f, 0); // to zero, all flags raised
  call_with(0x1F80 & ~0x0400, 0);       // overflow traps
#else
  call_with(0, 0);
  call_with(0x01000000, 0);    // FZ
  call_with(0x00400000, 0);    // upwards
  call_with(0x00C00000, 0x1f); // to zero, all flags raised
#endif
  return 0;
}
