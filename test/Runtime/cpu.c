//===- cpu.c - CPU features and the error for lacking ones --------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_serial -o %t && %t

#include "testing.h"

int main(void) {
  CHECK(posenc_rt_cpu_supports(0));
  CHECK(posenc_rt_require_cpu(0, "f") == POSENC_OK);
#if defined(__x86_64__)
  // The compiler's own probe asks CPUID and XCR0, too.
  CHECK(posenc_rt_cpu_supports(POSENC_CPU_X86_64_V3) ==
        (__builtin_cpu_supports("x86-64-v3") != 0));
  CHECK(posenc_rt_cpu_supports(POSENC_CPU_X86_64_V4) ==
        (__builtin_cpu_supports("x86-64-v4") != 0));
#else
  CHECK(!posenc_rt_cpu_supports(POSENC_CPU_X86_64_V3));
#endif
  const uint32_t all =
      POSENC_CPU_X86_64_V3 | POSENC_CPU_X86_64_V4 | POSENC_CPU_AMX_BF16;
  int32_t code = posenc_rt_require_cpu(all, "f");
  CHECK((code == POSENC_OK) == posenc_rt_cpu_supports(all));
  if (code != POSENC_OK) {
    CHECK(code == POSENC_ERROR_UNSUPPORTED_CPU);
    CHECK(strstr(posenc_last_error(), "f: compiled for ") ==
          posenc_last_error());
    CHECK(strstr(posenc_last_error(), "which this machine lacks; compile with "
                                      "a --cpu that it has"));
  }
  return 0;
}
