/* SPDX-License-Identifier: MIT
 * posting_edit.h -- makes a few changes in a copy of a posting block, without decoding it into a list. */
#ifndef ST_POSTING_POSTING_EDIT_H
#define ST_POSTING_POSTING_EDIT_H

#include "posting/posting.h"

/** One change: adds an entry or removes one. */
typedef struct st_posting_step {
    strata_bytes value;
    uint64_t key;
    bool added;
} st_posting_step;

enum { ST_POSTING_STEPS = 256 };

/**
 * Writes a valid block with some changes to `out`, which has room for `limit` bytes. The changes are in the order of
 * entries, at most ST_POSTING_STEPS.
 *
 * Returns: false if that is not possible, and `out` is unusable then. The block must have values of one width. The new
 *   block must have the form of the old one: not larger than the limit, not empty, no wider numbers, and the same least
 *   key; with `keep_last` it must also have the same last entry. There must be a change; a removed entry must be there
 *   and an added one must not, and no two changes are about the same entry.
 */
bool st_posting_edit(const st_posting_view *view, const st_posting_step *steps, uint32_t count, bool keep_last,
                     size_t limit, uint8_t *out, size_t *out_size);

#endif
