/* SPDX-License-Identifier: MIT
 *
 * sequence.h -- short collections, which are packed into the cell of their row.
 *
 * ON-DISK. A sequence holds values of one type. Their count follows from the bytes, or is stored:
 *
 *   u8 head: bits 0..6 = width of every value (1, 2, 4, 8, 12, 16), 0 = values of different sizes; bit 7 = nulls
 *   if there are nulls: u8 count, then a bitmap of (count + 7) / 8 bytes; a set bit is a null, which has no bytes
 *   then the values that are not null: `width` bytes each; or a size and as many bytes. A size below 128 is one byte;
 *   a larger one is a byte with its low 7 bits and with bit 7 set, then a byte with the rest
 *
 * An empty sequence has no bytes. A map is a u8 with the size of the sequence of its keys, then that sequence, then the
 * sequence of its values.
 */
#ifndef ST_BLOCK_SEQUENCE_H
#define ST_BLOCK_SEQUENCE_H

#include "base/buffer.h"
#include "block/layout.h"

enum { ST_SEQUENCE_MAX = 255 /* bytes of a packed sequence, and values in it */ };

/** Packs values. Returns the size, or SIZE_MAX if they do not fit into `limit` bytes of `out`. */
size_t st_sequence_pack(st_packing packing, const strata_value *values, size_t count, uint8_t *out, size_t limit);

/** The number of values in a sequence; SIZE_MAX if the bytes are not a sequence. Takes constant time if all values have
 * the same width and none is null, otherwise the sequence is read. */
size_t st_sequence_count(st_packing packing, strata_bytes sequence);

/** Unpacks `count` values, from the one at index `from` on. Their bytes are lent from `sequence`. False if there are
 * not so many. */
bool st_sequence_read(strata_type type, st_packing packing, strata_bytes sequence, size_t from, size_t count,
                      strata_value *out);

#endif
