//===- arguments.h - One argument of a call -----------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What describe.c offers to check.c: an argument's place, checks and memory.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_RUNTIME_ARGUMENTS_H
#define POSENC_RUNTIME_ARGUMENTS_H

#include "internal.h"

// Words of a descriptor in front of the sizes.
enum { POSENC_DESCRIPTOR_SIZES = 3 };

// An argument of a call.
typedef struct posenc_place {
  const posenc_function *function;
  const posenc_argument *argument; // function->arguments[index]
  const DLTensor *tensor;
  int64_t *descriptor;
  int32_t index;
} posenc_place;

// Bytes [begin, end) of memory; empty where begin == end.
typedef struct posenc_range {
  uintptr_t begin;
  uintptr_t end;
} posenc_range;

static inline int64_t posenc_descriptor_words(const posenc_argument *argument) {
  return POSENC_DESCRIPTOR_SIZES + 2 * (int64_t)argument->rank;
}

static inline int64_t *posenc_sizes(const posenc_place *place) {
  return place->descriptor + POSENC_DESCRIPTOR_SIZES;
}

static inline int64_t *posenc_strides(const posenc_place *place) {
  return posenc_sizes(place) + place->argument->rank;
}

// Records "FUNCTION: argument INDEX 'NAME': ..." and returns false.
__attribute__((format(printf, 3, 4))) bool
posenc_fail_argument(const posenc_place *place, int32_t code,
                     const char *format, ...);

enum { POSENC_DIMENSION_CAPACITY = 64 };

// Prints "dimension D", with the name that the graph gives it if any, into
// `text`, which it returns.
const char *posenc_print_dimension(char *text, const posenc_place *place,
                                   int32_t dimension);

// Checks the tensor against `extents` (negative ones are free) and fills in
// its descriptor.
bool posenc_describe(const posenc_place *place, const int64_t *extents);

// The memory a described tensor reaches. Its arithmetic cannot overflow.
posenc_range posenc_memory(const posenc_place *place);

#endif // POSENC_RUNTIME_ARGUMENTS_H
