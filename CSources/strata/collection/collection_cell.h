/* SPDX-License-Identifier: MIT
 *
 * collection_cell.h -- the cell that a row has for a collection.
 *
 * ON-DISK. A short collection lies in the cell as one or two sequences of block/sequence.h: the elements; of a map, a
 * u8 with the size of the keys, the keys, and the values. The cell of a longer one is that of an overflow value, and
 * holds a reference with the number of elements (table/reference.h); they are in chunks: see chunk_tree.h.
 *
 * A set is in the order of st_element_order(), a map in that of the bytes of its keys.
 */
#ifndef ST_COLLECTION_COLLECTION_CELL_H
#define ST_COLLECTION_COLLECTION_CELL_H

#include "block/sequence.h"
#include "collection/element_column.h"

enum { ST_SHORT_CELL = 256 /* bytes of the longest cell of a short collection */ };

/** What a cell says. Lifetime: that of the cell. */
typedef struct st_collection_cell {
    uint64_t count;
    strata_bytes sequences[2]; /* of a short collection: its columns */
    uint64_t identity;         /* of a long collection; otherwise 0 */
} st_collection_cell;

/** Reads the cell of a row in a column. Fails: STRATA_CORRUPT. */
strata_status st_collection_cell_read(const strata_view *view, const st_column *column, const st_row_ref *row,
                                      st_collection_cell *out, strata_error *error);
/** Reads values of one column of a short collection. Fails: STRATA_CORRUPT. */
strata_status st_collection_cell_values(const st_column *column, const st_collection_cell *cell, uint32_t block_column,
                                        uint64_t from, uint64_t count, strata_value *out, strata_error *error);
/** Packs a short collection; `out` has ST_SHORT_CELL bytes. Returns its size, or SIZE_MAX if it is not short. */
size_t st_collection_cell_pack(const st_column *column, const strata_value *const *columns, uint64_t count,
                               uint8_t *out);

#endif
