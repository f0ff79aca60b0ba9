/* SPDX-License-Identifier: MIT
 * collection_select.c -- the values of one collection that meet a condition, also of one nested in a mixed value. */
#include <stdlib.h>

#include "base/status.h"
#include "collection/source.h"
#include "condition/compile.h"
#include "condition/match.h"
#include "value/mixed.h"
#include "write/collection_open.h"

/* The values of a collection being tested. Exactly one of `source` and `nested` is set. */
typedef struct selection {
    st_query query;
    strata_query spec;
    const st_source *source;
    strata_nested_iterator *nested;
} selection;

static bool is_met(st_query *query) {
    return query->condition == NULL || st_query_match(query, query->condition, NULL);
}

/* Tests one value after the other; `positions` has room for all. */
static strata_status test_elements(selection *s, uint64_t *positions, uint64_t *count) {
    const st_source *source = s->source;
    st_query *query = &s->query;
    strata_value batch[ST_SOURCE_BATCH], value;
    st_buffer bytes = { 0 }; /* of an overflow value */
    strata_status status = STRATA_OK;
    query->value = &value;
    for (uint64_t from = 0; from < source->count && status == STRATA_OK; from += ST_SOURCE_BATCH) {
        uint64_t size = source->count - from < ST_SOURCE_BATCH ? source->count - from : ST_SOURCE_BATCH;
        status = st_source_values(source, st_last_column(source), from, size, batch, query->error);
        for (uint64_t i = 0; i < size && status == STRATA_OK; i++) {
            status = st_element_value(query->view, source->column, source->object, &batch[i], &bytes, &value,
                                      query->error);
            if (status != STRATA_OK) break;
            if (is_met(query)) positions[(*count)++] = from + i;
            status = query->status;
        }
    }
    query->value = NULL;
    st_buffer_free(&bytes);
    return status;
}

/* The same of nested values. Their bytes were checked, so that there are as many entries as they say. */
static strata_status test_entries(selection *s, uint64_t *positions, uint64_t *count) {
    st_query *query = &s->query;
    strata_value value;
    query->value = &value;
    for (uint64_t at = 0; strata_nested_next(s->nested, NULL, &value) == STRATA_OK; at++) {
        if (is_met(query)) positions[(*count)++] = at;
        if (query->status != STRATA_OK) break;
    }
    query->value = NULL;
    return query->status;
}

/* Compiles the condition and tests the values. */
static strata_status run(selection *s, strata_keys *out) {
    uint64_t count = s->source != NULL ? s->source->count : s->nested->count;
    s->query.spec = &s->spec;
    strata_status status = st_query_compile_values(&s->query);
    if (status == STRATA_OK && count != 0) {
        out->data = count <= SIZE_MAX / sizeof *out->data ? malloc((size_t)count * sizeof *out->data) : NULL;
        if (out->data == NULL) status = st_no_memory(s->query.error, "filtering a collection");
        else if (s->source != NULL) status = test_elements(s, out->data, &out->count);
        else status = test_entries(s, out->data, &out->count);
    }
    if (status != STRATA_OK) strata_keys_free(out);
    st_query_free(&s->query);
    return status;
}

strata_status strata_collection_select(strata_row *row, uint32_t column, const strata_node *nodes, uint32_t node_count,
                                       strata_keys *out, strata_error *error) {
    st_source source;
    strata_view *view = st_row_view(row);
    *out = (strata_keys){ NULL, 0 };
    strata_status status = st_query_ready(view, error);
    if (status == STRATA_OK) status = st_source_open(row, column, &source, error);
    if (status != STRATA_OK) return status;
    selection s = { .query = { .view = view, .error = error, .values = source.column, .owner = row->table },
                    .spec = { .size = sizeof s.spec, .nodes = nodes, .node_count = node_count },
                    .source = &source };
    return run(&s, out);
}

/* Checks what the program gave, and begins to walk it. */
static strata_status open_nested(strata_view *view, uint32_t table, const st_column *column, strata_bytes nested,
                                 strata_nested_iterator *out, strata_error *error) {
    const st_catalog *catalog = view->catalog;
    strata_value value = { .type = STRATA_NESTED, .as.bytes = nested };
    if (column->type != STRATA_MIXED) {
        return st_fail(error, STRATA_TYPE, 0, "%s.%s holds %s values; only values of any type hold lists and maps",
                       catalog->tables[table].name, column->name, st_type_name(column->type));
    }
    if (st_mixed_lacks_bytes(&value)) return strata_nested_open(nested, out, error); /* which says so */
    const char *flaw = st_mixed_flaw(&value, catalog->table_count);
    if (flaw != NULL) {
        return st_fail(error, STRATA_TYPE, 0, "%s.%s cannot hold a value that %s", catalog->tables[table].name,
                       column->name, flaw);
    }
    return strata_nested_open(nested, out, error);
}

strata_status strata_nested_select(strata_view *view, uint32_t table, uint32_t column, strata_bytes nested,
                                   const strata_node *nodes, uint32_t node_count, strata_keys *out,
                                   strata_error *error) {
    strata_nested_iterator entries;
    *out = (strata_keys){ NULL, 0 };
    strata_status status = st_query_ready(view, error);
    if (status != STRATA_OK) return status;
    const st_column *values = st_view_column(view, table, column, error);
    if (values == NULL) return STRATA_MISUSE;
    status = open_nested(view, table, values, nested, &entries, error);
    if (status != STRATA_OK) return status;
    selection s = { .query = { .view = view, .error = error, .values = values, .owner = table },
                    .spec = { .size = sizeof s.spec, .nodes = nodes, .node_count = node_count },
                    .nested = &entries };
    return run(&s, out);
}
