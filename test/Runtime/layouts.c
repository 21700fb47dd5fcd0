//===- layouts.c - Corner forms of DLTensor that are taken --------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_serial -o %t && %t

#include "testing.h"

// copy(in[A, C]) -> out[A, C]; scalar(in[]) -> out[]
static const char *const symbolNames[] = {"A", "C"};
static const int64_t extents[] = {-1, -2};
static const posenc_argument copyArguments[] = {
    {"in", extents, NULL, 2, FLOAT32_CODE, 32, 0, 0},
    {"out", extents, NULL, 2, FLOAT32_CODE, 32, 1, 0}};
static const posenc_function copyFunction = {
    "copy", copyArguments, symbolNames, 2, 1, 2};
static const posenc_argument scalarArguments[] = {
    {"in", NULL, NULL, 0, FLOAT32_CODE, 32, 0, 0},
    {"out", NULL, NULL, 0, FLOAT32_CODE, 32, 1, 0}};
static const posenc_function scalarFunction = {
    "scalar", scalarArguments, NULL, 2, 1, 0};

static int32_t check(DLTensor in, DLTensor out, int64_t *descriptors) {
  DLTensor *arguments[] = {&in, &out};
  int32_t code = posenc_rt_check_inputs(&copyFunction, arguments, descriptors);
  return code != POSENC_OK ? code
                           : posenc_rt_check_outputs(&copyFunction, arguments,
                                                     in.shape, descriptors);
}

static float memory[2][64];

static void expect(DLTensor in, DLTensor out, int64_t stride0,
                   int64_t stride1) {
  int64_t descriptors[14];
  CHECK(check(in, out, descriptors) == POSENC_OK);
  CHECK(descriptors[0] ==
        (int64_t)((intptr_t)in.data + (intptr_t)in.byte_offset));
  CHECK(descriptors[3] == in.shape[0] && descriptors[4] == in.shape[1]);
  CHECK(descriptors[5] == stride0 && descriptors[6] == stride1);
}

static DLTensor out_of(int64_t *shape) {
  return tensor_of(memory[1], 2, shape, NULL);
}

static void test_strides(void) {
  int64_t shape[] = {4, 8}, column[] = {4, 1}, row[] = {1, 8};
  expect(tensor_of(memory[0], 2, shape, (int64_t[]){16, 1}), out_of(shape), 16,
         1);
  // A broadcast input, one that is read backwards, and strides nobody uses.
  expect(tensor_of(memory[0], 2, shape, (int64_t[]){0, 1}), out_of(shape), 0,
         1);
  expect(tensor_of(&memory[0][24], 2, shape, (int64_t[]){-8, 1}), out_of(shape),
         -8, 1);
  expect(tensor_of(memory[0], 2, column, (int64_t[]){3, 77}), out_of(column), 3,
         1);
  expect(tensor_of(memory[0], 2, row, (int64_t[]){7, 1}), out_of(row), 8, 1);
  DLTensor offset = tensor_of(memory[0], 2, shape, NULL);
  offset.byte_offset = 64;
  expect(offset, out_of(shape), 8, 1);
  DLTensor pinned = tensor_of(memory[0], 2, shape, NULL);
  pinned.device.device_type = kDLCUDAHost;
  expect(pinned, out_of(shape), 8, 1);
}

static void test_empty(void) {
  int64_t none[] = {0, 8}, noColumns[] = {4, 0};
  // No memory, odd strides, odd alignment, one place for both: all unused.
  expect(tensor_of(NULL, 2, none, NULL), tensor_of(NULL, 2, none, NULL), 8, 1);
  expect(tensor_of(NULL, 2, noColumns, (int64_t[]){5, 6}),
         tensor_of(NULL, 2, noColumns, (int64_t[]){0, 0}), 1, 1);
  expect(tensor_of((char *)memory[0] + 1, 2, none, NULL),
         tensor_of((char *)memory[0] + 1, 2, none, NULL), 8, 1);
}

// Spans past 2^31 elements; nothing is read, so the memory need not be there.
static void test_far(void) {
  int64_t shape[] = {2, 8}, far = (int64_t)1 << 33;
  expect(tensor_of(memory[0], 2, shape, (int64_t[]){far, 1}),
         tensor_of((void *)16, 2, shape, NULL), far, 1);
  int64_t large[] = {2147483647, 8};
  expect(tensor_of(memory[0], 2, large, (int64_t[]){0, 1}),
         tensor_of((float *)((uintptr_t)1 << 48), 2, large, NULL), 0, 1);
}

static void test_scalar(void) {
  int64_t descriptors[6];
  DLTensor in = tensor_of(memory[0], 0, NULL, NULL);
  DLTensor out = tensor_of(memory[1], 0, NULL, NULL);
  DLTensor *arguments[] = {&in, &out};
  CHECK(posenc_rt_check_inputs(&scalarFunction, arguments, descriptors) == 0);
  CHECK(posenc_rt_check_outputs(&scalarFunction, arguments, NULL,
                                descriptors) == 0);
  CHECK(descriptors[4] == (int64_t)(intptr_t)memory[1]);
  out.data = memory[0];
  CHECK(posenc_rt_check_outputs(&scalarFunction, arguments, NULL,
                                descriptors) == POSENC_ERROR_ARGUMENT);
}

// Adjacent memory is separate; interleaved rows are told apart by no one.
static void test_neighbours(void) {
  int64_t shape[] = {2, 8}, descriptors[14];
  expect(tensor_of(memory[0], 2, shape, NULL),
         tensor_of(&memory[0][16], 2, shape, NULL), 8, 1);
  CHECK(check(tensor_of(memory[0], 2, shape, (int64_t[]){16, 1}),
              tensor_of(&memory[0][8], 2, shape, (int64_t[]){16, 1}),
              descriptors) == POSENC_ERROR_ARGUMENT);
  CHECK(check(tensor_of(&memory[0][8], 2, shape, (int64_t[]){-8, 1}),
              tensor_of(&memory[0][7], 2, shape, NULL),
              descriptors) == POSENC_ERROR_ARGUMENT);
}

// Outputs may be padded or transposed in their outer dimensions.
static void test_output_strides(void) {
  int64_t shape[] = {2, 8}, descriptors[14];
  DLTensor in = tensor_of(memory[0], 2, shape, NULL);
  CHECK(check(in, tensor_of(memory[1], 2, shape, (int64_t[]){9, 1}),
              descriptors) == POSENC_OK);
  CHECK(descriptors[7 + 5] == 9);
  CHECK(check(in, tensor_of(&memory[1][8], 2, shape, (int64_t[]){-8, 1}),
              descriptors) == POSENC_OK);
  int64_t row[] = {1, 8};
  CHECK(check(tensor_of(memory[0], 2, row, NULL),
              tensor_of(memory[1], 2, row, (int64_t[]){0, 1}),
              descriptors) == POSENC_OK);
}

int main(void) {
  test_strides();
  test_empty();
  test_far();
  test_scalar();
  test_neighbours();
  test_output_strides();
  return 0;
}
