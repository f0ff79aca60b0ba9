/* SPDX-License-Identifier: MIT
 *
 * collection_change.h -- the steps of changing a collection.
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

/** Begins to change a collection of that kind, any if it is STRATA_SINGLE. */
strata_status st_change_begin(strata_row *row, uint32_t column, strata_collection kind, st_change *out,
                              strata_error *error);
/** The end of a change, which has come to `status`: halfway through it, only cancelling would be left. */
strata_status st_change_end(strata_view *view, strata_status status, strata_error *error);

/** May these be elements? */
strata_status st_change_check(const st_change *c, const strata_value *values, uint64_t count, strata_error *error);

/** Inserts elements, that were kept, at a position; one array for each column of chunks. */
strata_status st_change_insert(const st_change *c, uint64_t position, const strata_value *const *columns,
                               uint64_t count, strata_error *error);
/** Puts an element, that was kept, over the one at a position. */
strata_status st_change_replace(const st_change *c, uint64_t position, const strata_value *element,
                                strata_error *error);

/** Puts a value, that was checked, over the element at a position. */
strata_status st_change_set(const st_change *c, uint64_t position, const strata_value *value, strata_error *error);
/** Removes up to `count` elements at a position that lie in one chunk; `*out` is how many they were. */
strata_status st_change_remove(const st_change *c, uint64_t position, uint64_t count, uint64_t *out,
                               strata_error *error);

#endif
