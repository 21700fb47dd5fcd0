//===- check.c - A call's arguments against its table -------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the checks of each argument and those between arguments: equal symbols,
// memory that is written apart from all other memory.
//
//===----------------------------------------------------------------------===//

#include "arguments.h"

#include <inttypes.h>

// The first argument of a call; next_place steps through the others.
static posenc_place first_place(const posenc_function *function,
                                DLTensor *const *arguments,
                                int64_t *descriptors) {
  return (posenc_place){function, function->arguments, arguments[0],
                        descriptors, 0};
}

// Only for a place that is not the last.
static posenc_place next_place(posenc_place place, DLTensor *const *arguments) {
  place.descriptor += posenc_descriptor_words(place.argument);
  ++place.argument;
  ++place.index;
  place.tensor = arguments[place.index];
  return place;
}

static int32_t num_inputs(const posenc_function *function) {
  return function->num_arguments - function->num_outputs;
}

// Dimension d of the argument equals the first one, in this or an earlier
// argument, that has the same symbol.
static bool check_symbol(const posenc_place *place, posenc_place earlier,
                         DLTensor *const *arguments, int32_t d) {
  int64_t symbol = place->argument->extents[d];
  int64_t size = posenc_sizes(place)[d];
  for (;; earlier = next_place(earlier, arguments)) {
    for (int32_t e = 0; e < earlier.argument->rank; ++e) {
      if (earlier.argument->extents[e] != symbol)
        continue;
      int64_t first = posenc_sizes(&earlier)[e];
      if (first == size)
        return true;
      return posenc_fail_argument(
          place, POSENC_ERROR_SHAPE,
          "dimension %d is %s = %" PRId64 ", but dimension %d of argument %d "
          "'%s' is %s = %" PRId64 "; pass equal sizes",
          (int)d, place->function->symbol_names[-1 - symbol], size, (int)e,
          (int)earlier.index, earlier.argument->name,
          place->function->symbol_names[-1 - symbol], first);
    }
  }
}

// An argument that is written shares no byte with an earlier one, nor one that
// is read with an earlier one that is written.
static bool check_apart(const posenc_place *place, posenc_place earlier,
                        DLTensor *const *arguments) {
  posenc_range own = posenc_memory(place);
  bool written = place->argument->is_output || place->argument->is_donated;
  for (; earlier.index < place->index;
       earlier = next_place(earlier, arguments)) {
    if (!written && !earlier.argument->is_donated)
      continue;
    posenc_range other = posenc_memory(&earlier);
    if (own.begin == own.end || other.begin == other.end ||
        own.end <= other.begin || other.end <= own.begin)
      continue;
    return posenc_fail_argument(
        place, POSENC_ERROR_ARGUMENT,
        "its memory overlaps argument %d '%s', and the function writes one of "
        "them; pass separate memory",
        (int)earlier.index, earlier.argument->name);
  }
  return true;
}

static bool check_input(const posenc_place *place, posenc_place first,
                        DLTensor *const *arguments) {
  const int64_t *extents = place->argument->extents;
  if (!posenc_describe(place, extents))
    return false;
  for (int32_t d = 0; d < place->argument->rank; ++d)
    if (extents[d] < 0 && !check_symbol(place, first, arguments, d))
      return false;
  return check_apart(place, first, arguments);
}

int32_t posenc_rt_check_inputs(const posenc_function *function,
                               DLTensor *const *arguments,
                               int64_t *descriptors) {
  posenc_begin_call(function->name);
  posenc_place first = first_place(function, arguments, descriptors);
  posenc_place place = first;
  for (int32_t i = 0; i < num_inputs(function); ++i) {
    if (i > 0)
      place = next_place(place, arguments);
    if (!check_input(&place, first, arguments))
      break;
  }
  return posenc_rt_status();
}

int32_t posenc_rt_check_outputs(const posenc_function *function,
                                DLTensor *const *arguments, const int64_t *dims,
                                int64_t *descriptors) {
  posenc_place first = first_place(function, arguments, descriptors);
  posenc_place place = first;
  for (int32_t i = 0; i < function->num_arguments; ++i) {
    if (i > 0)
      place = next_place(place, arguments);
    if (i < num_inputs(function))
      continue;
    if (!posenc_describe(&place, dims) ||
        !check_apart(&place, first, arguments))
      break;
    dims += place.argument->rank;
  }
  return posenc_rt_status();
}

// The caller's DLTensor has room for the sizes.
static bool check_room(const posenc_place *place) {
  int32_t rank = place->argument->rank;
  if (!place->tensor)
    return posenc_fail_argument(
        place, POSENC_ERROR_ARGUMENT,
        "the DLTensor is NULL; pass one whose sizes can be filled in");
  if (place->tensor->ndim < rank)
    return posenc_fail_argument(
        place, POSENC_ERROR_ARGUMENT,
        "ndim says there is room for %d sizes, but the result has %d "
        "dimensions; set ndim and shape to at least that",
        (int)place->tensor->ndim, (int)rank);
  if (rank > 0 && !place->tensor->shape)
    return posenc_fail_argument(
        place, POSENC_ERROR_ARGUMENT,
        "shape is NULL; let it point to room for %d sizes", (int)rank);
  return true;
}

int32_t posenc_rt_report_shapes(const posenc_function *function,
                                DLTensor *const *arguments,
                                const int64_t *dims) {
  for (int32_t i = num_inputs(function); i < function->num_arguments; ++i) {
    const posenc_argument *argument = &function->arguments[i];
    DLTensor *tensor = arguments[i];
    posenc_place place = {function, argument, tensor, NULL, i};
    if (!check_room(&place))
      break;
    tensor->ndim = argument->rank;
    for (int32_t d = 0; d < argument->rank; ++d)
      tensor->shape[d] = dims[d];
    tensor->dtype = (DLDataType){argument->dtype_code, argument->dtype_bits, 1};
    tensor->byte_offset = 0;
    dims += argument->rank;
  }
  return posenc_rt_status();
}
