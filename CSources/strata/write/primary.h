/* SPDX-License-Identifier: MIT
 *
 * primary.h -- objects by their primary keys. Their table is given by its number.
 */
#ifndef ST_WRITE_PRIMARY_H
#define ST_WRITE_PRIMARY_H

#include "table/view.h"
#include "value/key.h"

/** A primary key as objects are found by it. `value` is borrowed. */
typedef struct st_primary {
    const strata_value *value;
    st_key key;    /* the value, encoded */
    uint32_t hash; /* of the key, in a write */
} st_primary;

/** The primary key of an object of a table, from a value that suits it. In a write the memory in which it is looked for
 * is fetched meanwhile, so do something else before that. */
void st_primary_make(strata_view *view, uint32_t number, const strata_value *value, st_primary *out);

/** The object that has a primary key; 0 if there is none. Fails: STRATA_CORRUPT, ... */
strata_status st_primary_find(strata_view *view, uint32_t number, const st_primary *primary, uint64_t *out,
                              strata_error *error);

/** Fails with STRATA_DUPLICATE, and the key of the object that has it already, if a new object cannot have it. */
strata_status st_primary_check(strata_view *view, uint32_t number, const st_primary *primary, uint64_t *out_key,
                               strata_error *error);

/** A primary key as text for messages, cut off if it is long. */
void st_primary_describe(const strata_value *value, char *out, size_t size);

/** Logs that a new object has a primary key. */
strata_status st_primary_log(strata_view *view, uint32_t number, const st_primary *primary, uint64_t object,
                             strata_error *error);
/** Logs that an object no longer has the primary key in its row, since it is deleted. */
strata_status st_primary_release(strata_view *view, uint32_t number, const st_row_ref *row, strata_error *error);

#endif
