//===- select.c - The compilation that a CPU runs -----------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_serial -o %t && %t

#include "internal.h"
#include "testing.h"

#if defined(__x86_64__)
static const posenc_variant variants[] = {{"x86-64-v3", POSENC_X86_64_V3},
                                          {"x86-64-v4", POSENC_X86_64_V4}};
static const posenc_variants both = {variants, 2}, v4 = {variants + 1, 1};

// What an Intel machine of these features would run.
static int32_t best(const posenc_variants *library, uint64_t mask) {
  return posenc_best_variant(library, &mask);
}

static void features_are_what_the_compiler_finds(void) {
  // The compiler's own probe asks CPUID and XCR0, too.
  uint64_t found = posenc_cpu_features();
  CHECK((best(&both, found) >= 0) ==
        (__builtin_cpu_supports("x86-64-v3") != 0));
  CHECK((best(&v4, found) >= 0) == (__builtin_cpu_supports("x86-64-v4") != 0));
  CHECK(!(found & POSENC_X86(AVX512BF16)) ==
        !__builtin_cpu_supports("avx512bf16"));
  CHECK(!(found & POSENC_X86(GFNI)) == !__builtin_cpu_supports("gfni"));
}

static void the_best_that_fits_is_picked(void) {
  CHECK(best(&both, POSENC_SAPPHIRE_RAPIDS & ~POSENC_AMX_BF16) == 1);
  CHECK(best(&both, POSENC_X86_64_V4) == 1);
  CHECK(best(&both, POSENC_X86_64_V4 & ~POSENC_X86(AVX512VL)) == 0);
  CHECK(best(&both, POSENC_X86_64_V3) == 0);
  CHECK(best(&both, POSENC_X86_64_V3 & ~POSENC_X86(MOVBE)) == -1);
  CHECK(best(&v4, POSENC_X86_64_V3) == -1);
}

static void amx_needs_the_permission(void) {
  static const posenc_variant needsAmx = {"sapphirerapids",
                                          POSENC_SAPPHIRE_RAPIDS};
  const posenc_variants library = {&needsAmx, 1};
  uint64_t mask = POSENC_SAPPHIRE_RAPIDS;
  bool hasAmx = (posenc_cpu_features() & POSENC_AMX_BF16) == POSENC_AMX_BF16;
  if (hasAmx) // the system may refuse even then
    return;
  CHECK(posenc_best_variant(&library, &mask) == -1);
  CHECK(mask == (POSENC_SAPPHIRE_RAPIDS & ~POSENC_AMX_BF16));
}

static void refusals_say_what_to_do(void) {
  int32_t variant = 7;
  CHECK(setenv("POSENC_CPU", "baseline", 1) == 0);
  CHECK(posenc_rt_select(&v4, "f", &variant) == POSENC_ERROR_UNSUPPORTED_CPU);
  CHECK(variant == -1 && posenc_rt_status() == POSENC_ERROR_UNSUPPORTED_CPU);
  CHECK_ERROR(
      "f: this library was compiled for x86-64-v4; this CPU under "
      "POSENC_CPU=baseline lacks sse3 ssse3 sse4.1 sse4.2 popcnt cx16 sahf "
      "xsave movbe lzcnt bmi bmi2 avx avx2 fma f16c avx512f avx512dq avx512cd "
      "avx512bw avx512vl and has no level that code is compiled for; the least "
      "is --cpu=x86-64-v3");
  CHECK(setenv("POSENC_CPU", "pentium", 1) == 0);
  CHECK(posenc_rt_select(&v4, "f", &variant) == POSENC_ERROR_UNSUPPORTED_CPU);
  CHECK_ERROR("f: POSENC_CPU=pentium names no CPU: use one of baseline, "
              "x86-64-v3, x86-64-v4, sapphirerapids");
  if (!__builtin_cpu_supports("x86-64-v3"))
    return;
  CHECK(setenv("POSENC_CPU", "x86-64-v3", 1) == 0);
  CHECK(posenc_rt_select(&v4, "f", &variant) == POSENC_ERROR_UNSUPPORTED_CPU);
  CHECK_ERROR("f: this library was compiled for x86-64-v4; this CPU under "
              "POSENC_CPU=x86-64-v3 has x86-64-v3 and lacks avx512f avx512dq "
              "avx512cd avx512bw avx512vl; recompile with --cpu=x86-64-v3 or "
              "--cpu=x86-64-v3,x86-64-v4");
}

static void the_first_success_is_for_good(void) {
  int32_t variant = 7;
  if (!__builtin_cpu_supports("x86-64-v3"))
    return;
  CHECK(setenv("POSENC_CPU", "x86-64-v3", 1) == 0);
  CHECK(posenc_rt_select(&both, "f", &variant) == POSENC_OK && variant == 0);
  CHECK(*posenc_last_error() == 0);
  CHECK(setenv("POSENC_CPU", "baseline", 1) == 0);
  CHECK(posenc_rt_select(&both, "f", &variant) == POSENC_OK && variant == 0);
}

int main(void) {
  features_are_what_the_compiler_finds();
  the_best_that_fits_is_picked();
  amx_needs_the_permission();
  refusals_say_what_to_do();
  the_first_success_is_for_good();
  return 0;
}
#elif defined(__aarch64__)
int main(void) {
  static const posenc_variant generic = {"generic-aarch64",
                                         POSENC_AARCH64_GENERIC};
  static const posenc_variants library = {&generic, 1};
  int32_t variant = 7;
  CHECK(setenv("POSENC_CPU", "baseline", 1) == 0);
  CHECK(posenc_rt_select(&library, "f", &variant) ==
        POSENC_ERROR_UNSUPPORTED_CPU);
  CHECK_ERROR("f: this library was compiled for generic-aarch64; this CPU under "
              "POSENC_CPU=baseline lacks fp-armv8 neon and has no level that "
              "code is compiled for; the least is --cpu=generic-aarch64");
  CHECK(setenv("POSENC_CPU", "", 1) == 0);
  CHECK(posenc_rt_select(&library, "f", &variant) == POSENC_OK && variant == 0);
  return 0;
}
#endif
