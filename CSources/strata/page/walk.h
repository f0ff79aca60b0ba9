/* SPDX-License-Identifier: MIT
 *
 * walk.h -- walking the trees of a commit in LMDB's map, without LMDB.
 *
 * Only snapshots do that: no page that can be reached from the roots of their commit changes or moves. A writer has
 * changed pages in memory, which only LMDB can find. Page numbers and offsets are checked wherever they are used: a
 * damaged file leads to STRATA_CORRUPT with the number of the page, never out of the map.
 */
#ifndef ST_PAGE_WALK_H
#define ST_PAGE_WALK_H

#include "page/page.h"

/** A page on the way from the root to a leaf, and the node that was followed, or in the leaf the current one. */
typedef struct st_walk_step {
    const uint8_t *page;
    uint32_t nodes, index;
} st_walk_step;

/** The first sixteen bytes of a key as two numbers, which compare as the bytes do. A shorter key is filled up with
 * zeros. */
typedef struct st_walk_words {
    uint64_t high, low;
} st_walk_words;

/** A position in a tree: the pages from the root to a leaf. When it is zero, the walk is nowhere. */
typedef struct st_walk {
    uint32_t depth;             /* of the tree; 0: nowhere */
    bool backward;              /* the way of the last steps from leaf to leaf, */
    uint64_t crossed;           /* and how many there were without a search: in a circle, more than there are pages */
    st_walk_words first, last;  /* every key between them is in the leaf, if it is anywhere; both zero: not known */
    st_walk_step steps[ST_PAGE_DEPTH];
} st_walk;

/* The moves return STRATA_OK if they arrived at an entry. If they return STRATA_NOT_FOUND or fail, the walk is nowhere
 * afterwards. From nowhere there is no next and no previous entry. A walk is used with one tree of one commit. */

/** Moves to the first entry whose key is not less than `from`. Cheap if that is in the current leaf, most of all if it
 * is near. */
strata_status st_walk_seek(const st_page_file *file, const st_page_tree *tree, st_walk *walk, strata_bytes from,
                           strata_error *error);
strata_status st_walk_last(const st_page_file *file, const st_page_tree *tree, st_walk *walk, strata_error *error);
strata_status st_walk_next(const st_page_file *file, st_walk *walk, strata_error *error);
strata_status st_walk_previous(const st_page_file *file, st_walk *walk, strata_error *error);

/** The current entry, after a move that returned STRATA_OK. */
strata_status st_walk_entry(const st_page_file *file, const st_walk *walk, strata_bytes *key, strata_bytes *value,
                            strata_error *error);
/** The values of the entries behind the current one that are in the same leaf and whose keys are less than `before`, at
 * most `capacity`. Moves to the last of them; if there are none, it stays. Fails: STRATA_CORRUPT. */
strata_status st_walk_values(const st_page_file *file, st_walk *walk, strata_bytes before, strata_bytes *out,
                             uint32_t capacity, uint32_t *out_count, strata_error *error);
/** Moves back by some entries, all of which the last call of st_walk_values() moved on by. */
void st_walk_back(st_walk *walk, uint32_t entries);
/** The address of the value `steps` entries further on. NULL if that is not in the same leaf. The value is not read. */
const void *st_walk_ahead(const st_page_file *file, const st_walk *walk, uint32_t steps);
/** Reads the root of a tree from the current entry. Fails: STRATA_CORRUPT. */
strata_status st_walk_tree(const st_page_file *file, const st_walk *walk, st_page_tree *out, strata_error *error);

#endif
