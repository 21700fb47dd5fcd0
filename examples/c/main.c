/* Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls a compiled attention from C, with no framework behind it.
 *
 *   posenc-compile attention.mlir -o libalibi_attention.so    (writes libalibi_attention.h, too)
 *   cc main.c -I. -L. -lalibi_attention -Wl,-rpath,. -o attention && ./attention
 *
 * Queries are zero, so the scores are the biases alone. Row i then weighs key j <= i by
 * exp(slope * (j - i)), and with values that count the keys its result is known in closed form. */

#include "libalibi_attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUERY_HEADS = 8, KEY_HEADS = 2, LENGTH = 100, HEAD_SIZE = 64 };

/* A row-major f32 tensor on the CPU over `data`. */
static DLTensor tensor(float *data, int64_t *shape) {
  DLTensor t = {.data = data, .ndim = 4, .shape = shape};
  t.device.device_type = kDLCPU;
  t.dtype.code = kDLFloat;
  t.dtype.bits = 32;
  t.dtype.lanes = 1;
  return t;
}

int main(void) {
  int64_t query_shape[] = {1, QUERY_HEADS, LENGTH, HEAD_SIZE};
  int64_t key_shape[] = {1, KEY_HEADS, LENGTH, HEAD_SIZE};
  size_t query_count = QUERY_HEADS * LENGTH * HEAD_SIZE;
  size_t key_count = KEY_HEADS * LENGTH * HEAD_SIZE;
  float *query = calloc(query_count, sizeof(float));
  float *key = calloc(key_count, sizeof(float));
  float *value = calloc(key_count, sizeof(float));
  float *output = calloc(query_count, sizeof(float));
  if (!query || !key || !value || !output)
    return 1;
  for (size_t i = 0; i < key_count; ++i)
    value[i] = (float)(i / HEAD_SIZE % LENGTH);

  DLTensor q = tensor(query, query_shape), k = tensor(key, key_shape);
  DLTensor v = tensor(value, key_shape), o = tensor(output, query_shape);
  if (alibi_attention(&q, &k, &v, &o) != 0) {
    fprintf(stderr, "%s\n", posenc_last_error());
    return 1;
  }

  double largest = 0;
  for (int head = 0; head < QUERY_HEADS; ++head) {
    double slope = exp2(-(head + 1)); /* the rule of the paper for 8 heads */
    for (int row = 0; row < LENGTH; ++row) {
      double weights = 0, expected = 0;
      for (int j = 0; j <= row; ++j) {
        weights += exp(slope * (j - row));
        expected += exp(slope * (j - row)) * j;
      }
      double got = output[(head * LENGTH + row) * HEAD_SIZE];
      largest = fmax(largest, fabs(got - expected / weights));
    }
  }
  printf("largest error %.1e\n", largest);
  free(query), free(key), free(value), free(output);
  return largest < 1e-4 ? 0 : 1;
}
