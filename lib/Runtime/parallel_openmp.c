//===- parallel_openmp.c - --threads=openmp -----------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's OpenMP runtime. Its threads spin for 0.2 s after a region unless told
// otherwise; what the program itself told them is kept.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

// libomp's own names; omp.h has them, but not for every target.
int kmp_get_blocktime(void);
void kmp_set_blocktime(int milliseconds);

void posenc_distribute(posenc_region *region, int32_t threads) {
  int blocktime = kmp_get_blocktime();
  kmp_set_blocktime(0);
#pragma omp parallel num_threads(threads)
  posenc_region_help(region);
  kmp_set_blocktime(blocktime);
  posenc_region_finish(region);
}

void posenc_distribute_stop(void) {}
