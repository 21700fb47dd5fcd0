//===- cpu.c - What this CPU and system can run -------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPUID, XCR0 and the kernel's permission for AMX tiles, asked once: CPUID
// traps in virtual machines.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

// asm/prctl.h of older kernels' headers does not have these.
enum { ARCH_REQ_XCOMP_PERM_ = 0x1023, XFEATURE_XTILEDATA_ = 18 };

static bool has_all(uint64_t word, uint64_t bits) {
  return (word & bits) == bits;
}

// The register sets that the system saves; 0 where it saves none by XSAVE.
static uint64_t enabled_states(unsigned ecx1) {
  if (!has_all(ecx1, bit_OSXSAVE))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

// Of the features asked for, those there are. AMX must be asked for: the
// permission enlarges every signal frame of the program.
static uint32_t detect(uint32_t asked) {
  enum {
    statesAvx = 0x6,     // XMM, YMM
    statesAvx512 = 0xe6, // and opmask, both halves of ZMM
    statesAmx = 0x60000  // tile configuration and data
  };
  unsigned eax, ebx, ecx1, ecx7, edx7, ecxExtended, ignored;
  if (!__get_cpuid(1, &eax, &ebx, &ecx1, &ignored))
    return 0;
  unsigned ebx7;
  if (!__get_cpuid_count(7, 0, &eax, &ebx7, &ecx7, &edx7) ||
      !__get_cpuid(0x80000001, &eax, &ebx, &ecxExtended, &ignored))
    return 0;
  uint64_t states = enabled_states(ecx1);
  uint32_t features = 0;
  if (has_all(ecx1, bit_FMA | bit_F16C | bit_MOVBE | bit_AVX) &&
      has_all(ebx7, bit_AVX2 | bit_BMI | bit_BMI2) &&
      has_all(ecxExtended, bit_LZCNT) && has_all(states, statesAvx))
    features |= POSENC_CPU_X86_64_V3;
  if ((features & POSENC_CPU_X86_64_V3) &&
      has_all(ebx7, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ |
                        bit_AVX512VL) &&
      has_all(states, statesAvx512))
    features |= POSENC_CPU_X86_64_V4;
  if ((asked & POSENC_CPU_AMX_BF16) &&
      has_all(edx7, bit_AMXTILE | bit_AMXBF16) && has_all(states, statesAmx) &&
      syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM_, XFEATURE_XTILEDATA_) == 0)
    features |= POSENC_CPU_AMX_BF16;
  return features & asked;
}
#else
static uint32_t detect(uint32_t asked) {
  (void)asked;
  return 0;
}
#endif

bool posenc_rt_cpu_supports(uint32_t feature_mask) {
  // The low half: features there are; the high half: those asked for.
  static _Atomic uint32_t cached;
  uint32_t features = atomic_load_explicit(&cached, memory_order_relaxed);
  if (feature_mask & ~(features >> 16)) {
    features |= detect(feature_mask) | feature_mask << 16;
    atomic_fetch_or_explicit(&cached, features, memory_order_relaxed);
  }
  return (features & feature_mask) == feature_mask;
}

int32_t posenc_rt_require_cpu(uint32_t feature_mask, const char *name) {
  static const struct {
    uint32_t bit;
    const char *text;
  } features[] = {
      {POSENC_CPU_X86_64_V3, "x86-64-v3 (AVX2, FMA)"},
      {POSENC_CPU_X86_64_V4, "x86-64-v4 (AVX-512)"},
      {POSENC_CPU_AMX_BF16, "AMX-BF16 and the system's permission for it"}};
  posenc_begin_call(name);
  for (size_t i = 0; i < sizeof features / sizeof features[0]; ++i)
    if ((feature_mask & features[i].bit) &&
        !posenc_rt_cpu_supports(features[i].bit))
      posenc_fail(POSENC_ERROR_UNSUPPORTED_CPU,
                  "%s: compiled for %s, which this machine lacks; compile with "
                  "a --cpu that it has",
                  name, features[i].text);
  return posenc_rt_status();
}
