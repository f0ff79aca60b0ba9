/* SPDX-License-Identifier: MIT
 *
 * history.h -- the records of the last commits of this process, in memory.
 *
 * A write stages its record before it is handed over; the commit of the transaction publishes what is staged, or drops
 * it. Several queued writes share a transaction and a version, and have a record each. Records are numbered in their
 * order. There are none while nobody has a feed.
 */
#ifndef ST_STORE_HISTORY_H
#define ST_STORE_HISTORY_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buffer.h"
#include "strata.h"

enum { ST_HISTORY_RECORDS = 1024, ST_HISTORY_BYTES = 16 << 20 };

typedef struct st_history_record {
    struct st_history_record *next; /* of those that are staged */
    uint64_t version;
    size_t size;
    uint8_t bytes[];
} st_history_record;

typedef struct st_history {
    pthread_mutex_t lock;       /* guards what follows, but for the atomics */
    atomic_uint feeds;
    bool committing;            /* what is staged may be in the file already */
    st_history_record *records[ST_HISTORY_RECORDS]; /* by number, modulo their count */
    uint64_t first_number;      /* of the oldest record */
    uint32_t count;
    size_t bytes;
    bool lost;                  /* inside the gate: a record could not be staged */
    st_history_record *staged, *last_staged; /* inside the gate */
} st_history;

/** Where a write that came before, in the same transaction, left no record (feed.c): who reads only those of the writes
 * after it must not take them for everything that the commit changed. */
typedef struct st_unrecorded {
    bool in_memory, in_file;
} st_unrecorded;

void st_history_free(st_history *history);

/** Whether a write has to make a record. */
static inline bool st_history_wanted(const st_history *history) {
    return atomic_load_explicit(&history->feeds, memory_order_relaxed) != 0;
}

/* By the writer, inside the gate. */

/** Whether a record is staged, or should be. */
static inline bool st_history_is_staged(const st_history *history) {
    return history->staged != NULL || history->lost;
}
/** A transaction begins: forgets what is staged. */
void st_history_drop_staged(st_history *history);
/** Stages a record; none, if there is no memory: then feeds expire. */
void st_history_stage(st_history *history, uint64_t version, const st_buffer *record);
/** Surround the commit of the file, if something is staged. */
void st_history_committing(st_history *history);
void st_history_committed(st_history *history, bool done);

/* By feeds. */

void st_history_enter(st_history *history, uint64_t *out_number);
void st_history_leave(st_history *history);
/** The number that the next record gets. */
uint64_t st_history_next(st_history *history);
/** Copies the record of that number. STRATA_OK; STRATA_END, if there is none yet, with `*out_quiet` if no commit is
 * under way, either; STRATA_EXPIRED, if it is gone. Fails: STRATA_NO_MEMORY. */
strata_status st_history_get(st_history *history, uint64_t number, st_buffer *out, bool *out_quiet);

#endif
