/* SPDX-License-Identifier: MIT
 *
 * change_log.h -- what a write did, in the order in which it was done.
 *
 * The log is off unless somebody wants a record of the commit. It is a list of its own, because a large write stores
 * and forgets its rows before it ends. Changes of objects that the same write created are not in it, nor is a column
 * twice in a row. A log that cannot grow any more is whole: anything may have changed.
 */
#ifndef ST_WRITE_CHANGE_LOG_H
#define ST_WRITE_CHANGE_LOG_H

#include <stdbool.h>

#include "strata_changes.h"

typedef struct st_change_log {
    bool on, whole;
    strata_delta *changes; /* STRATA_DELTA_CREATE: of `count` objects from `key` on */
    size_t count, capacity;
    size_t last;       /* how many there were up to the last one that is no STRATA_DELTA_LINKED */
    uint64_t *created; /* per table: the key of the first object that was created; 0 if there is none */
    uint32_t table_count;
} st_change_log;

/** Switches the log on. False if there is no memory. */
bool st_change_log_start(st_change_log *log, uint32_t table_count);
void st_change_log_free(st_change_log *log);
/** Appends to a log that is on. */
void st_change_log_append(st_change_log *log, const strata_delta *change);

/** Logs a change, if the log is on. */
static inline void st_change_log_note(st_change_log *log, strata_delta_kind kind, uint32_t table, uint64_t key,
                                      uint32_t column, uint64_t position, uint64_t count) {
    if (__builtin_expect(!log->on, 1)) return;
    const strata_delta change = { kind, table, key, column, 0, position, count };
    st_change_log_append(log, &change);
}

/** Whether the write that has this log created the object. */
static inline bool st_change_log_created(const st_change_log *log, uint32_t table, uint64_t key) {
    uint64_t first = table < log->table_count ? log->created[table] : 0;
    return first != 0 && key >= first;
}

#endif
