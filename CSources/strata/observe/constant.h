/* SPDX-License-Identifier: MIT
 *
 * constant.h -- the value that a property of an object must have for the object to be in the result of a query.
 *
 * Among many observers with such a condition, each of another value, most are not concerned by an object. One look at a
 * cell tells that, and takes much less than to run the query for the object.
 */
#ifndef ST_OBSERVE_CONSTANT_H
#define ST_OBSERVE_CONSTANT_H

#include "base/buffer.h"
#include "strata_query.h"
#include "table/view.h"

/** The condition `column == value`; `value` is NULL if there is none. */
typedef struct st_constant {
    uint32_t column;
    const strata_value *value; /* of the query */
} st_constant;

/** Finds such a condition of a query that has been checked: the whole condition, or a part of an AND. */
st_constant st_constant_of(const strata_view *view, const strata_query *query);
/** Does an object lack the value? False, too, if that cannot be told from its cell alone. */
bool st_constant_is_missed(const st_constant *constant, strata_view *view, uint32_t table, uint64_t key);
/** Appends bytes that stand for the value of a condition. False if there is no memory. */
bool st_constant_name(const strata_value *value, st_buffer *out);
/** The same for the value that an object has: nothing, if it has none or is gone. `*known` becomes false if the value
 * cannot be told from the object's cell alone. Fails: as strata_row_bind(). */
strata_status st_constant_name_of(const st_constant *constant, strata_view *view, uint32_t table, uint64_t key,
                                  st_buffer *out, bool *known, strata_error *error);

#endif
