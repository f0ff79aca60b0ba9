/* SPDX-License-Identifier: MIT
 *
 * element.h -- single elements of collections: opened, read, compared.
 *
 * An element is a value as it was loaded (see table/cell_value.h), from a block, a sequence or an edit.
 */
#ifndef ST_COLLECTION_ELEMENT_H
#define ST_COLLECTION_ELEMENT_H

#include "collection/element_column.h"
#include "table/view.h"
#include "value/mixed.h"
#include "value/mixed_links.h"

/** The value that a program gets to see: of an overflow value the size alone. False, with null as the value, if its
 * encoding is damaged. */
bool st_element_show(const st_column *column, const strata_value *element, strata_value *out);
/** Copies `size` bytes of an element from `offset` on; there must be so many. `object` is the one whose collection it
 * is, as it is below. Fails: STRATA_CORRUPT. */
strata_status st_element_read(strata_view *view, const st_column *column, uint64_t object,
                              const strata_value *element, size_t offset, void *out, size_t size,
                              strata_error *error);
/** How many bytes a string or data has. */
size_t st_element_size(const st_column *column, const strata_value *element);

/** The value with all its bytes: those of an overflow value are read into `scratch`. Fails: STRATA_CORRUPT,
 * STRATA_NO_MEMORY. */
strata_status st_element_value(strata_view *view, const st_column *column, uint64_t object,
                               const strata_value *element, st_buffer *scratch, strata_value *out,
                               strata_error *error);
/** Fails with STRATA_CORRUPT, naming the column. */
strata_status st_element_damaged(const st_column *column, strata_error *error);

/** Visits the links of an element's value, each as often as it occurs. */
strata_status st_element_each_link(const st_column *column, const strata_value *value, st_mixed_visitor visit,
                                   void *context, strata_error *error);

/**
 * Compares a value with an element: `*out` is negative, 0 or positive. Nulls come first, then NaN; strings and data
 * are in the order of their bytes, values of any type in that of strata_mixed_compare().
 *
 * Fails: STRATA_CORRUPT, STRATA_NO_MEMORY.
 */
strata_status st_element_order(strata_view *view, const st_column *column, uint64_t object,
                               const strata_value *value, const strata_value *element, int *out,
                               strata_error *error);

#endif
