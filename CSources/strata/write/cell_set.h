/* SPDX-License-Identifier: MIT
 *
 * cell_set.h -- changing single cells of pending rows.
 */
#ifndef ST_WRITE_CELL_SET_H
#define ST_WRITE_CELL_SET_H

#include "write/write_set.h"

/** Changes a cell that is no collection. The value was checked; its links have been logged. Moves the block if it has no
 * room, as the next one does. */
strata_status st_cell_set(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                          const strata_value *value, strata_error *error);

/** Puts bytes into a cell; `overflow` says they are a reference. The value must be checked before. Moves the block if it
 * has no room: callers change the epoch after it. */
strata_status st_cell_set_bytes(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                                strata_bytes bytes, bool overflow, strata_error *error);

#endif
