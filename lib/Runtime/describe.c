//===- describe.c - From DLTensor to memref descriptor ------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks one tensor, before a byte of its data is read, and writes the words of
// its MLIR memref descriptor.
//
//===----------------------------------------------------------------------===//

#include "arguments.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { NAME_CAPACITY = 32, LIST_CAPACITY = 160 };

// Vectorised index arithmetic is 32 bits wide.
static const int64_t largestExtent = INT32_MAX;

// kDLBool: DLPack 0.6 has no name for it.
static const unsigned boolCode = 6;

bool posenc_fail_argument(const posenc_place *place, int32_t code,
                          const char *format, ...) {
  char text[POSENC_ERROR_CAPACITY];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  posenc_fail(code, "%s: argument %d '%s': %s", place->function->name,
              (int)place->index, place->argument->name, text);
  return false;
}

static void print_dtype(char *text, unsigned code, unsigned bits) {
  static const char *const kinds[] = {"int",    "uint",    "float", "opaque",
                                      "bfloat", "complex", "bool"};
  if (code >= sizeof kinds / sizeof kinds[0])
    snprintf(text, NAME_CAPACITY, "DLPack type %u of %u bits", code, bits);
  else if (code == boolCode && bits == 8)
    snprintf(text, NAME_CAPACITY, "bool");
  else
    snprintf(text, NAME_CAPACITY, "%s%u", kinds[code], bits);
}

// "[2, ?, 64]": negative extents are free.
static void print_extents(char *text, const int64_t *extents, int32_t rank) {
  int used = snprintf(text, LIST_CAPACITY, "[");
  for (int32_t d = 0; d < rank && used < LIST_CAPACITY; ++d) {
    const char *comma = d ? ", " : "";
    used += extents[d] < 0
                ? snprintf(text + used, (size_t)(LIST_CAPACITY - used), "%s?",
                           comma)
                : snprintf(text + used, (size_t)(LIST_CAPACITY - used),
                           "%s%" PRId64, comma, extents[d]);
  }
  if (used < LIST_CAPACITY)
    snprintf(text + used, (size_t)(LIST_CAPACITY - used), "]");
}

const char *posenc_print_dimension(char *text, const posenc_place *place,
                                   int32_t dimension) {
  const char *const *names = place->argument->symbols;
  if (names && names[dimension])
    snprintf(text, POSENC_DIMENSION_CAPACITY, "dimension %d (%s)",
             (int)dimension, names[dimension]);
  else
    snprintf(text, POSENC_DIMENSION_CAPACITY, "dimension %d", (int)dimension);
  return text;
}

// C1: a tensor, of the right rank, in memory we can read.
static bool check_header(const posenc_place *place) {
  const DLTensor *tensor = place->tensor;
  const posenc_argument *argument = place->argument;
  if (!tensor)
    return posenc_fail_argument(place, POSENC_ERROR_ARGUMENT,
                                "the DLTensor is NULL; pass a tensor");
  if (tensor->ndim != argument->rank)
    return posenc_fail_argument(
        place, POSENC_ERROR_SHAPE,
        "expected %d dimensions, got %d; reshape the tensor",
        (int)argument->rank, (int)tensor->ndim);
  if (tensor->ndim > 0 && !tensor->shape)
    return posenc_fail_argument(place, POSENC_ERROR_ARGUMENT,
                                "shape is NULL; let it point to the %d sizes",
                                (int)tensor->ndim);
  if (tensor->device.device_type != kDLCPU &&
      tensor->device.device_type != kDLCUDAHost)
    return posenc_fail_argument(
        place, POSENC_ERROR_ARGUMENT,
        "expected a tensor in CPU memory, got DLPack device type %d; copy the "
        "tensor to the CPU",
        (int)tensor->device.device_type);
  return true;
}

// C2: elements of the right type.
static bool check_dtype(const posenc_place *place) {
  const DLTensor *tensor = place->tensor;
  const posenc_argument *argument = place->argument;
  char expected[NAME_CAPACITY], got[NAME_CAPACITY];
  print_dtype(expected, argument->dtype_code, argument->dtype_bits);
  print_dtype(got, tensor->dtype.code, tensor->dtype.bits);
  if (tensor->dtype.code != argument->dtype_code ||
      tensor->dtype.bits != argument->dtype_bits)
    return posenc_fail_argument(place, POSENC_ERROR_ARGUMENT,
                                "expected %s, got %s; convert the tensor to %s",
                                expected, got, expected);
  if (tensor->dtype.lanes != 1)
    return posenc_fail_argument(
        place, POSENC_ERROR_ARGUMENT,
        "expected %s, got vectors of %u lanes of it; make the lanes the last "
        "dimension",
        expected, (unsigned)tensor->dtype.lanes);
  return true;
}

// C3: extents are sizes, not too large, and the static ones as compiled.
static bool check_extents(const posenc_place *place, const int64_t *extents) {
  const int64_t *shape = place->tensor->shape;
  int32_t rank = place->argument->rank;
  char name[POSENC_DIMENSION_CAPACITY];
  for (int32_t d = 0; d < rank; ++d) {
    if (shape[d] < 0)
      return posenc_fail_argument(
          place, POSENC_ERROR_SHAPE,
          "%s has size %" PRId64 "; sizes are not negative",
          posenc_print_dimension(name, place, d), shape[d]);
    if (extents[d] >= 0 && shape[d] != extents[d]) {
      char expected[LIST_CAPACITY], got[LIST_CAPACITY];
      print_extents(expected, extents, rank);
      print_extents(got, shape, rank);
      return posenc_fail_argument(
          place, POSENC_ERROR_SHAPE,
          "expected shape %s, got %s: %s must be %" PRId64 "; %s", expected,
          got, posenc_print_dimension(name, place, d), extents[d],
          place->argument->is_output
              ? "allocate the output with the sizes the _shapes function gives"
              : "pass that size or compile for the other");
    }
    if (shape[d] > largestExtent)
      return posenc_fail_argument(
          place, POSENC_ERROR_SHAPE,
          "%s has size %" PRId64
          ": dimension larger than 2147483647; split the tensor along it",
          posenc_print_dimension(name, place, d), shape[d]);
  }
  return true;
}

static bool is_empty(const posenc_place *place) {
  for (int32_t d = 0; d < place->argument->rank; ++d)
    if (posenc_sizes(place)[d] == 0)
      return true;
  return false;
}

// Writes the sizes and the strides: the tensor's own where they are used, the
// row-major ones elsewhere.
static bool describe_layout(const posenc_place *place) {
  const DLTensor *tensor = place->tensor;
  int64_t *sizes = posenc_sizes(place), *strides = posenc_strides(place);
  int32_t rank = place->argument->rank;
  for (int32_t d = 0; d < rank; ++d)
    sizes[d] = tensor->shape[d];
  bool own = tensor->strides && !is_empty(place);
  int64_t rowMajor = 1;
  for (int32_t d = rank - 1; d >= 0; --d) {
    strides[d] = own && sizes[d] > 1 ? tensor->strides[d] : rowMajor;
    int64_t extent = sizes[d] > 1 ? sizes[d] : 1;
    // Past the address space the strides of an empty tensor do not matter, and
    // those of a full one are refused by check_span.
    if (__builtin_mul_overflow(rowMajor, extent, &rowMajor))
      rowMajor = INT64_MAX;
  }
  if (rank > 0 && sizes[rank - 1] > 1 && strides[rank - 1] != 1)
    return posenc_fail_argument(
        place, POSENC_ERROR_ARGUMENT,
        "expected stride 1 in the last dimension, got %" PRId64
        "; make the tensor contiguous in it",
        strides[rank - 1]);
  return true;
}

// C4: what the tensor reaches can be addressed in 64 bits.
static bool check_span(const posenc_place *place) {
  int64_t reach = 0;
  for (int32_t d = 0; d < place->argument->rank; ++d) {
    int64_t step, stride = posenc_strides(place)[d];
    if (stride == INT64_MIN ||
        __builtin_mul_overflow(stride < 0 ? -stride : stride,
                               posenc_sizes(place)[d] - 1, &step) ||
        __builtin_add_overflow(reach, step, &reach))
      reach = INT64_MAX;
  }
  // 2^56 elements of at most 16 bytes leave room for any sum below.
  if (reach < (int64_t)1 << 56)
    return true;
  return posenc_fail_argument(place, POSENC_ERROR_SHAPE,
                              "its sizes and strides span more memory than can "
                              "be addressed; check the strides");
}

// C5: no two elements of a tensor that is written share memory. Sufficient and
// simple: sorted by stride, each dimension steps over all inner ones.
static bool check_distinct(const posenc_place *place) {
  const int64_t *sizes = posenc_sizes(place), *strides = posenc_strides(place);
  int32_t rank = place->argument->rank;
  for (int32_t d = 0; d < rank; ++d) {
    if (sizes[d] <= 1)
      continue;
    int64_t own = strides[d] < 0 ? -strides[d] : strides[d];
    int64_t inner = 0;
    for (int32_t e = 0; e < rank; ++e) {
      int64_t stride = strides[e] < 0 ? -strides[e] : strides[e];
      if (e != d && sizes[e] > 1 && (stride < own || (stride == own && e > d)))
        inner += (sizes[e] - 1) * stride;
    }
    if (own <= inner)
      return posenc_fail_argument(
          place, POSENC_ERROR_ARGUMENT,
          "stride %" PRId64 " of dimension %d makes elements share memory, but "
          "the function writes this argument; pass a tensor without overlap",
          strides[d], (int)d);
  }
  return true;
}

// C6: there is memory, aligned to the element.
static bool check_data(const posenc_place *place) {
  const DLTensor *tensor = place->tensor;
  if (!tensor->data)
    return posenc_fail_argument(place, POSENC_ERROR_ARGUMENT,
                                "data is NULL, but the tensor has elements; "
                                "pass their memory");
  uintptr_t address = (uintptr_t)tensor->data + tensor->byte_offset;
  uintptr_t size = (uintptr_t)(place->argument->dtype_bits + 7) / 8;
  if (address % size != 0)
    return posenc_fail_argument(
        place, POSENC_ERROR_ARGUMENT,
        "data + byte_offset is not a multiple of the element size, %d bytes; "
        "copy the tensor to aligned memory",
        (int)size);
  return true;
}

bool posenc_describe(const posenc_place *place, const int64_t *extents) {
  if (!check_header(place) || !check_dtype(place) ||
      !check_extents(place, extents) || !describe_layout(place))
    return false;
  bool written = place->argument->is_output || place->argument->is_donated;
  if (!is_empty(place) && (!check_span(place) || !check_data(place) ||
                           (written && !check_distinct(place))))
    return false;
  uintptr_t data = (uintptr_t)place->tensor->data;
  int64_t address = (int64_t)(data ? data + place->tensor->byte_offset : 0);
  place->descriptor[0] = address;
  place->descriptor[1] = address;
  place->descriptor[2] = 0;
  return true;
}

posenc_range posenc_memory(const posenc_place *place) {
  uintptr_t address = (uintptr_t)place->descriptor[1];
  if (is_empty(place))
    return (posenc_range){address, address};
  int64_t lowest = 0, highest = 0;
  for (int32_t d = 0; d < place->argument->rank; ++d) {
    int64_t step = (posenc_sizes(place)[d] - 1) * posenc_strides(place)[d];
    *(step < 0 ? &lowest : &highest) += step;
  }
  int64_t size = (place->argument->dtype_bits + 7) / 8;
  return (posenc_range){address + (uintptr_t)(lowest * size),
                        address + (uintptr_t)((highest + 1) * size)};
}
