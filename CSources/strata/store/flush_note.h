/* SPDX-License-Identifier: MIT
 * flush_note.h -- a note that everything in a file is on the disk, so that whoever opens it need not flush it. */
#ifndef ST_STORE_FLUSH_NOTE_H
#define ST_STORE_FLUSH_NOTE_H

#include "strata.h"

/** The state of a file. Any write to the file changes it. */
typedef struct st_flush_note {
    uint8_t boot[16];            /* names the start of the system */
    uint64_t device, inode;
    uint64_t changed;            /* the file's time of change, in nanoseconds */
    uint64_t commit, epoch;      /* the newest commit: LMDB's number of it, and the epoch it was made in */
} st_flush_note;

/** The state of the file now. False if the file could change while its state stays the same. */
bool st_flush_note_now(const strata_store *store, uint64_t commit, uint64_t epoch, st_flush_note *out);
/** Can the file have a note at all? */
bool st_flush_note_works(const strata_store *store);
/** Does the note say that the file was flushed in this state? */
bool st_flush_note_holds(const strata_store *store, const st_flush_note *now);
/** Notes a state that the file had before a flush that succeeded. */
void st_flush_note_write(const strata_store *store, const st_flush_note *flushed);

#endif
