//===- posenc_runtime.h - What compiled code calls ----------------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime functions that a compiled library is linked with, and the
// constant tables that drive them. A compiled function NAME does, in order:
//
//   if ((code = posenc_rt_select(&variants, "NAME", &variant)))
//     return code;
//   if ((code = posenc_rt_check_inputs(&table, arguments, descriptors)))
//     return code;
//   bodies[variant].shapes(descriptors, dims); // may call posenc_rt_assert
//   if ((code = posenc_rt_status()))
//     return code;
//   if ((code = posenc_rt_check_outputs(&table, arguments, dims, descriptors)))
//     return code;
//   return posenc_rt_run(bodies[variant].compute, descriptors);
//
// and NAME_shapes ends with posenc_rt_report_shapes(&table, arguments, dims)
// in place of the last three lines. Only the bodies use more than
// the architecture's baseline.
//
// All symbols are hidden but posenc_last_error (and the callback's setter and
// getter under --threads=host), and posenc_library. Nothing runs when the
// library is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_RUNTIME_H
#define POSENC_RUNTIME_H

#include "dlpack_abi.h"
#include "host_threads_abi.h"
#include "library_abi.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of an error message with its final NUL; longer ones are cut. Libraries
// in one process share the buffer, so this never changes.
enum { POSENC_ERROR_CAPACITY = 512 };

// One compilation of a library's functions.
typedef struct posenc_variant {
  const char *cpu;   // as --cpu spells it
  uint64_t features; // the bits of posenc/Codegen/CPU/CPUFeatures.h it uses
} posenc_variant;

// What a library was compiled for.
typedef struct posenc_variants {
  const posenc_variant *variants; // [num_variants], from the least to the most
  int32_t num_variants;
} posenc_variants;

// One function of one compilation.
typedef struct posenc_body {
  // Fills in the extents of all outputs.
  void (*shapes)(int64_t *descriptors, int64_t *dims);
  void (*compute)(int64_t *descriptors);
} posenc_body;

// One argument of a compiled function.
typedef struct posenc_argument {
  const char *name;           // the name in the graph
  const int64_t *extents;     // [rank]; >= 0 static, -1-k the k-th symbol
  const char *const *symbols; // [rank]; name of each dimension, NULL if none;
                              // may be NULL; for messages only
  int32_t rank;               // number of dimensions
  uint8_t dtype_code;         // DLDataType.code
  uint8_t dtype_bits;         // DLDataType.bits; lanes are always 1
  uint8_t is_output;          // 1: written only, checked by check_outputs
  uint8_t is_donated;         // 1: an input that is updated in place
} posenc_argument;

// One compiled function.
typedef struct posenc_function {
  const char *name;                 // the C name, NAME
  const posenc_argument *arguments; // [num_arguments], inputs first
  const char *const *symbol_names;  // [num_symbols] dimension symbols
  int32_t num_arguments;            // inputs and outputs
  int32_t num_outputs;              // the last arguments
  int32_t num_symbols;
} posenc_function;

// What a library exports as the constant `posenc_library`, for programs that
// know nothing of it but its path: they look it up by dlsym. Weak, so that
// archives of several libraries link into one program.
typedef struct posenc_library {
  int32_t version; // POSENC_LIBRARY_VERSION
  int32_t num_functions;
  const posenc_function *const *functions; // [num_functions]
} posenc_library;

// Of the layout of the three structs above; readers refuse others.
enum { POSENC_LIBRARY_VERSION = 1 };

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

// A descriptor is 3 + 2 * rank words: allocated pointer, aligned pointer (both
// data + byte_offset), offset 0, sizes, strides in elements. `descriptors`
// holds those of all arguments one after another, in argument order. Strides
// are canonical: those of extents <= 1 and of empty tensors are row-major.

// Begins a call on this thread: forgets the last error, checks every input
// against the table before a byte of data is read, and fills in the inputs'
// descriptors. Returns POSENC_OK or the recorded error.
int32_t posenc_rt_check_inputs(const posenc_function *function,
                               DLTensor *const *arguments,
                               int64_t *descriptors);

// Checks every output against `dims`, the extents of all outputs one after
// another, and against the memory of all other arguments; fills in the
// outputs' descriptors. Needs the inputs' descriptors.
int32_t posenc_rt_check_outputs(const posenc_function *function,
                                DLTensor *const *arguments, const int64_t *dims,
                                int64_t *descriptors);

// Writes ndim, shape, dtype and byte_offset of every output. On entry ndim is
// the room in `shape`, at least the output's rank. Data, device and strides
// are neither read nor written.
int32_t posenc_rt_report_shapes(const posenc_function *function,
                                DLTensor *const *arguments,
                                const int64_t *dims);

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

// The code of the first failure of the current call; POSENC_OK if none.
int32_t posenc_rt_status(void);

// Where `ok` is false: records `message` as the first failure of the current
// call. Inside posenc_rt_run (tasks on worker threads included) it then
// abandons the body and does not return, so code after it may rely on `ok`;
// in a shapes body it returns. Not `willreturn`.
void posenc_rt_assert(bool ok, const char *message);

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

// Calls `body(descriptors)` and returns posenc_rt_status(). A failure inside
// (an assertion, no memory) leaves `body` by longjmp, here, and frees what it
// had allocated: compiled code never sees a null buffer and needs no clean-up.
// The body runs rounding to nearest, exceptions masked, denormals kept,
// whatever the caller's floating-point state, which is bit-equal afterwards.
int32_t posenc_rt_run(void (*body)(int64_t *descriptors), int64_t *descriptors);

// Calls `task(ctx, i, i + 1, scratch)` for every i in [0, count), handed out in
// this order to several threads, and returns when all are done. The threads are
// as many as the least of POSENC_NUM_THREADS, OMP_NUM_THREADS and the CPUs of
// the affinity mask, read at the first call. `scratch` is 64
// byte aligned, at least `scratch_bytes` long (NULL for 0) and belongs to the
// task until it returns. Tasks run rounding to nearest, exceptions masked,
// denormals flushed. Within a task it runs serially, in line; so it does while
// another thread's call has the pool. A failure in a task stops the handing
// out and abandons the body.
void posenc_parallel_for(void (*task)(void *ctx, int64_t begin, int64_t end,
                                      void *scratch),
                         void *ctx, int64_t count, int64_t scratch_bytes);

// Graph buffers, under the names of finalize-memref-to-llvm with
// use-generic-functions. 64-byte aligned at least; freed blocks are kept for
// reuse, but never more memory than the calls needed at their peak. No memory
// is POSENC_ERROR_MEMORY and abandons the body. A block is freed on the thread
// that allocated it, and does not outlive the body or task that did.
void *_mlir_memref_to_llvm_alloc(uint64_t size);
void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size);
void _mlir_memref_to_llvm_free(void *pointer);

//===----------------------------------------------------------------------===//
// The CPU
//===----------------------------------------------------------------------===//

// The best variant of the library, this object's only one, that the CPU and
// the system can run (XCR0, AT_HWCAP; for AMX the kernel is asked for its
// permission) and that POSENC_CPU, a name of --cpu or "baseline", does not
// exclude. Decided by the first call that finds one. Otherwise begins a call of
// `function`, records POSENC_ERROR_UNSUPPORTED_CPU and returns that code.
int32_t posenc_rt_select(const posenc_variants *library, const char *function,
                         int32_t *variant);

#ifdef __cplusplus
}
#endif

#endif // POSENC_RUNTIME_H
