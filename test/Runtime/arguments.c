//===- arguments.c - Every check of an argument and its message ---*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RUN: %clang %runtime_flags %s %runtime_serial -o %t && %t

#include "testing.h"

#define B -1
#define L -2

// attention(query[B, L, 8], key[B, L, 8], donated cache[B, 4]) -> out[B, L, 8]
static const char *const symbolNames[] = {"B", "L"};
static const int64_t extents[] = {B, L, 8}, cacheExtents[] = {B, 4};
static const char *const queryNames[] = {"batch", NULL, "head_size"};
static const posenc_argument arguments[] = {
    {"query", extents, queryNames, 3, FLOAT32_CODE, 32, 0, 0},
    {"key", extents, NULL, 3, FLOAT32_CODE, 32, 0, 0},
    {"cache", cacheExtents, NULL, 2, FLOAT32_CODE, 32, 0, 1},
    {"out", extents, NULL, 3, FLOAT32_CODE, 32, 1, 0}};
static const posenc_function function = {"attention", arguments, symbolNames,
                                         4,           1,         2};

// The arguments of one call, all right until a case makes one wrong.
typedef struct call {
  float data[4][2 * 3 * 8];
  int64_t shape[4][3], strides[4][3];
  DLTensor tensors[4];
  DLTensor *pointers[4];
  int64_t dims[3];
  int64_t descriptors[3 * (3 + 6) + (3 + 4)];
} call;

static void reset(call *c) {
  static const int64_t shapes[4][3] = {{2, 3, 8}, {2, 3, 8}, {2, 4}, {2, 3, 8}};
  memset(c, 0, sizeof *c);
  for (int i = 0; i < 4; ++i) {
    memcpy(c->shape[i], shapes[i], sizeof shapes[i]);
    c->tensors[i] = tensor_of(c->data[i], i == 2 ? 2 : 3, c->shape[i], NULL);
    c->pointers[i] = &c->tensors[i];
  }
  memcpy(c->dims, shapes[3], sizeof c->dims);
}

static int32_t check(call *c) {
  int32_t code = posenc_rt_check_inputs(&function, c->pointers, c->descriptors);
  if (code != POSENC_OK)
    return code;
  return posenc_rt_check_outputs(&function, c->pointers, c->dims,
                                 c->descriptors);
}

#define REFUSED(code, change, text)                                            \
  do {                                                                         \
    call c;                                                                    \
    reset(&c);                                                                 \
    change;                                                                    \
    CHECK(check(&c) == (code));                                                \
    CHECK(posenc_rt_status() == (code));                                       \
    CHECK_ERROR("attention: argument " text);                                  \
  } while (0)

static void test_right(void) {
  call c;
  reset(&c);
  CHECK(check(&c) == POSENC_OK);
  CHECK_ERROR("");
  const int64_t *query = c.descriptors, *cache = query + 18, *out = cache + 7;
  CHECK(query[0] == (int64_t)(intptr_t)c.data[0] && query[1] == query[0]);
  CHECK(query[2] == 0);
  CHECK(query[3] == 2 && query[4] == 3 && query[5] == 8);
  CHECK(query[6] == 24 && query[7] == 8 && query[8] == 1);
  CHECK(cache[0] == (int64_t)(intptr_t)c.data[2]);
  CHECK(cache[3] == 2 && cache[4] == 4 && cache[5] == 4 && cache[6] == 1);
  CHECK(out[0] == (int64_t)(intptr_t)c.data[3] && out[8] == 1);
}

static void test_header(void) {
  REFUSED(POSENC_ERROR_ARGUMENT, c.pointers[1] = NULL,
          "1 'key': the DLTensor is NULL; pass a tensor");
  REFUSED(POSENC_ERROR_SHAPE, c.tensors[0].ndim = 4,
          "0 'query': expected 3 dimensions, got 4; reshape the tensor");
  REFUSED(POSENC_ERROR_ARGUMENT, c.tensors[0].shape = NULL,
          "0 'query': shape is NULL; let it point to the 3 sizes");
  REFUSED(POSENC_ERROR_ARGUMENT, c.tensors[0].dtype.bits = 16,
          "0 'query': expected float32, got float16; convert the tensor to "
          "float32");
  REFUSED(POSENC_ERROR_ARGUMENT, (c.tensors[3].dtype = (DLDataType){4, 16, 1}),
          "3 'out': expected float32, got bfloat16; convert the tensor to "
          "float32");
  REFUSED(POSENC_ERROR_ARGUMENT, (c.tensors[1].dtype = (DLDataType){6, 8, 1}),
          "1 'key': expected float32, got bool; convert the tensor to float32");
  REFUSED(POSENC_ERROR_ARGUMENT, (c.tensors[1].dtype = (DLDataType){17, 4, 1}),
          "1 'key': expected float32, got DLPack type 17 of 4 bits; convert "
          "the tensor to float32");
  REFUSED(POSENC_ERROR_ARGUMENT, c.tensors[1].dtype.lanes = 4,
          "1 'key': expected float32, got vectors of 4 lanes of it; make the "
          "lanes the last dimension");
  REFUSED(POSENC_ERROR_ARGUMENT, c.tensors[1].device.device_type = kDLCUDA,
          "1 'key': expected a tensor in CPU memory, got DLPack device type 2; "
          "copy the tensor to the CPU");
}

static void test_extents(void) {
  REFUSED(POSENC_ERROR_SHAPE, c.shape[0][2] = 9,
          "0 'query': expected shape [?, ?, 8], got [2, 3, 9]: dimension 2 "
          "(head_size) must be 8; pass that size or compile for the other");
  REFUSED(POSENC_ERROR_SHAPE, c.shape[0][0] = -1,
          "0 'query': dimension 0 (batch) has size -1; sizes are not negative");
  REFUSED(POSENC_ERROR_SHAPE, c.shape[0][1] = 2147483648,
          "0 'query': dimension 1 has size 2147483648: dimension larger than "
          "2147483647; split the tensor along it");
  REFUSED(POSENC_ERROR_SHAPE, c.shape[1][1] = 2,
          "1 'key': dimension 1 is L = 2, but dimension 1 of argument 0 "
          "'query' is L = 3; pass equal sizes");
  REFUSED(POSENC_ERROR_SHAPE, c.shape[2][0] = 1,
          "2 'cache': dimension 0 is B = 1, but dimension 0 of argument 0 "
          "'query' is B = 2; pass equal sizes");
  REFUSED(POSENC_ERROR_SHAPE, c.shape[3][1] = 4,
          "3 'out': expected shape [2, 3, 8], got [2, 4, 8]: dimension 1 must "
          "be 3; allocate the output with the sizes the _shapes function "
          "gives");
}

static void set_strides(call *c, int i, int64_t s0, int64_t s1, int64_t s2) {
  const int64_t strides[3] = {s0, s1, s2};
  memcpy(c->strides[i], strides, sizeof strides);
  c->tensors[i].strides = c->strides[i];
}

static void test_memory(void) {
  REFUSED(POSENC_ERROR_ARGUMENT, c.tensors[0].data = NULL,
          "0 'query': data is NULL, but the tensor has elements; pass their "
          "memory");
  REFUSED(POSENC_ERROR_ARGUMENT, c.tensors[0].byte_offset = 2,
          "0 'query': data + byte_offset is not a multiple of the element "
          "size, 4 bytes; copy the tensor to aligned memory");
  REFUSED(POSENC_ERROR_ARGUMENT, set_strides(&c, 0, 48, 16, 2),
          "0 'query': expected stride 1 in the last dimension, got 2; make the "
          "tensor contiguous in it");
  REFUSED(POSENC_ERROR_SHAPE, set_strides(&c, 0, INT64_MAX, 8, 1),
          "0 'query': its sizes and strides span more memory than can be "
          "addressed; check the strides");
  REFUSED(POSENC_ERROR_SHAPE, set_strides(&c, 0, INT64_MIN, 8, 1),
          "0 'query': its sizes and strides span more memory than can be "
          "addressed; check the strides");
  REFUSED(POSENC_ERROR_ARGUMENT, set_strides(&c, 3, 0, 8, 1),
          "3 'out': stride 0 of dimension 0 makes elements share memory, but "
          "the function writes this argument; pass a tensor without overlap");
  REFUSED(POSENC_ERROR_ARGUMENT, set_strides(&c, 3, 24, 7, 1),
          "3 'out': stride 7 of dimension 1 makes elements share memory, but "
          "the function writes this argument; pass a tensor without overlap");
  REFUSED(POSENC_ERROR_ARGUMENT, set_strides(&c, 2, 0, 1, 0),
          "2 'cache': stride 0 of dimension 0 makes elements share memory, but "
          "the function writes this argument; pass a tensor without overlap");
}

static void test_overlap(void) {
  REFUSED(POSENC_ERROR_ARGUMENT, c.tensors[3].data = c.data[1],
          "3 'out': its memory overlaps argument 1 'key', and the function "
          "writes one of them; pass separate memory");
  REFUSED(POSENC_ERROR_ARGUMENT, c.tensors[3].data = &c.data[2][7],
          "3 'out': its memory overlaps argument 2 'cache', and the function "
          "writes one of them; pass separate memory");
  REFUSED(POSENC_ERROR_ARGUMENT, c.tensors[2].data = &c.data[0][40],
          "2 'cache': its memory overlaps argument 0 'query', and the function "
          "writes one of them; pass separate memory");
}

int main(void) {
  test_right();
  test_header();
  test_extents();
  test_memory();
  test_overlap();
  test_right(); // a failure leaves nothing behind
  return 0;
}
