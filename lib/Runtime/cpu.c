//===- cpu.c - What this CPU and system can run -------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CPUID, XCR0 and the kernel's permission for AMX tiles on x86-64; AT_HWCAP on
// AArch64.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

// The words of CPUID that report a feature.
enum {
  LEAF1_ECX,
  LEAF7_EBX,
  LEAF7_ECX,
  LEAF7_EDX,
  LEAF7_1_EAX,
  LEAF80000001_ECX,
  NUM_WORDS
};

// The register sets of XCR0 that a feature needs.
enum {
  STATES_NONE = 0,
  STATES_AVX = 0x6,     // XMM, YMM
  STATES_AVX512 = 0xe6, // and opmask, both halves of ZMM
  STATES_AMX = 0x60000  // tile configuration and data
};

// asm/prctl.h of older kernels' headers does not have these.
enum { ARCH_REQ_XCOMP_PERM_ = 0x1023, XFEATURE_XTILEDATA_ = 18 };

static void read_words(unsigned words[NUM_WORDS]) {
  unsigned eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx))
    words[LEAF1_ECX] = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
    words[LEAF7_EBX] = ebx;
    words[LEAF7_ECX] = ecx;
    words[LEAF7_EDX] = edx;
    if (eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx))
      words[LEAF7_1_EAX] = eax;
  }
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
    words[LEAF80000001_ECX] = ecx;
}

// The register sets that the system saves; 0 where it saves none by XSAVE.
static uint64_t enabled_states(const unsigned words[NUM_WORDS]) {
  if (!(words[LEAF1_ECX] & bit_OSXSAVE))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

uint64_t posenc_cpu_features(void) {
  static const struct {
    uint64_t states;
    uint32_t word, bit;
  } features[] = {
#define POSENC_X86_FEATURE(NAME, TEXT, WORD, BIT, STATES) {STATES, WORD, BIT},
#include "posenc/Codegen/CPU/CPUFeatures.def"
  };
  unsigned words[NUM_WORDS] = {0};
  read_words(words);
  uint64_t states = enabled_states(words), found = 0;
  for (size_t i = 0; i < sizeof features / sizeof features[0]; ++i)
    if ((words[features[i].word] >> features[i].bit & 1) &&
        (states & features[i].states) == features[i].states)
      found |= UINT64_C(1) << i;
  return found;
}

bool posenc_cpu_permits(uint64_t features) {
  return !(features & POSENC_AMX_BF16) ||
         syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM_, XFEATURE_XTILEDATA_) ==
             0;
}
#elif defined(__aarch64__)
#include <sys/auxv.h>

uint64_t posenc_cpu_features(void) {
  static const uint32_t bits[] = {
#define POSENC_AARCH64_FEATURE(NAME, TEXT, BIT) BIT,
#include "posenc/Codegen/CPU/CPUFeatures.def"
  };
  unsigned long capabilities = getauxval(AT_HWCAP);
  uint64_t found = 0;
  for (size_t i = 0; i < sizeof bits / sizeof bits[0]; ++i)
    if (capabilities >> bits[i] & 1)
      found |= UINT64_C(1) << i;
  return found;
}

bool posenc_cpu_permits(uint64_t features) {
  (void)features;
  return true;
}
#endif
