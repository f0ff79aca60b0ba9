/* SPDX-License-Identifier: MIT
 *
 * overflow.h -- values that are too long for their row.
 *
 * An overflow value is stored out of its row. What stands in the row, or in a block of a collection, is a reference to
 * it: its size, the identity it is stored under and a check, ST_REFERENCE bytes in all; table/reference.h reads it.
 *
 * In memory a strata_value with such bytes has to say that they are a reference. Elements of collections are read
 * straight into arrays of the library's callers, so a type of our own with one more member would cost a copy of each.
 * Instead the member `table`, which means something in links only, holds a mark. Nothing but the three functions below
 * knows of it, and no value with the mark leaves the engine: st_element_show() takes it away.
 */
#ifndef ST_BLOCK_OVERFLOW_H
#define ST_BLOCK_OVERFLOW_H

#include "strata.h"

enum {
    ST_INLINE_VALUE = 1024, /* bytes of the longest value inside a row: it limits the size of a row, so of a block */
    ST_REFERENCE = STRATA_BLOCK_REFERENCE
};

/** True if the bytes of a string or data are a reference to an overflow value. */
static inline bool st_is_overflow(const strata_value *value) {
    return value->table == STRATA_OUTSIDE && (value->type == STRATA_STRING || value->type == STRATA_DATA);
}
/** Says that the bytes of a string or data are a reference. */
static inline void st_mark_overflow(strata_value *value) { value->table = STRATA_OUTSIDE; }
/** Says that they are its own. */
static inline void st_unmark_overflow(strata_value *value) { value->table = 0; }

#endif
