//===- fpstate.h - The floating-point state of a thread -----------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads, replaces and restores MXCSR (x86-64) or FPCR and FPSR (AArch64), bit
// by bit, sticky exception flags included.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_RUNTIME_FPSTATE_H
#define POSENC_RUNTIME_FPSTATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct posenc_fpstate {
  uint64_t control;
  uint64_t status;
} posenc_fpstate;

#if defined(__x86_64__)
enum {
  POSENC_FP_DEFAULT = 0x1F80, // to nearest, all exceptions masked
  POSENC_FP_FLUSH = 0x8040    // FTZ and DAZ
};

static inline posenc_fpstate posenc_fp_read(void) {
  uint32_t mxcsr;
  __asm__ volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
  return (posenc_fpstate){mxcsr, 0};
}

static inline void posenc_fp_write(posenc_fpstate state) {
  uint32_t mxcsr = (uint32_t)state.control;
  __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}
#elif defined(__aarch64__)
enum {
  POSENC_FP_DEFAULT = 0,       // to nearest, no trap enabled
  POSENC_FP_FLUSH = 0x01000000 // FZ
};

static inline posenc_fpstate posenc_fp_read(void) {
  posenc_fpstate state;
  __asm__ volatile("mrs %0, fpcr" : "=r"(state.control) : : "memory");
  __asm__ volatile("mrs %0, fpsr" : "=r"(state.status) : : "memory");
  return state;
}

static inline void posenc_fp_write(posenc_fpstate state) {
  __asm__ volatile("msr fpcr, %0" : : "r"(state.control) : "memory");
  __asm__ volatile("msr fpsr, %0" : : "r"(state.status) : "memory");
}
#else
#error "the posenc runtime knows x86-64 and AArch64"
#endif

// Sets the state compiled code is made for; returns the one to write back.
static inline posenc_fpstate posenc_fp_enter(bool flush) {
  posenc_fpstate saved = posenc_fp_read();
  posenc_fp_write((posenc_fpstate){
      POSENC_FP_DEFAULT | (flush ? (uint64_t)POSENC_FP_FLUSH : 0), 0});
  return saved;
}

#endif // POSENC_RUNTIME_FPSTATE_H
