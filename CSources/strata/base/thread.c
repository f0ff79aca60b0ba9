/* SPDX-License-Identifier: MIT
 * thread.c -- threads of the library. */
#define _GNU_SOURCE 1
#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

int st_thread_start(pthread_t *out, void *(*body)(void *), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(out, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}
