/* SPDX-License-Identifier: MIT
 * match.c -- does a row meet a test? One row at a time, across links and collections. */
#include "base/status.h"
#include "codec/mixed.h"
#include "query/query.h"
#include "table/blob.h"

strata_status st_query_find(st_query *query, uint32_t table, uint64_t key, st_place *out) {
    st_stored_block block;
    *out = (st_place){ NULL, 0, 0 };
    strata_status status = st_view_block(query->view, table, key, &block, query->error);
    if (status != STRATA_OK) return status;
    if (!st_block_find(block.data, key, &out->slot)) return STRATA_NOT_FOUND;
    out->block = block.data;
    out->size = block.size;
    return STRATA_OK;
}

static void fail_damaged(st_query *query) {
    st_query_fail(query, st_fail(query->error, STRATA_CORRUPT, 0, "a block that a query of %s reads is damaged",
                                 query->table->name));
}

bool st_query_vector(st_query *query, const uint8_t *block, size_t size, st_field field, uint32_t column,
                     st_vector *out) {
    if (st_vector_open(block, size, field, column, out)) return true;
    fail_damaged(query);
    return false;
}

/* Bytes stored elsewhere. `*out` is the reference, and if a type is wanted it is that of a mixed value. */
static bool read_elsewhere(st_query *query, strata_bytes *out, strata_type *type) {
    st_blob blob = st_blob_load(*out);
    bool good = type == NULL || st_mixed_of_reference(blob.size, type, &blob.size);
    query->scratch.size = 0;
    if (!good || blob.size > STRATA_MAX_VALUE) {
        fail_damaged(query);
        return false;
    }
    if (!st_buffer_reserve(&query->scratch, (size_t)blob.size)) {
        st_query_fail(query, st_no_memory(query->error, "reading a large value"));
        return false;
    }
    *out = (strata_bytes){ query->scratch.data, (size_t)blob.size };
    strata_status status = st_blob_read(query->view->txn, blob, 0, query->scratch.data, out->size, query->error);
    if (status == STRATA_OK) return true;
    st_query_fail(query, status);
    return false;
}

/* The bytes in the cell, and whether they are a reference. */
static bool cell_bytes(st_query *query, const st_vector *vector, uint32_t slot, strata_bytes *out, bool *large) {
    *large = vector->large != NULL && st_bit(vector->large, slot);
    if (st_vector_bytes(vector, slot, out) && (!*large || out->size == ST_REFERENCE)) return true;
    fail_damaged(query);
    return false;
}

bool st_query_bytes(st_query *query, const st_vector *vector, uint32_t slot, strata_bytes *out) {
    bool large;
    return cell_bytes(query, vector, slot, out, &large) && (!large || read_elsewhere(query, out, NULL));
}

bool st_query_mixed(st_query *query, const st_vector *vector, uint32_t slot, strata_value *out) {
    strata_bytes bytes;
    bool large;
    *out = strata_null();
    if (!cell_bytes(query, vector, slot, &bytes, &large)) return false;
    if (large) {
        if (!read_elsewhere(query, &bytes, &out->type)) return false;
        out->as.bytes = bytes;
        return true;
    }
    if (st_mixed_unpack(bytes, out)) return true;
    fail_damaged(query);
    return false;
}

/* ---- Cells ------------------------------------------------------------ */

static bool match_bytes(st_query *query, const st_demand *demand, const st_vector *vector, uint32_t slot) {
    strata_bytes bytes;
    bool none = false;
    if (vector->large != NULL && st_bit(vector->large, slot) && st_vector_bytes(vector, slot, &bytes) &&
        bytes.size == ST_REFERENCE && !st_demand_size_may_do(demand, (size_t)st_blob_load(bytes).size)) {
        return false;
    }
    if (!st_query_bytes(query, vector, slot, &bytes)) return false;
    bool met = st_demand_bytes(demand, bytes, &query->folded, &none);
    if (none) st_query_fail(query, st_no_memory(query->error, "comparing without case"));
    return met;
}

static bool match_mixed(st_query *query, const st_demand *demand, const st_vector *vector, uint32_t slot) {
    strata_value value;
    bool none = false;
    if (!st_query_mixed(query, vector, slot, &value)) return false;
    bool met = st_demand_mixed(demand, &value, &query->folded, &none);
    if (none) st_query_fail(query, st_no_memory(query->error, "comparing without case"));
    return met;
}

static bool match_decimal(st_query *query, const st_demand *demand, const st_vector *vector, uint32_t slot) {
    strata_bytes bytes;
    return st_query_bytes(query, vector, slot, &bytes) && st_demand_decimal(demand, bytes.data);
}

bool st_query_match_cell(st_query *query, const st_test *test, const st_vector *vector, uint32_t slot) {
    const st_demand *demand = &test->demand;
    if (st_vector_null(vector, slot)) return st_demand_null(demand);
    if (demand->kind == ST_KIND_BYTES) return match_bytes(query, demand, vector, slot);
    if (demand->kind == ST_KIND_MIXED) return match_mixed(query, demand, vector, slot);
    if (demand->kind == ST_KIND_DECIMAL) return match_decimal(query, demand, vector, slot);
    if (demand->kind == ST_KIND_REAL) return st_demand_real(demand, st_vector_real(vector, slot));
    int64_t value = st_vector_int(vector, slot);
    if (test->column->type == STRATA_LINK && value == 0) return st_demand_null(demand);
    return st_demand_int(demand, value);
}

/* ---- Paths ------------------------------------------------------------ */

static bool match_path(st_query *query, const st_test *test, uint32_t step, uint32_t table, const st_place *place);

/* The object a link of the path leads to; a missing one counts as null. */
static bool match_linked(st_query *query, const st_test *test, uint32_t step, uint32_t table, uint64_t key) {
    st_place place;
    if (key == 0) return st_demand_null(&test->demand);
    strata_status status = st_query_find(query, table, key, &place);
    if (status < 0) st_query_fail(query, status);
    if (status != STRATA_OK) return status == STRATA_NOT_FOUND && st_demand_null(&test->demand);
    query->stats.rows_visited++;
    return match_path(query, test, step, table, &place);
}

/* An element of a collection of links: itself if the path ends here, otherwise the object. */
static bool match_element(st_query *query, const st_test *test, uint32_t step, uint32_t target, uint64_t key) {
    if (step == test->path_length) return st_demand_int(&test->demand, (int64_t)key);
    return match_linked(query, test, step, target, key);
}

bool st_query_collection(st_query *query, const st_table *table, const st_place *place, const st_vector *vector,
                         uint32_t column, st_source *out) {
    strata_bytes bytes;
    st_row_ref row = { place->block, place->slot, strata_block_key(place->block, place->slot) };
    if (!st_vector_bytes(vector, place->slot, &bytes)) {
        fail_damaged(query);
        return false;
    }
    strata_status status = st_source_stored(query->view, &table->columns[column], column, &row, out, query->error);
    if (status != STRATA_OK) st_query_fail(query, status);
    return status == STRATA_OK;
}

/* Holds if it holds for any element. */
static bool match_collection(st_query *query, const st_test *test, uint32_t step, const st_table *owner,
                             const st_vector *vector, const st_place *place, uint32_t column) {
    st_source source;
    uint64_t keys[ST_SOURCE_BATCH];
    if (!st_query_collection(query, owner, place, vector, column, &source)) return false;
    for (uint64_t from = 0; from < source.count && query->status == STRATA_OK; from += ST_SOURCE_BATCH) {
        uint64_t count = source.count - from < ST_SOURCE_BATCH ? source.count - from : ST_SOURCE_BATCH;
        strata_status status = st_source_links(&source, from, count, keys, query->error);
        if (status != STRATA_OK) st_query_fail(query, status);
        for (uint64_t i = 0; i < count && query->status == STRATA_OK; i++) {
            if (match_element(query, test, step, owner->columns[column].target, keys[i])) return true;
        }
    }
    return false;
}

/* Tests a row of `table`, reached by the first `step` columns of the path. */
static bool match_path(st_query *query, const st_test *test, uint32_t step, uint32_t table, const st_place *place) {
    const st_table *owner = &query->view->catalog->tables[table];
    uint32_t number = test->path[step].column;
    const st_column *column = &owner->columns[number];
    st_vector vector;
    if (!st_query_vector(query, place->block, place->size, owner->fields[number], number, &vector)) return false;
    if (column->collection != STRATA_SINGLE) {
        return match_collection(query, test, step + 1, owner, &vector, place, number);
    }
    if (step + 1 == test->path_length) return st_query_match_cell(query, test, &vector, place->slot);
    return match_linked(query, test, step + 1, column->target, (uint64_t)st_vector_int(&vector, place->slot));
}

bool st_query_match(st_query *query, const st_test *test, const st_place *place) {
    switch (test->op) {
    case STRATA_TRUE: return true;
    case STRATA_FALSE: return false;
    case STRATA_NOT: return !st_query_match(query, test->children[0], place);
    case STRATA_AND:
        for (uint32_t i = 0; i < test->child_count; i++) {
            if (!st_query_match(query, test->children[i], place)) return false;
        }
        return true;
    case STRATA_OR:
        for (uint32_t i = 0; i < test->child_count; i++) {
            if (st_query_match(query, test->children[i], place)) return true;
        }
        return false;
    default: return match_path(query, test, 0, test->table, place);
    }
}
