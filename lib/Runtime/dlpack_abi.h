/*===- dlpack_abi.h - The DLPack structs functions take ------------*- C -*-===*
 *
 * Part of the posenc project, under the Apache License v2.0 with LLVM
 * Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * DLTensor as every DLPack version lays it out, or DLPack's own header where
 * the including program has it. Generated headers embed this text verbatim, so
 * it is guarded twice: by itself, and by the version macros of DLPack.
 *
 *===----------------------------------------------------------------------===*/

#ifndef POSENC_DLPACK_ABI_H
#define POSENC_DLPACK_ABI_H

#if !defined(DLPACK_VERSION) && !defined(DLPACK_MAJOR_VERSION)
#if defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#endif
#endif

#if !defined(DLPACK_VERSION) && !defined(DLPACK_MAJOR_VERSION)
/* A copy of DLPack included later finds its guard set and adds nothing: what
   follows is all of DLPack 0.6. Who needs a newer one includes it first. */
#define DLPACK_VERSION 60
#define DLPACK_ABI_VERSION 1
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#endif

#include <stdint.h>

typedef enum {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLExtDev = 12,
  kDLCUDAManaged = 13
} DLDeviceType;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U,
  kDLBool = 6U
} DLDataTypeCode;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
#endif

#endif /* POSENC_DLPACK_ABI_H */
