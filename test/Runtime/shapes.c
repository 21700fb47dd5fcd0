//===- shapes.c - Reporting the sizes of results ------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_serial -o %t && %t

#include "testing.h"

// f(in[N]) -> a[N, N], b[]
static const char *const symbolNames[] = {"N"};
static const int64_t vector[] = {-1}, matrix[] = {-1, -1};
static const posenc_argument arguments[] = {
    {"in", vector, NULL, 1, FLOAT32_CODE, 32, 0, 0},
    {"a", matrix, NULL, 2, 4, 16, 1, 0},
    {"b", NULL, NULL, 0, FLOAT32_CODE, 32, 1, 0}};
static const posenc_function function = {"f", arguments, symbolNames, 3, 2, 1};

int main(void) {
  float data[5];
  int64_t shape[] = {5}, dims[] = {5, 5}, room[3] = {-7, -7, -7};
  DLTensor in = tensor_of(data, 1, shape, NULL);
  DLTensor a = {.ndim = 3, .shape = room, .byte_offset = 12};
  DLTensor b = {.ndim = 0};
  DLTensor *pointers[] = {&in, &a, &b};
  int64_t descriptors[5 + 7 + 3];

  CHECK(posenc_rt_check_inputs(&function, pointers, descriptors) == POSENC_OK);
  CHECK(posenc_rt_report_shapes(&function, pointers, dims) == POSENC_OK);
  CHECK(a.ndim == 2 && room[0] == 5 && room[1] == 5 && room[2] == -7);
  CHECK(a.dtype.code == 4 && a.dtype.bits == 16 && a.dtype.lanes == 1);
  CHECK(a.byte_offset == 0 && a.data == NULL && a.strides == NULL);
  CHECK(b.ndim == 0 && b.dtype.bits == 32);

  a.ndim = 1;
  CHECK(posenc_rt_report_shapes(&function, pointers, dims) ==
        POSENC_ERROR_ARGUMENT);
  CHECK_ERROR("f: argument 1 'a': ndim says there is room for 1 sizes, but the "
              "result has 2 dimensions; set ndim and shape to at least that");

  CHECK(posenc_rt_check_inputs(&function, pointers, descriptors) == POSENC_OK);
  a.ndim = 2;
  a.shape = NULL;
  CHECK(posenc_rt_report_shapes(&function, pointers, dims) != POSENC_OK);
  CHECK_ERROR("f: argument 1 'a': shape is NULL; let it point to room for 2 "
              "sizes");

  CHECK(posenc_rt_check_inputs(&function, pointers, descriptors) == POSENC_OK);
  pointers[2] = NULL;
  a.shape = room;
  CHECK(posenc_rt_report_shapes(&function, pointers, dims) != POSENC_OK);
  CHECK_ERROR("f: argument 2 'b': the DLTensor is NULL; pass one whose sizes "
              "can be filled in");

  // What a shapes body asserts.
  CHECK(posenc_rt_check_inputs(&function, pointers, descriptors) == POSENC_OK);
  posenc_rt_assert(true, "not this");
  CHECK(posenc_rt_status() == POSENC_OK);
  posenc_rt_assert(false, "N must be even");
  posenc_rt_assert(false, "nor this");
  CHECK(posenc_rt_status() == POSENC_ERROR_SHAPE);
  CHECK_ERROR("f: N must be even");
  return 0;
}
