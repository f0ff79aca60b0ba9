/* SPDX-License-Identifier: MIT
 *
 * flush_note.h -- a note that everything in a file is on the disk, so that opening it need not flush it. */
#ifndef ST_STORE_FLUSH_NOTE_H
#define ST_STORE_FLUSH_NOTE_H

#include "strata.h"

/** The state of a file, which any write to it changes. */
typedef struct st_flush_note {
    uint8_t boot[16];            /* which start of the system this is */
    uint64_t device, inode;
    uint64_t changed;            /* the file's time of change, in nanoseconds */
    uint64_t commit, epoch;      /* the newest commit: LMDB's number of it, and the epoch it was made in */
} st_flush_note;

/** The state of the file now. False if it could change without showing it. */
bool st_flush_note_take(const strata_store *store, uint64_t commit, uint64_t epoch, st_flush_note *out);
/** Can there be a note at all? */
bool st_flush_note_works(const strata_store *store);
/** Was the file in this state when it was flushed? */
bool st_flush_note_holds(const strata_store *store, const st_flush_note *now);
/** Notes a state that was taken before a flush, which succeeded. */
void st_flush_note_write(const strata_store *store, const st_flush_note *flushed);

#endif
