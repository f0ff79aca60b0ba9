/* SPDX-License-Identifier: MIT
 * collection_select.c -- the values of one collection that meet a condition. */
#include <stdlib.h>

#include "base/status.h"
#include "collection/source.h"
#include "condition/compile.h"
#include "condition/match.h"
#include "write/collection_open.h"

/* Tests one value after the other; `positions` has room for all. */
static strata_status select_values(st_query *query, const st_source *source, uint64_t *positions, uint64_t *count) {
    strata_value batch[ST_SOURCE_BATCH], value;
    st_buffer bytes = { 0 }; /* of an overflow value */
    strata_status status = STRATA_OK;
    query->value = &value;
    for (uint64_t from = 0; from < source->count && status == STRATA_OK; from += ST_SOURCE_BATCH) {
        uint64_t size = source->count - from < ST_SOURCE_BATCH ? source->count - from : ST_SOURCE_BATCH;
        status = st_source_values(source, st_last_column(source), from, size, batch, query->error);
        for (uint64_t i = 0; i < size && status == STRATA_OK; i++) {
            status = st_element_value(query->view, source->column, &batch[i], &bytes, &value, query->error);
            if (status != STRATA_OK) break;
            if (query->condition == NULL || st_query_match(query, query->condition, NULL)) {
                positions[(*count)++] = from + i;
            }
            status = query->status;
        }
    }
    query->value = NULL;
    st_buffer_free(&bytes);
    return status;
}

strata_status strata_collection_select(strata_row *row, uint32_t column, const strata_node *nodes, uint32_t node_count,
                                       strata_keys *out, strata_error *error) {
    st_source source;
    strata_query spec = { .size = sizeof spec, .nodes = nodes, .node_count = node_count };
    st_query query = { .view = st_row_view(row), .spec = &spec, .error = error };
    *out = (strata_keys){ NULL, 0 };
    strata_status status = st_query_prepare(query.view, error);
    if (status == STRATA_OK) status = st_source_open(row, column, &source, error);
    if (status != STRATA_OK) return status;
    query.values = source.column;
    query.owner = row->table;
    status = st_query_compile_values(&query);
    if (status == STRATA_OK && source.count != 0) {
        bool fits = source.count <= SIZE_MAX / sizeof *out->data;
        out->data = fits ? malloc((size_t)source.count * sizeof *out->data) : NULL;
        if (out->data == NULL) status = st_no_memory(error, "filtering a collection");
        else status = select_values(&query, &source, out->data, &out->count);
    }
    if (status != STRATA_OK) strata_keys_free(out);
    st_query_free(&query);
    return status;
}
