/* SPDX-License-Identifier: MIT
 * stored.h -- what is stored outside of rows, and whether somebody owns it; for verify.c only. */
#ifndef ST_UPKEEP_STORED_H
#define ST_UPKEEP_STORED_H

#include "collection/source.h"

/** Large values, or long collections, that rows were found to refer to. Zero-initialised it is empty. */
typedef struct st_stored {
    st_buffer items; /* of st_stored_item */
} st_stored;

/** One of them, and how many entries of its tree belong to it. */
typedef struct st_stored_item {
    uint64_t identity, entries;
} st_stored_item;

/** Notes a large value of so many bytes. Fails: STRATA_NO_MEMORY. */
strata_status st_stored_note_blob(st_stored *stored, uint64_t identity, uint64_t size, strata_error *error);
/** Notes the collection, if it is a long one. Fails: STRATA_NO_MEMORY, STRATA_CORRUPT. */
strata_status st_stored_note_collection(st_stored *stored, const st_source *source, strata_error *error);

/**
 * Compares what was noted with what its tree holds: each entry belongs to one that was noted, each of those has all
 * its entries, and is referred to once. `what` names them in messages.
 *
 * Fails: STRATA_CORRUPT.
 */
strata_status st_stored_check(st_stored *stored, strata_view *view, st_tree tree, const char *what,
                              strata_error *error);
void st_stored_free(st_stored *stored);

#endif
