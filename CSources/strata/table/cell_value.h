/* SPDX-License-Identifier: MIT
 *
 * cell_value.h -- the value of a cell.
 *
 * A value is read in two steps. First it is loaded as its block has it: bytes may be a reference to an overflow value
 * (see block/overflow.h), and a value of a mixed column is its encoding, as data. Then it is opened: it is decoded, and
 * an overflow value gets its size, beside the reference to its bytes. Elements of collections are read in the same way.
 */
#ifndef ST_TABLE_CELL_VALUE_H
#define ST_TABLE_CELL_VALUE_H

#include "table/reference.h"

/** Loads a value of a column of blocks. `entry` is that of the column. */
void st_value_load(strata_type type, bool nullable, const uint8_t *block, uint32_t entry, uint32_t slot,
                   strata_value *out);

/** Opens a value that was loaded from a column of a type; `out` may be `loaded`. The bytes of an overflow value are
 * NULL, with their size, of which only is known that it is at most STRATA_MAX_VALUE. False, with null as the value, if
 * its encoding is damaged. */
bool st_value_open(strata_type type, const strata_value *loaded, strata_value *out);
/** The same for the value of an object, and where the bytes of an overflow value are; otherwise `blob->identity` is 0.
 * False also if its reference is damaged. */
bool st_value_open_at(const strata_view *view, const st_column *column, uint64_t object, const strata_value *loaded,
                      strata_value *out, st_blob *blob);

/** Reads a cell that is no collection, but not the bytes of an overflow value: see st_value_open_at(). Fails:
 * STRATA_CORRUPT. */
strata_status st_cell_read(const strata_view *view, const st_table *table, uint32_t column, const st_row_ref *row,
                           strata_value *out, st_blob *blob, strata_error *error);
/** Fails with STRATA_CORRUPT, naming the cell. */
strata_status st_cell_damaged(const st_table *table, uint32_t column, uint64_t object, strata_error *error);

/** Reads a cell that is no collection, with all its bytes: those of an overflow value are read into `scratch`. Fails:
 * STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_cell_value(strata_view *view, const st_table *table, uint32_t column, const st_row_ref *row,
                            st_buffer *scratch, strata_value *out, strata_error *error);

#endif
