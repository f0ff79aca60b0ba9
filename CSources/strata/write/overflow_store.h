/* SPDX-License-Identifier: MIT
 *
 * overflow_store.h -- values that are too long for their row are stored out of it.
 */
#ifndef ST_WRITE_OVERFLOW_STORE_H
#define ST_WRITE_OVERFLOW_STORE_H

#include "block/overflow.h"
#include "table/view.h"

/** Stores the bytes of a value of a column of that type, under an identity of their own, and tells the reference that
 * stands for them. Moves trees; on failure only cancelling is left. */
strata_status st_overflow_store(strata_view *view, strata_type column_type, const strata_value *value,
                                uint8_t reference[ST_REFERENCE], strata_error *error);

#endif
