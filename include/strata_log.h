/* SPDX-License-Identifier: MIT
 *
 * strata_log.h -- what the library tells of events.
 */
#ifndef STRATA_LOG_H
#define STRATA_LOG_H

#include "strata_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum STRATA_ENUM strata_log_level {
    STRATA_LOG_ERROR = 0,   /**< a store was poisoned; LMDB met what cannot be */
    STRATA_LOG_WARNING = 1, /**< something waited for a second or more; a limit is lower than was asked for; a file is
                                 written without the log that was asked for; a snapshot makes a file grow */
    STRATA_LOG_INFO = 2     /**< a file was created or compacted, or flushed or recovered from its log when it was
                                 opened; snapshots of processes that ended were cleared */
} strata_log_level;

/** What an event is about, for programs that do more than to print messages. There may be more of them later. */
typedef enum STRATA_ENUM strata_log_subject {
    STRATA_LOG_OTHER = 0,
    STRATA_LOG_PIN = 1 /**< A snapshot keeps so much space from being used again that the file has grown by it: 16 MiB
                            and a quarter of the file at least. Each process that writes is told once for each of these
                            snapshots, at the end of a commit and after the turn to write, on the thread of the
                            commit. See strata_store_get_snapshots(). */
} strata_log_subject;

/** Told of an event: one line of UTF-8 without an end of line, which names the file. Lifetime of the message: the call.
 * It is called on the thread on which the event happens, by several at a time, and locks of the library may be held: it
 * must not call the library, nor wait for a thread that does. */
typedef void (*strata_log)(void *context, strata_log_level level, strata_log_subject subject, const char *message);

/**
 * Sets the log of this process, for all stores: it is told of events up to a level. NULL ends that. When the function
 * returns, the log that was set before is not called any more.
 *
 * What an operation fails with is in its error and not told besides. An event during a call of this function may be
 * left out. Thread: any, but not from within a log.
 */
void strata_log_set(strata_log log, void *context, strata_log_level most);

#ifdef __cplusplus
}
#endif
#endif
