/* SPDX-License-Identifier: MIT
 *
 * walk.h -- walking the trees of a commit in LMDB's map, without LMDB.
 *
 * For snapshots only: no page that can be reached from the roots of their commit changes or moves. A writer has changed
 * pages of its own in memory, which only LMDB knows of. Page numbers and offsets are checked wherever they are used, so
 * that a damaged file leads to STRATA_CORRUPT, with the number of the page, and never out of the map.
 */
#ifndef ST_PAGE_WALK_H
#define ST_PAGE_WALK_H

#include "page/page.h"

/** A page on the way down, and the node in it. */
typedef struct st_walk_step {
    const uint8_t *page;
    uint32_t nodes, index;
} st_walk_step;

/** The first sixteen bytes of a key as two numbers, which compare like them; what a key lacks is zero. */
typedef struct st_walk_words {
    uint64_t high, low;
} st_walk_words;

/** Where one stands in a tree: the pages from its root to a leaf. Zeroed, it stands nowhere. */
typedef struct st_walk {
    uint32_t depth;             /* of the tree; 0: nowhere */
    st_walk_words first, last;  /* a key between them leads to the leaf; none does, if both are zero */
    st_walk_step steps[ST_PAGE_DEPTH];
} st_walk;

/* The moves return STRATA_OK, or STRATA_NOT_FOUND and stand nowhere; so they do when they fail. From nowhere, nothing
 * is next and nothing previous. A walk is used with one tree of one commit. */

/** To the first entry whose key is not less than `from`. Cheap in the leaf it stands on, above all close by. */
strata_status st_walk_seek(const st_page_file *file, const st_page_tree *tree, st_walk *walk, strata_bytes from,
                           strata_error *error);
strata_status st_walk_last(const st_page_file *file, const st_page_tree *tree, st_walk *walk, strata_error *error);
strata_status st_walk_next(const st_page_file *file, st_walk *walk, strata_error *error);
strata_status st_walk_previous(const st_page_file *file, st_walk *walk, strata_error *error);

/** The entry it stands on, after a move that returned STRATA_OK. */
strata_status st_walk_entry(const st_page_file *file, const st_walk *walk, strata_bytes *key, strata_bytes *value,
                            strata_error *error);
/** Where the value is that lies `steps` entries ahead; NULL if that is not in the same leaf. Does not look at it. */
const void *st_walk_ahead(const st_page_file *file, const st_walk *walk, uint32_t steps);
/** Reads the root of a tree that the entry it stands on names. Fails: STRATA_CORRUPT. */
strata_status st_walk_tree(const st_page_file *file, const st_walk *walk, st_page_tree *out, strata_error *error);

#endif
