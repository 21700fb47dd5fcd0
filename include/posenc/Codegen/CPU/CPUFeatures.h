/*===- CPUFeatures.h - CPU features as bits of a mask --------------*- C -*-===*
 *
 * Part of the posenc project, under the Apache License v2.0 with LLVM
 * Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * One 64-bit mask for each architecture's rows of CPUFeatures.def, and the
 * masks of the levels. C, for the runtime, and C++, for the compiler.
 *
 *===----------------------------------------------------------------------===*/

#ifndef POSENC_CODEGEN_CPU_CPUFEATURES_H
#define POSENC_CODEGEN_CPU_CPUFEATURES_H

#include <stdint.h>

enum {
#define POSENC_X86_FEATURE(NAME, TEXT, WORD, BIT, STATES) POSENC_X86_BIT_##NAME,
#include "posenc/Codegen/CPU/CPUFeatures.def"
};

enum {
#define POSENC_AARCH64_FEATURE(NAME, TEXT, BIT) POSENC_AARCH64_BIT_##NAME,
#include "posenc/Codegen/CPU/CPUFeatures.def"
};

#define POSENC_X86(NAME) (UINT64_C(1) << POSENC_X86_BIT_##NAME)
#define POSENC_AARCH64(NAME) (UINT64_C(1) << POSENC_AARCH64_BIT_##NAME)

#define POSENC_X86_64_V3                                                       \
  (POSENC_X86(SSE3) | POSENC_X86(SSSE3) | POSENC_X86(SSE41) |                  \
   POSENC_X86(SSE42) | POSENC_X86(POPCNT) | POSENC_X86(CX16) |                 \
   POSENC_X86(SAHF) | POSENC_X86(XSAVE) | POSENC_X86(MOVBE) |                  \
   POSENC_X86(LZCNT) | POSENC_X86(BMI) | POSENC_X86(BMI2) | POSENC_X86(AVX) |  \
   POSENC_X86(AVX2) | POSENC_X86(FMA) | POSENC_X86(F16C))
#define POSENC_X86_64_V4                                                       \
  (POSENC_X86_64_V3 | POSENC_X86(AVX512F) | POSENC_X86(AVX512DQ) |             \
   POSENC_X86(AVX512CD) | POSENC_X86(AVX512BW) | POSENC_X86(AVX512VL))
#define POSENC_AMX_BF16 (POSENC_X86(AMXTILE) | POSENC_X86(AMXBF16))
#define POSENC_SAPPHIRE_RAPIDS                                                 \
  (POSENC_X86_64_V4 | POSENC_X86(AVX512VBMI) | POSENC_X86(AVX512VBMI2) |       \
   POSENC_X86(GFNI) | POSENC_X86(AVX512VNNI) | POSENC_X86(AVX512BITALG) |      \
   POSENC_X86(AVX512VPOPCNTDQ) | POSENC_X86(AVX512FP16) |                      \
   POSENC_X86(AVXVNNI) | POSENC_X86(AVX512BF16) | POSENC_AMX_BF16)
#define POSENC_AARCH64_GENERIC (POSENC_AARCH64(FP) | POSENC_AARCH64(NEON))

#endif /* POSENC_CODEGEN_CPU_CPUFEATURES_H */
