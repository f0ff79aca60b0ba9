/* SPDX-License-Identifier: MIT
 *
 * posting_slice.h -- some of the entries of a posting block, one behind the other, as a block of their own.
 *
 * The entries are not decoded into a list. The block is valid. Where st_posting_middle() is not 0, the block has what
 * the other functions need: values of one width, and more than copies of one entry.
 */
#ifndef ST_POSTING_POSTING_SLICE_H
#define ST_POSTING_POSTING_SLICE_H

#include "posting/posting.h"

/** Where a block should be cut in two: before the entry it returns. Both slices are about equally large then. 0 if it
 * cannot be cut: it has a single entry, copies of one where the cut would be, or values of different widths. */
uint32_t st_posting_middle(const st_posting_view *view);

/**
 * Writes the entries from `from` to `to`, excluded and at least one, as a block to `out`, which has room for
 * st_posting_slice_size() bytes.
 *
 * Returns: the size of the block, which is the one that would be built of these entries; 0 if they are copies of one
 *   entry, of which blocks have another form.
 */
size_t st_posting_slice(const st_posting_view *view, uint32_t from, uint32_t to, uint8_t *out);

/** How large such a block may be at most. */
size_t st_posting_slice_size(const st_posting_view *view, uint32_t from, uint32_t to);

#endif
