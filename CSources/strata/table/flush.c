/* SPDX-License-Identifier: MIT
 *
 * flush.c -- storing everything that is pending.
 *
 * The order matters: collections first, since they change cells of their rows; then rows and their indexes; then links;
 * then what no row refers to any more, which deriving index entries may have read.
 */
#include <stdlib.h>

#include "base/status.h"
#include "table/identity.h"
#include "table/collection_edit.h"
#include "table/write_set.h"

/* Measured: a million objects with three indexes change each block of them three times. */
enum { LARGEST_BATCHES = 16 * 1024 * 1024 };

static strata_status flush_collections(strata_view *view, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t t = 0; t < view->writes->table_count; t++) {
        st_table_writes *table = &view->writes->tables[t];
        for (size_t i = 0; i < table->count && status == STRATA_OK; i++) {
            if (table->rows[i].edits == NULL || table->rows[i].block == NULL) continue;
            status = st_edits_flush(view, &view->catalog->tables[t], &table->rows[i], error);
        }
    }
    return status;
}

static strata_status flush_tables(strata_view *view, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t t = 0; t < view->writes->table_count && status == STRATA_OK; t++) {
        st_table_writes *table = &view->writes->tables[t];
        if (table->count != 0) status = st_writes_merge_table(view, t, error);
        if (status == STRATA_OK && table->state_changed) {
            status = st_table_state_store(view->txn, t, &table->state, error);
            table->state_changed = false;
        }
    }
    return status;
}

/* ---- Indexes and links ------------------------------------------------ */

static size_t batch_memory(const st_write_set *writes) {
    size_t memory = 0;
    for (uint32_t id = 0; id < writes->set_count; id++)
        memory += st_posting_batch_memory(&writes->indexes[id]) + st_posting_batch_memory(&writes->links[id]);
    return memory;
}

static strata_status apply_batches(strata_view *view, st_tree tree, st_posting_batch *batches, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t id = 0; id < view->writes->set_count && status == STRATA_OK; id++)
        status = st_postings_apply(view->txn, (st_posting_set){ tree, id }, &batches[id], error);
    return status;
}

static strata_status flush_postings(strata_view *view, strata_error *error) {
    st_write_set *writes = view->writes;
    for (uint32_t t = 0; t < writes->table_count; t++) {
        st_table_writes *table = &writes->tables[t];
        free(table->by_primary.slots);
        table->by_primary = (st_probe_table){ 0 };
        table->indexed_rows = table->state.rows;
    }
    strata_status status = apply_batches(view, ST_INDEX, writes->indexes, error);
    if (status == STRATA_OK) status = apply_batches(view, ST_LINKS, writes->links, error);
    if (status != STRATA_OK) return status;
    memset(writes->links_counted, 0, writes->set_count * sizeof *writes->links_counted);
    free(writes->link_counts);
    writes->link_counts = NULL;
    writes->counts_size = writes->counts_used = writes->links_logged = 0;
    return STRATA_OK;
}

/* ---- Everything ------------------------------------------------------- */

static void forget_table(st_table_writes *table) {
    for (size_t i = 0; i < table->count; i++) st_edits_free(table->rows[i].edits);
    free(table->by_key.slots);
    table->by_key = (st_probe_table){ 0 };
    table->count = 0;
}

/* Every row is stored. */
static void forget_rows(strata_view *view) {
    st_write_set *writes = view->writes;
    for (uint32_t t = 0; t < writes->table_count; t++) forget_table(&writes->tables[t]);
    st_arena_reset(&writes->memory);
    writes->edited = writes->edit_memory = 0;
}

static strata_status flush(strata_view *view, size_t most_postings, strata_error *error) {
    st_write_set *writes = view->writes;
    if (!writes->dirty) return STRATA_OK;
    strata_status status = flush_collections(view, error);
    view->tree_epoch++; /* blocks of collections were stored: the block of rows looked at last may have moved */
    if (status == STRATA_OK) status = flush_tables(view, error);
    bool all = status == STRATA_OK && (most_postings == 0 || batch_memory(writes) > most_postings);
    if (all) status = flush_postings(view, error);
    if (status == STRATA_OK) status = st_identity_flush(view, error);
    if (status == STRATA_OK) forget_rows(view);
    else writes->failed = true;
    if (all) writes->dirty = false;
    st_view_trees_moved(view);
    return status;
}

strata_status st_writes_flush(strata_view *view, strata_error *error) { return flush(view, 0, error); }

strata_status st_writes_store(strata_view *view, strata_error *error) {
    return flush(view, LARGEST_BATCHES, error);
}
