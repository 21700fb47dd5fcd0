/*===- host_threads_abi.h - The host's threads ---------------------*- C -*-===*
 *
 * Part of the posenc project, under the Apache License v2.0 with LLVM
 * Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * What libraries compiled with --threads=host declare besides. Generated
 * headers embed this text verbatim.
 *
 *===----------------------------------------------------------------------===*/

#ifndef POSENC_HOST_THREADS_ABI_H
#define POSENC_HOST_THREADS_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A host's thread pool: calls work(data, i) once for every i in [0, count), on
   any threads, in any order, and returns when all have returned. */
typedef void (*posenc_host_parallel_for)(void (*work)(void *data,
                                                      int64_t index),
                                         void *data, int64_t count, void *user);

/* Sets the pool of all posenc libraries in the process that were compiled with
   --threads=host; NULL, the default, is serial. Not while one is running. */
void posenc_set_parallel_for(posenc_host_parallel_for function, void *user);

/* The pool that is set, and its user pointer. */
posenc_host_parallel_for posenc_get_parallel_for(void **user);

#ifdef __cplusplus
}
#endif

#endif /* POSENC_HOST_THREADS_ABI_H */
