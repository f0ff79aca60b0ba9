/* SPDX-License-Identifier: MIT
 *
 * cell_set.h -- changing single cells of pending rows.
 */
#ifndef ST_WRITE_CELL_SET_H
#define ST_WRITE_CELL_SET_H

#include "write/write_set.h"

/** Changes a cell that is no collection. The caller has checked the value and logged its links. The block of the row
 * moves if it has no room. */
strata_status st_cell_set(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                          const strata_value *value, strata_error *error);

/** Puts bytes into a cell that has some; `overflow` says that they are a reference. The same holds for it. */
strata_status st_cell_set_bytes(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                                strata_bytes bytes, bool overflow, strata_error *error);

#endif
