//===- select.c - The compilation that this CPU runs --------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library holds its functions once for each --cpu. The first call picks the
// best that the CPU, the system and POSENC_CPU allow, for good.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A bit of a mask, or a value of --cpu.
typedef struct named_mask {
  const char *name;
  uint64_t mask;
} named_mask;

static const named_mask features[] = {
#if defined(__x86_64__)
#define POSENC_X86_FEATURE(NAME, TEXT, WORD, BIT, STATES)                      \
  {TEXT, POSENC_X86(NAME)},
#elif defined(__aarch64__)
#define POSENC_AARCH64_FEATURE(NAME, TEXT, BIT) {TEXT, POSENC_AARCH64(NAME)},
#endif
#include "posenc/Codegen/CPU/CPUFeatures.def"
};

// From the least to the most.
static const named_mask levels[] = {
#if defined(__x86_64__)
#define POSENC_X86_LEVEL(TEXT, TUNE, VECTOR_BITS, L2_KIB, FEATURES)            \
  {TEXT, FEATURES},
#elif defined(__aarch64__)
#define POSENC_AARCH64_LEVEL(TEXT, TUNE, VECTOR_BITS, L2_KIB, FEATURES)        \
  {TEXT, FEATURES},
#endif
#include "posenc/Codegen/CPU/CPUFeatures.def"
};

enum {
  NUM_FEATURES = sizeof features / sizeof features[0],
  NUM_LEVELS = sizeof levels / sizeof levels[0],
  TEXT_CAPACITY = 256
};

static const char *const cap_variable = "POSENC_CPU";
// Of the variable: what every CPU of the architecture has.
static const char *const baseline = "baseline";

// Appends to `text`, which has room for TEXT_CAPACITY bytes.
__attribute__((format(printf, 2, 3))) static void
append(char *text, const char *format, ...) {
  size_t length = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, TEXT_CAPACITY - length, format, arguments);
  va_end(arguments);
}

// Takes from `mask` what POSENC_CPU does not allow. Returns false, and records
// it, where the variable holds no name.
static bool apply_cap(uint64_t *mask, const char *function) {
  const char *cap = getenv(cap_variable);
  if (!cap || !*cap)
    return true;
  if (strcmp(cap, baseline) == 0) {
    *mask = 0;
    return true;
  }
  char known[TEXT_CAPACITY] = "";
  for (int i = 0; i < NUM_LEVELS; ++i) {
    if (strcmp(cap, levels[i].name) == 0) {
      *mask &= levels[i].mask;
      return true;
    }
    append(known, ", %s", levels[i].name);
  }
  posenc_fail(POSENC_ERROR_UNSUPPORTED_CPU,
              "%s: %s=%.64s names no CPU: use one of %s%s", function,
              cap_variable, cap, baseline, known);
  return false;
}

int32_t posenc_best_variant(const posenc_variants *library, uint64_t *mask) {
  for (int32_t i = library->num_variants - 1; i >= 0; --i) {
    uint64_t needed = library->variants[i].features;
    if (needed & ~*mask)
      continue;
    if (posenc_cpu_permits(needed))
      return i;
#if defined(__x86_64__)
    *mask &= ~POSENC_AMX_BF16;
#endif
  }
  return -1;
}

// Records that nothing of the library fits `mask`.
static void refuse(const posenc_variants *library, uint64_t mask,
                   const char *function) {
  char compiled[TEXT_CAPACITY] = "", lacking[TEXT_CAPACITY] = "";
  for (int32_t i = 0; i < library->num_variants; ++i)
    append(compiled, "%s%s", i ? "," : "", library->variants[i].cpu);
  for (int i = 0; i < NUM_FEATURES; ++i)
    if (library->variants[0].features & features[i].mask & ~mask)
      append(lacking, "%s%s", *lacking ? " " : "", features[i].name);
  const char *best = NULL;
  for (int i = 0; i < NUM_LEVELS; ++i)
    if (!(levels[i].mask & ~mask))
      best = levels[i].name;
  const char *cap = getenv(cap_variable);
  char machine[TEXT_CAPACITY] = "this CPU";
  if (cap && *cap)
    append(machine, " under %s=%s", cap_variable, cap);
  if (best)
    posenc_fail(POSENC_ERROR_UNSUPPORTED_CPU,
                "%s: this library was compiled for %s; %s has %s and lacks %s; "
                "recompile with --cpu=%s or --cpu=%s,%s",
                function, compiled, machine, best, lacking, best, best,
                compiled);
  else
    posenc_fail(POSENC_ERROR_UNSUPPORTED_CPU,
                "%s: this library was compiled for %s; %s lacks %s and has no "
                "level that code is compiled for; the least is --cpu=%s",
                function, compiled, machine, lacking, levels[0].name);
}

int32_t posenc_rt_select(const posenc_variants *library, const char *function,
                         int32_t *variant) {
  // One more than the variant's index; zero before the first call. Threads
  // that come first together find the same.
  static _Atomic int32_t chosen;
  *variant = atomic_load_explicit(&chosen, memory_order_relaxed) - 1;
  if (*variant >= 0)
    return POSENC_OK;
  posenc_begin_call(function);
  uint64_t mask = posenc_cpu_features();
  if (!apply_cap(&mask, function))
    return posenc_rt_status();
  *variant = posenc_best_variant(library, &mask);
  if (*variant < 0)
    refuse(library, mask, function);
  else
    atomic_store_explicit(&chosen, *variant + 1, memory_order_relaxed);
  return posenc_rt_status();
}
