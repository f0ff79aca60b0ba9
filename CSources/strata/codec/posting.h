/* SPDX-License-Identifier: MIT
 *
 * posting.h -- posting blocks: sorted entries of an index, many to a page.
 *
 * An entry is an encoded value (codec/key.h) and an object key. Entries are ordered by value, then key; the
 * same entry may stand several times (a list may link to one object twice). Entries of the same value form a
 * run, whose value is stored once.
 *
 * Posting block, format 1. Numbers are little-endian; nothing needs to be aligned.
 *
 *   offset  size             field
 *   0       1                format, always 1
 *   1       1                shared: bytes that all values of the block begin with
 *   2       2                entries: at least 1
 *   4       2                runs: number of distinct values
 *   6       1                width of the values without the shared bytes; 255 = they differ in length
 *   7       1                key width: 1, 2, 4 or 8 bytes for an object key less `first`
 *   8       8                first: the least object key in the block
 *   16      shared           the shared bytes
 *   ...     2*(runs + 1)     if the width is 255: positions of the values, counted from the end of this array
 *   ...                      the values without their shared bytes
 *   ...     2*runs           the number of entries up to and including each run; left out if runs = entries
 *   ...     entries*kw       object keys less `first`
 *
 * In a tree a block stands under the id of its index (4 bytes, big-endian), then the value and key (6 bytes,
 * big-endian) of its last entry, then a zero byte if that makes the length even. The last block of an index
 * stands under the 4 bytes of id + 1 alone: it is open-ended, so that appending never renames it.
 *
 * ON-DISK: never renumber, reorder or resize; add format 2 instead.
 */
#ifndef ST_CODEC_POSTING_H
#define ST_CODEC_POSTING_H

#include "strata.h"

enum { ST_POSTING_FORMAT = 1, ST_POSTING_HEADER = 16, ST_POSTING_MIXED_WIDTH = 255 };

/** True if the bytes obey the layout above, with entries in order. */
bool st_posting_valid(strata_bytes block);

#endif
