/* SPDX-License-Identifier: MIT
 *
 * sequence.h -- short collections, packed into the cell of their row.
 *
 * ON-DISK. A sequence of values of one type, with a count that the bytes imply or that is stored:
 *
 *   u8 head: bits 0..6 = width of every value (1, 2, 4, 8, 12, 16), 0 = values of different sizes; bit 7 = nulls
 *   if there are nulls: u8 count, then a bitmap of (count + 7) / 8 bytes; a set bit is a null, which has no bytes
 *   then the values that are not null: `width` bytes each, or a size (1 or 2 bytes: below 128 as it is, otherwise
 *   the low 7 bits with bit 7 set, then the rest) and as many bytes
 *
 * An empty sequence is no byte at all. A map is a sequence of its keys and one of its values, behind a u8 with the
 * size of the first.
 */
#ifndef ST_BLOCK_SEQUENCE_H
#define ST_BLOCK_SEQUENCE_H

#include "base/buffer.h"
#include "block/layout.h"

enum { ST_SEQUENCE_MAX = 255 /* bytes of a packed sequence, and values in it */ };

/** Packs values. Returns the size, 0 for none, or SIZE_MAX if they do not fit into `limit` bytes of `out`. */
size_t st_sequence_pack(st_packing packing, const strata_value *values, size_t count, uint8_t *out, size_t limit);


/** How many values a sequence has; SIZE_MAX if the bytes are not a sequence. At once if all have one width and none is
 * null, otherwise by a walk. */
size_t st_sequence_count(st_packing packing, strata_bytes sequence);

/** Unpacks `count` values from one on; bytes are lent from `sequence`. False if the bytes do not have them. */
bool st_sequence_read(strata_type type, st_packing packing, strata_bytes sequence, size_t from, size_t count,
                      strata_value *out);

#endif
