//===- parallel_serial.c - --threads=serial -----------------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No other threads.
//
//===----------------------------------------------------------------------===//

#include "internal.h"

void posenc_distribute(posenc_region *region, int32_t threads) {
  (void)threads;
  posenc_region_finish(region);
}

void posenc_distribute_stop(void) {}
