/* SPDX-License-Identifier: MIT
 * rows.c -- what a change of the schema means for the rows that are there. */
#include "schema/rows.h"

#include "base/status.h"
#include "block/block_check.h"
#include "posting/postings_apply.h"
#include "posting/postings_batch.h"
#include "table/cell_value.h"
#include "table/link_index.h"
#include "write/cell_release.h"
#include "write/index.h"
#include "write/primary.h"
#include "write/row_find.h"

/* Called with each block of a table; it must not change the tree of rows. */
typedef strata_status (*block_visitor)(void *context, const uint8_t *block, strata_error *error);

static strata_status each_block(strata_view *view, const st_table *table, uint32_t number, block_visitor visit,
                                void *context, strata_error *error) {
    st_layout layout = st_table_layout(table);
    for (uint64_t next = 0;;) {
        st_stored_block stored;
        strata_status status = st_view_block(view, number, next, &stored, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        if (!st_block_valid((strata_bytes){ stored.data, stored.size }, &layout))
            return st_fail(error, STRATA_CORRUPT, 0, "the block of %s up to object %llu is damaged", table->name,
                           (unsigned long long)stored.bound);
        status = visit(context, stored.data, error);
        if (status != STRATA_OK || stored.bound >= ST_KEY_MAX) return status;
        next = stored.bound + 1;
    }
}

/* ---- Building an index ------------------------------------------------ */

typedef struct index_build {
    strata_view *view;
    const st_table *table;
    const st_index *index;
    st_posting_batch batch;
    st_buffer scratch;
} index_build;

static strata_status index_block(void *context, const uint8_t *block, strata_error *error) {
    index_build *b = context;
    for (uint32_t i = 0; i < strata_block_rows(block); i++) {
        st_row_ref row = { block, i, strata_block_key(block, i) };
        st_key key;
        strata_status status = st_index_key(b->view, b->table, b->index, &row, &b->scratch, &key, error);
        if (status != STRATA_OK) return status;
        if (!st_posting_batch_add(&b->batch, (strata_bytes){ key.bytes, key.size }, row.key, true))
            return st_no_memory(error, "building an index");
    }
    return STRATA_OK;
}

/* Equal entries of the index follow each other. Long strings with the same beginning and hash count as equal, too: the
 * chance that two different ones are is one in 2^64. */
strata_status st_schema_each_duplicate(strata_view *view, const st_table *table, uint32_t number,
                                       st_failure_visitor visit, void *context, strata_error *error) {
    const st_column *column = &table->columns[number];
    st_posting_set set = { ST_INDEX, column->index_id };
    st_posting_range all = { { NULL, 0 }, { NULL, 0 }, 0, 0 };
    st_posting_cursor *cursor;
    uint8_t last[ST_MAX_KEY];
    size_t last_size = 0;
    uint64_t key, last_key = 0;
    strata_bytes value;
    strata_status status = st_posting_cursor_open(view->txn, set, &all, false, &cursor, error);
    while (status == STRATA_OK) {
        status = st_posting_cursor_next(cursor, &key, &value, error);
        if (status != STRATA_OK) break;
        if (value.size > sizeof last) {
            status = st_fail(error, STRATA_CORRUPT, 0, "an entry in the index of %s.%s is too long", table->name,
                             column->name);
            break;
        }
        bool same = last_size == value.size && memcmp(last, value.data, last_size) == 0;
        if (same && !visit(context, key, last_key)) break;
        last_size = value.size;
        last_key = key;
        memcpy(last, value.data, last_size);
    }
    st_posting_cursor_close(cursor);
    return status == STRATA_END ? STRATA_OK : status;
}

/* The first object that is told of. */
typedef struct first_failure {
    bool found;
    uint64_t key, other;
} first_failure;

static bool take_first(void *context, uint64_t key, uint64_t other) {
    *(first_failure *)context = (first_failure){ true, key, other };
    return false;
}

static strata_status describe_key(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                  uint64_t key, char *out, size_t size, strata_error *error) {
    st_buffer scratch = { 0 };
    st_row_ref row;
    strata_value value;
    strata_status status = st_view_row(view, number, key, &row, error);
    if (status == STRATA_OK) status = st_cell_value(view, table, column, &row, &scratch, &value, error);
    if (status == STRATA_OK) st_primary_describe(&value, out, size);
    st_buffer_free(&scratch);
    return status;
}

strata_status st_schema_check_unique(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                     strata_error *error) {
    first_failure first = { false, 0, 0 };
    char value[100];
    strata_status status = st_schema_each_duplicate(view, table, column, take_first, &first, error);
    if (status != STRATA_OK || !first.found) return status;
    status = describe_key(view, table, number, column, first.key, value, sizeof value, error);
    if (status < 0) return status;
    return st_fail(error, STRATA_DUPLICATE, 0,
                   "%s.%s cannot become the primary key: objects %llu and %llu have the same value, %s; give each "
                   "object one of its own in the migration", table->name, table->columns[column].name,
                   (unsigned long long)first.other, (unsigned long long)first.key, value);
}

strata_status st_schema_find_duplicate(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                       bool *out, strata_error *error) {
    const st_index alone = { .column_count = 1, .columns = { column } };
    index_build b = { .view = view, .table = table, .index = &alone };
    *out = false;
    strata_status status = each_block(view, table, number, index_block, &b, error);
    if (status == STRATA_OK && b.batch.count != 0 && !st_posting_batch_sort(&b.batch))
        status = st_no_memory(error, "comparing schemas");
    for (size_t i = 1; i < b.batch.count && status == STRATA_OK && !*out; i++)
        *out = st_compare(st_posting_change_value(&b.batch.changes[i - 1]),
                          st_posting_change_value(&b.batch.changes[i])) == 0;
    st_posting_batch_free(&b.batch);
    st_buffer_free(&b.scratch);
    return status;
}

/* Blocks are visited first, since the trees must not change meanwhile. */
strata_status st_schema_build_index(strata_view *view, const st_table *table, uint32_t number, const st_index *index,
                                    strata_error *error) {
    index_build b = { .view = view, .table = table, .index = index };
    strata_status status = each_block(view, table, number, index_block, &b, error);
    if (status == STRATA_OK) status = st_postings_apply(view->txn, st_index_set(index), &b.batch, error);
    st_posting_batch_free(&b.batch);
    st_buffer_free(&b.scratch);
    st_view_trees_moved(view);
    return status;
}

/* ---- Objects that become parts of others ------------------------------ */

typedef struct owner_check {
    strata_view *view;
    const st_catalog *catalog;
    uint32_t number;
    st_failure_visitor visit;
    void *context;
} owner_check;

/* How many links lead to an object, and how many of these are in values of any type, which own nothing. */
static strata_status count_links(const owner_check *c, uint64_t key, uint64_t *out, uint64_t *out_loose,
                                 strata_error *error) {
    const st_table *table = &c->catalog->tables[c->number];
    *out = *out_loose = 0;
    for (uint32_t i = 0; i < table->incoming_count; i++) {
        const st_column *column = &c->catalog->tables[table->incoming[i].table].columns[table->incoming[i].column];
        uint8_t number[8];
        uint64_t links;
        st_store_big64(number, st_link_number(column, c->number, key));
        st_posting_range one = { { number, 8 }, { number, 8 }, 0, UINT64_MAX };
        strata_status status = st_postings_count(c->view->txn, st_link_set(column), &one, &links, error);
        if (status != STRATA_OK) return status;
        *out += links;
        if (column->type == STRATA_MIXED) *out_loose += links;
    }
    return STRATA_OK;
}

/* Returns STRATA_END if the visitor wants no more. */
static strata_status check_owners(void *context, const uint8_t *block, strata_error *error) {
    const owner_check *c = context;
    for (uint32_t i = 0; i < strata_block_rows(block); i++) {
        uint64_t links, loose, key = strata_block_key(block, i);
        strata_status status = count_links(c, key, &links, &loose, error);
        if (status != STRATA_OK) return status;
        if ((links != 1 || loose != 0) && !c->visit(c->context, key, links)) return STRATA_END;
    }
    return STRATA_OK;
}

strata_status st_schema_each_unowned(strata_view *view, const st_catalog *catalog, uint32_t number,
                                     st_failure_visitor visit, void *context, strata_error *error) {
    owner_check check = { view, catalog, number, visit, context };
    strata_status status = each_block(view, &catalog->tables[number], number, check_owners, &check, error);
    return status == STRATA_END ? STRATA_OK : status;
}

strata_status st_schema_check_owners(strata_view *view, const st_catalog *catalog, uint32_t number,
                                     strata_error *error) {
    first_failure first = { false, 0, 0 };
    strata_status status = st_schema_each_unowned(view, catalog, number, take_first, &first, error);
    if (status != STRATA_OK || !first.found) return status;
    return st_fail(error, STRATA_SCHEMA_MISMATCH, 0,
                   "%s cannot become embedded: %llu links lead to object %llu, and an embedded object has exactly "
                   "one owner, which no value of any type can be. Delete it or give it one owner in the migration",
                   catalog->tables[number].name,
                   (unsigned long long)first.other, (unsigned long long)first.key);
}

/* ---- Dropping a column ------------------------------------------------ */

typedef struct cell_drop {
    strata_view *view;
    const st_table *table;
    uint32_t column;
} cell_drop;

static strata_status drop_block(void *context, const uint8_t *block, strata_error *error) {
    cell_drop *d = context;
    uint32_t entry = strata_block_entry(block, d->column);
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < strata_block_rows(block) && status == STRATA_OK; i++) {
        if (entry == 0 || !strata_block_large(block, entry, i)) continue;
        st_row_ref row = { block, i, strata_block_key(block, i) };
        status = st_stored_cell_drop(d->view, d->table, &row, d->column, error);
    }
    return status;
}

strata_status st_schema_drop_cells(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                   strata_error *error) {
    const st_column *found = &table->columns[column];
    cell_drop drop = { view, table, column };
    strata_status status = STRATA_OK;
    if (table->fields[column].packing == ST_PACK_BYTES)
        status = each_block(view, table, number, drop_block, &drop, error);
    if (status == STRATA_OK && found->index_id != 0)
        status = st_postings_clear(view->txn, (st_posting_set){ ST_INDEX, found->index_id }, error);
    if (status == STRATA_OK && found->link_id != 0)
        status = st_postings_clear(view->txn, st_link_set(found), error);
    st_view_trees_moved(view);
    return status;
}
