/* SPDX-License-Identifier: MIT
 *
 * log.c -- tells the program what happens.
 *
 * Who logs holds the lock to read while the program is told. So a log that was replaced is not called any more. A child
 * that was forked meanwhile could find the lock held for ever; an event that cannot have it at once is left out. */
#define _GNU_SOURCE 1
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static strata_log log_function;
static void *log_context;
static atomic_int most = -1; /* the highest level that is told; -1: none */

void strata_log_set(strata_log log, void *context, strata_log_level level) {
    pthread_rwlock_wrlock(&lock);
    log_function = log;
    log_context = context;
    atomic_store(&most, log == NULL ? -1 : (int)level);
    pthread_rwlock_unlock(&lock);
}

bool st_logs(strata_log_level level) { return (int)level <= atomic_load_explicit(&most, memory_order_relaxed); }

void st_log_about(strata_log_subject subject, strata_log_level level, const char *message) {
    if (!st_logs(level) || pthread_rwlock_tryrdlock(&lock) != 0) return;
    if (log_function != NULL && st_logs(level)) log_function(log_context, level, subject, message);
    pthread_rwlock_unlock(&lock);
}

void st_log(strata_log_level level, const char *format, ...) {
    char message[1000];
    if (!st_logs(level)) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    st_log_about(STRATA_LOG_OTHER, level, message);
}
