/* SPDX-License-Identifier: MIT
 *
 * collection_change.h -- the steps of changing a collection.
 *
 * A change begins, checks all that it is given, copies what is to stay, changes elements, and ends. If it fails once it
 * has begun to copy, the write can only be cancelled.
 */
#ifndef ST_OBJECT_COLLECTION_CHANGE_H
#define ST_OBJECT_COLLECTION_CHANGE_H

#include "collection/edit.h"

/** A collection being changed. */
typedef struct st_change {
    strata_view *view;
    const st_table *table;
    const st_column *column;
    st_edit *edit;
    uint64_t origin; /* the key of its object */
} st_change;

/** Begins to change a collection of that kind, or of any kind if that is STRATA_SINGLE. STRATA_OK, or STRATA_NOT_FOUND
 * if the object is gone. */
strata_status st_change_begin(strata_row *row, uint32_t column, strata_collection kind, st_change *out,
                              strata_error *error);
/** Ends a change whose steps have come to `status`. */
strata_status st_change_end(strata_view *view, strata_status status, strata_error *error);

/** Checks values for elements: their types, and where they link to. */
strata_status st_change_check(const st_change *c, const strata_value *values, uint64_t count, strata_error *error);

/** Inserts elements, which were copied, at a position: an array for each column. */
strata_status st_change_insert(const st_change *c, uint64_t position, const strata_value *const *columns,
                               uint64_t count, strata_error *error);
/** Replaces the element at a position by one that was copied. */
strata_status st_change_replace(const st_change *c, uint64_t position, const strata_value *element,
                                strata_error *error);

/** Replaces the element at a position by a value that was checked. */
strata_status st_change_set(const st_change *c, uint64_t position, const strata_value *value, strata_error *error);
/** Removes up to `count` elements at a position that lie in one chunk; `*out` is how many they were. */
strata_status st_change_remove(const st_change *c, uint64_t position, uint64_t count, uint64_t *out,
                               strata_error *error);

#endif
