/* SPDX-License-Identifier: MIT
 * posting_part.h -- a part of a posting block as a block of its own, without decoding it into a list. */
#ifndef ST_POSTING_POSTING_PART_H
#define ST_POSTING_POSTING_PART_H

#include "posting/posting.h"

/** Where a valid block should be divided: before the entry it returns. Both parts are about equally large then. 0 if that
 * is not possible, because the block has copies of an entry there or values whose sizes differ. */
uint32_t st_posting_middle(const st_posting_view *view);

/**
 * Writes the entries from `from` to `to`, excluded and at least one, as a block to `out`, which has room for
 * st_posting_part_size() bytes.
 *
 * Returns: the size of the block, which is the one that would be built of these entries; 0 if they have another form
 *   than their block, being copies of one entry.
 */
size_t st_posting_part(const st_posting_view *view, uint32_t from, uint32_t to, uint8_t *out);

/** How large such a block may be at most. The values of the block have one width. */
size_t st_posting_part_size(const st_posting_view *view, uint32_t from, uint32_t to);

#endif
