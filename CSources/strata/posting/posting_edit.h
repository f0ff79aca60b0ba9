/* SPDX-License-Identifier: MIT
 * posting_edit.h -- a few changes to a posting block, without taking it apart. */
#ifndef ST_POSTING_POSTING_EDIT_H
#define ST_POSTING_POSTING_EDIT_H

#include "posting/posting.h"

/** Adds an entry or removes one. */
typedef struct st_posting_step {
    strata_bytes value;
    uint64_t key;
    bool added;
} st_posting_step;

enum { ST_POSTING_STEPS = 256 };

/**
 * Writes a valid block with some changes, at most ST_POSTING_STEPS, in the order of entries, to `out`, which has room
 * for `limit` bytes.
 *
 * Returns: false if the changed entries make a block of another form: one that would be larger than the limit or empty,
 *   whose numbers would be wider, or whose least key, or with `keep_last` whose last entry, would go; also if a change
 *   does not fit the entries, two concern the same one, or there is none. `out` is spoiled then.
 */
bool st_posting_edit(const st_posting_view *view, const st_posting_step *steps, uint32_t count, bool keep_last,
                     size_t limit, uint8_t *out, size_t *out_size);

#endif
