/* SPDX-License-Identifier: MIT
 * thread.h -- threads of the library. */
#ifndef ST_BASE_THREAD_H
#define ST_BASE_THREAD_H

#include <pthread.h>

/** Starts a thread that no signal interrupts: handlers of a program may not expect to run on it. Returns an errno. */
int st_thread_start(pthread_t *out, void *(*body)(void *), void *argument);

#endif
