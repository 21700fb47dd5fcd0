/*===- posenc.h - The compiler as a C library ----------------------*- C -*-===*
 *
 * Part of the posenc project, under the Apache License v2.0 with LLVM
 * Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * Compiles a graph, MLIR text, to a library in memory. libposenc.so needs libc
 * and libm only. All functions may be called from any thread at any time.
 *
 *   const char *options[] = {"cpu=native", "emit=so", NULL};
 *   posenc_result *result =
 *       posenc_compile(text, length, "graph.mlir", options);
 *   if (posenc_result_error(result))
 *     fprintf(stderr, "%s\n", posenc_result_error(result));
 *   else
 *     bytes = posenc_result_artifact(result, &size);
 *   posenc_result_destroy(result);
 *
 *===----------------------------------------------------------------------===*/

#ifndef POSENC_C_POSENC_H
#define POSENC_C_POSENC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What posenc_compile made, or why it made nothing. */
typedef struct posenc_result posenc_result;

/* Compiles `length` bytes of `source`. `source_name` names the source in
   messages. `options` is NULL or a NULL-terminated array of "name=value", as
   posenc-compile spells them:

     emit=so|a|o|s|ll|mlir    what the artifact is; so by default
     output=FILE              the same, by the suffix of a file's name
     cpu=native|x86-64-v3|x86-64-v4|sapphirerapids|generic-aarch64
                              or several, separated by commas
     threads=pool|host|serial|openmp
     target=cpu
     to=PHASE                 stop there; the artifact is the IR
     fuse=true|false          whether encodings may move into attention
     function=NAME            compile this function of the module alone
     ir=true|false            keep the IR after each phase
     weights=true|false       keep large constants in that IR; false by default
     generic=true|false       that IR in MLIR's generic form; false by default
     remarks=true|false|yaml  collect remarks, as text or as LLVM's YAML
     name=NAME                soname of a shared library

   Never NULL. To be destroyed by posenc_result_destroy. */
posenc_result *posenc_compile(const char *source, size_t length,
                              const char *source_name,
                              const char *const *options);

/* One line that says what was wrong, or NULL where nothing was. Strings belong
   to the result and live as long as it does. */
const char *posenc_result_error(const posenc_result *result);

/* The bytes of the file asked for; their number in `size`. NUL follows them. */
const char *posenc_result_artifact(const posenc_result *result, size_t *size);

/* The C header of the library; "" where the artifact is IR. */
const char *posenc_result_header(const posenc_result *result);

/* What was fused, and what was not and why. As text one line a remark:
   "FILE:LINE:COLUMN: remark: SENTENCE [PASS]", of a node of a graph
   "FILE: node 'NAME': remark: SENTENCE [PASS]"; "[PASS: missed]" for what was
   not done. */
const char *posenc_result_remarks(const posenc_result *result);

/* The IR after `phase`, or before all of them for "input". NULL without
   ir=true, and for a phase that was not reached. Kept after an error, too. */
const char *posenc_result_ir(const posenc_result *result, const char *phase);

/* The name of the step of this number, from 0: parse, the phases, object. Its
   seconds go to `seconds`. NULL after the last. */
const char *posenc_result_time(const posenc_result *result, int number,
                               double *seconds);

void posenc_result_destroy(posenc_result *result);

/* The name and the one-line description of the phase of this number, from 0;
   NULL after the last. */
const char *posenc_phase_name(int number);
const char *posenc_phase_description(int number);

/* "major.minor.patch" of the library. */
const char *posenc_version(void);

#ifdef __cplusplus
}
#endif

#endif /* POSENC_C_POSENC_H */
