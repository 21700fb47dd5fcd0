/*===- library_abi.h - What compiled libraries declare -------------*- C -*-===*
 *
 * Part of the posenc project, under the Apache License v2.0 with LLVM
 * Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * The codes and the message of errors. Generated headers embed this text
 * verbatim.
 *
 *===----------------------------------------------------------------------===*/

#ifndef POSENC_LIBRARY_ABI_H
#define POSENC_LIBRARY_ABI_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a compiled function returns. */
enum {
  POSENC_OK = 0,
  POSENC_ERROR_ARGUMENT = 1,        /* an argument is not what the table says */
  POSENC_ERROR_SHAPE = 2,           /* sizes do not fit one another */
  POSENC_ERROR_UNSUPPORTED_CPU = 3, /* this CPU or system lacks instructions */
  POSENC_ERROR_RUNTIME = 4,         /* a value found while computing is bad */
  POSENC_ERROR_MEMORY = 5           /* no memory for an intermediate buffer */
};

/* The message of the last compiled function called on this thread, of any
   posenc library in the process; "" if it succeeded or there was none. */
const char *posenc_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* POSENC_LIBRARY_ABI_H */
