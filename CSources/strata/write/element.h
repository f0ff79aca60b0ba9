/* SPDX-License-Identifier: MIT
 *
 * element.h -- single elements of collections: kept, shown, compared, given up.
 *
 * An element in memory is a value as blocks hold it: its bytes lie in the memory of the write set, or are a reference
 * to where they are stored.
 */
#ifndef ST_WRITE_ELEMENT_H
#define ST_WRITE_ELEMENT_H

#include "value/mixed.h"
#include "collection/blocks.h"
#include "value/mixed_links.h"
#include "write/write_set.h"

/** True if bytes of such an element may be stored elsewhere. */
static inline bool st_element_has_bytes(const st_column *column) {
    return st_element_type(column) == STRATA_STRING || st_element_type(column) == STRATA_DATA;
}
/** True if such an element may be a link. */
static inline bool st_element_links(const st_column *column) { return column->link_id != 0; }

/** Turns checked values into elements. `values` may be bytes lent by the view: all short ones are copied before a large
 * one is stored. */
strata_status st_elements_keep(strata_view *view, const st_column *column, const strata_value *values, size_t count,
                               strata_value *out, strata_error *error);

/** True if elements may be null. */
static inline bool st_element_nullable(const st_column *column) {
    return (column->flags & STRATA_COLUMN_NULLABLE) != 0 || column->type == STRATA_MIXED ||
           (column->type == STRATA_LINK && column->collection == STRATA_MAP);
}

/** The value of an element with all its bytes: those stored elsewhere are read into `scratch`. Fails: STRATA_CORRUPT,
 * STRATA_NO_MEMORY. */
strata_status st_element_value(strata_view *view, const st_column *column, const strata_value *element,
                               st_buffer *scratch, strata_value *out, strata_error *error);

/** Visits the links of a value of such an element, each as often as it occurs. */
strata_status st_element_each_link(const st_column *column, const strata_value *value, st_mixed_visitor visit,
                                   void *context, strata_error *error);

/** What a caller gets to see of an element. */
void st_element_show(const st_column *column, const strata_value *element, strata_value *out);

/** Reads `size` bytes of an element from `offset` on, which it has. */
strata_status st_element_read(strata_view *view, const st_column *column, const strata_value *element, size_t offset,
                              void *out, size_t size, strata_error *error);
/** How many bytes a string or data has. */
size_t st_element_size(const st_column *column, const strata_value *element);

/** Logs that the links of an element are added or removed. */
strata_status st_element_log(strata_view *view, const st_column *column, const strata_value *element, uint64_t origin,
                             bool added, strata_error *error);
/** Gives up an element that is removed: its links, and its bytes stored elsewhere. */
strata_status st_element_drop(strata_view *view, const st_column *column, const strata_value *element, uint64_t origin,
                              strata_error *error);

/**
 * Compares a value with an element: `*out` is negative, 0 or positive. Nulls come first, then NaN; strings and data
 * are in the order of their bytes, values of any type in that of strata_mixed_compare().
 *
 * Fails: STRATA_CORRUPT, STRATA_NO_MEMORY.
 */
strata_status st_element_order(strata_view *view, const st_column *column, const strata_value *value,
                               const strata_value *element, int *out, strata_error *error);

#endif
