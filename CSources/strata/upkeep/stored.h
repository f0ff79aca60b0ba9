/* SPDX-License-Identifier: MIT
 *
 * stored.h -- does each thing that is stored outside of rows belong to one row, and is it complete?
 *
 * There is one st_stored for all overflow values and one for all long collections. While rows are verified, whatever
 * they refer to is noted; in the end the notes are compared with what is stored.
 */
#ifndef ST_UPKEEP_STORED_H
#define ST_UPKEEP_STORED_H

#include "collection/source.h"

/** What rows refer to. Zero-initialised it is empty. */
typedef struct st_stored {
    st_buffer items; /* of st_stored_item */
} st_stored;

/** An overflow value or a long collection, and how many entries of its tree belong to it. */
typedef struct st_stored_item {
    uint64_t identity, entries;
} st_stored_item;

/** Notes an overflow value of so many bytes. Fails: STRATA_NO_MEMORY. */
strata_status st_stored_note_blob(st_stored *stored, uint64_t identity, uint64_t size, strata_error *error);
/** Notes a collection, if it is a long one. Fails: STRATA_NO_MEMORY, STRATA_CORRUPT. */
strata_status st_stored_note_collection(st_stored *stored, const st_source *source, strata_error *error);

/**
 * Compares what was noted with the tree that holds it: each entry belongs to something that was noted, which has all
 * its entries and was noted once. `what` it is called in messages.
 *
 * Fails: STRATA_CORRUPT.
 */
strata_status st_stored_check(st_stored *stored, strata_view *view, st_tree tree, const char *what,
                              strata_error *error);
void st_stored_free(st_stored *stored);

#endif
