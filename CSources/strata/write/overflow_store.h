/* SPDX-License-Identifier: MIT
 *
 * overflow_store.h -- storing overflow values.
 */
#ifndef ST_WRITE_OVERFLOW_STORE_H
#define ST_WRITE_OVERFLOW_STORE_H

#include "block/overflow.h"
#include "table/view.h"

/** Stores the bytes of a value, for a column of that type, under a new identity, and makes the reference to them. Moves
 * trees; on failure only cancelling is left. */
strata_status st_overflow_store(strata_view *view, strata_type column_type, const strata_value *value,
                                uint8_t reference[ST_REFERENCE], strata_error *error);

#endif
