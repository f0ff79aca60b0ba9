/* SPDX-License-Identifier: MIT
 * set.c -- changing sets. */
#include "collection/source_search.h"
#include "object/collection_change.h"
#include "write/element_write.h"

strata_status strata_set_insert(strata_row *row, uint32_t column, const strata_value *value, bool *out_inserted,
                                uint64_t *out_position, strata_error *error) {
    st_change c;
    st_source source;
    strata_value element;
    const strata_value *columns[1] = { &element };
    bool inserted;
    uint64_t position;
    if (out_inserted == NULL) out_inserted = &inserted;
    if (out_position == NULL) out_position = &position;
    *out_inserted = false;
    *out_position = 0;
    strata_status status = st_change_begin(row, column, STRATA_SET, &c, error);
    if (status == STRATA_OK) status = st_change_check(&c, value, 1, error);
    if (status != STRATA_OK) return status;
    st_source_edited(c.view, c.column, c.origin, c.edit, &source);
    status = st_source_search(&source, value, out_position, error);
    if (status != STRATA_NOT_FOUND) return status;
    status = st_elements_copy(c.view, c.column, c.origin, value, 1, &element, error);
    if (status == STRATA_OK) status = st_change_insert(&c, *out_position, columns, 1, error);
    status = st_change_end(c.view, status, error);
    *out_inserted = status == STRATA_OK;
    return status;
}
