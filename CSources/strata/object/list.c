/* SPDX-License-Identifier: MIT
 * list.c -- changing lists. */
#include <stdlib.h>

#include "base/status.h"
#include "object/collection.h"
#include "object/collection_change.h"
#include "write/element_write.h"

enum { FEW = 64 /* elements that need no allocation */ };

strata_status strata_list_insert(strata_row *row, uint32_t column, uint64_t position, const strata_value *values,
                                 uint64_t count, strata_error *error) {
    st_change c;
    strata_value few[FEW], *elements = few;
    strata_status status = st_change_begin(row, column, STRATA_LIST, &c, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, c.column, position, 0, c.edit->count, error);
    if (status == STRATA_OK) status = st_change_check(&c, values, count, error);
    if (status != STRATA_OK || count == 0) return status;
    if (count > FEW) elements = count > SIZE_MAX / sizeof *elements ? NULL : malloc((size_t)count * sizeof *elements);
    if (elements == NULL) return st_no_memory(error, "changing a list");
    const strata_value *columns[1] = { elements };
    status = st_elements_copy(c.view, c.column, c.origin, values, (size_t)count, elements, error);
    if (status == STRATA_OK) status = st_change_insert(&c, position, columns, count, error);
    if (elements != few) free(elements);
    return st_change_end(c.view, status, error);
}

strata_status strata_list_set(strata_row *row, uint32_t column, uint64_t position, const strata_value *value,
                              strata_error *error) {
    st_change c;
    strata_status status = st_change_begin(row, column, STRATA_LIST, &c, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, c.column, position, 1, c.edit->count, error);
    if (status == STRATA_OK) status = st_change_check(&c, value, 1, error);
    if (status != STRATA_OK) return status;
    return st_change_end(c.view, st_change_set(&c, position, value, error), error);
}
