//===- call.c - The current call: errors, frames, the body --------*- C -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records the first failure of a call and leaves its body through setjmp.
//
//===----------------------------------------------------------------------===//

#include "fpstate.h"
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// This library's message of this thread.
static char *own_message(void) {
  static _Thread_local char message[POSENC_ERROR_CAPACITY];
  return message;
}

// Weak: a program that is linked with several libraries calls the first one's,
// whichever library failed. One that opened this library by itself may call
// this one's, though another is in the global scope and takes calls from here.
// So every message is written to both.
__attribute__((weak, visibility("default"))) const char *
posenc_last_error(void) {
  return own_message();
}

static void publish_message(void) {
  char *shared = (char *)posenc_last_error();
  if (shared != own_message())
    memcpy(shared, own_message(), POSENC_ERROR_CAPACITY);
}

posenc_thread *posenc_this_thread(void) {
  static _Thread_local posenc_thread thread;
  return &thread;
}

void posenc_begin_call(const char *function) {
  posenc_thread *thread = posenc_this_thread();
  thread->function = function;
  thread->code = POSENC_OK;
  own_message()[0] = '\0';
  publish_message();
}

void posenc_fail(int32_t code, const char *format, ...) {
  posenc_thread *thread = posenc_this_thread();
  char *message;
  if (thread->region) {
    int32_t none = POSENC_OK;
    if (!atomic_compare_exchange_strong(&thread->region->code, &none, code))
      return;
    message = thread->region->message;
  } else {
    if (thread->code != POSENC_OK)
      return;
    thread->code = code;
    message = own_message();
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, POSENC_ERROR_CAPACITY, format, arguments);
  va_end(arguments);
  if (!thread->region)
    publish_message();
}

int32_t posenc_rt_status(void) { return posenc_this_thread()->code; }

void posenc_rt_assert(bool ok, const char *message) {
  if (ok)
    return;
  posenc_thread *thread = posenc_this_thread();
  posenc_fail(thread->frame ? POSENC_ERROR_RUNTIME : POSENC_ERROR_SHAPE,
              "%s: %s", thread->function, message);
  posenc_abandon();
}

void posenc_frame_enter(posenc_frame *frame) {
  posenc_thread *thread = posenc_this_thread();
  frame->previous = thread->frame;
  frame->blocks = NULL;
  thread->frame = frame;
}

void posenc_abandon(void) {
  posenc_frame *frame = posenc_this_thread()->frame;
  if (frame)
    longjmp(frame->target, 1);
}

static _Atomic int32_t running;

bool posenc_is_running(void) { return atomic_load(&running) > 0; }

// Not inlined, and `body` is opaque to the optimiser: arithmetic of the body
// must not move over the writes of the floating-point state.
__attribute__((noinline)) int32_t posenc_rt_run(void (*body)(int64_t *),
                                                int64_t *descriptors) {
  __asm__ volatile("" : "+r"(body));
  atomic_fetch_add(&running, 1);
  posenc_fpstate saved = posenc_fp_enter(/*flush=*/false);
  posenc_frame frame;
  posenc_frame_enter(&frame);
  if (setjmp(frame.target) == 0)
    body(descriptors);
  posenc_frame_leave(&frame);
  posenc_fp_write(saved);
  atomic_fetch_sub(&running, 1);
  return posenc_rt_status();
}
