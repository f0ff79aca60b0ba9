/* SPDX-License-Identifier: MIT
 *
 * overflow_store.h -- storing overflow values.
 */
#ifndef ST_WRITE_OVERFLOW_STORE_H
#define ST_WRITE_OVERFLOW_STORE_H

#include "block/overflow.h"
#include "table/view.h"

/** Stores the bytes of a value of an object, and makes the reference to them. They get an identity of their own; but if
 * `identity` is not 0, they are written over what is stored under that. Moves trees; on failure only cancelling is
 * left. */
strata_status st_overflow_store(strata_view *view, const st_column *column, uint64_t object,
                                const strata_value *value, uint64_t identity, uint8_t out_reference[ST_REFERENCE],
                                strata_error *error);

/** Whether another value may be written over the one that stands in a column under this identity: not if an index has
 * an entry of a stored row to take back, for which the old value is read. */
bool st_overflow_replaceable(const strata_view *view, const st_table *table, uint32_t column, uint64_t identity);

#endif
