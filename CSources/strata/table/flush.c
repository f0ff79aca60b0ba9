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

static strata_status flush_links(strata_view *view, strata_error *error) {
    st_write_set *writes = view->writes;
    strata_status status = STRATA_OK;
    for (uint32_t id = 0; id < writes->link_count && status == STRATA_OK; id++) {
        if (writes->links[id].count == 0) continue;
        status = st_postings_apply(view->txn, (st_posting_set){ ST_LINKS, id }, &writes->links[id], error);
        writes->links_counted[id] = 0;
    }
    return status;
}

static void forget_table(st_table_writes *table) {
    for (size_t i = 0; i < table->count; i++) st_edits_free(table->rows[i].edits);
    free(table->by_key.slots);
    free(table->by_primary.slots);
    table->by_key = table->by_primary = (st_probe_table){ 0 };
    table->count = 0;
    table->stored_rows = table->state.rows;
}

/* Everything is stored: the set is empty again. */
static void forget(strata_view *view) {
    st_write_set *writes = view->writes;
    for (uint32_t t = 0; t < writes->table_count; t++) forget_table(&writes->tables[t]);
    free(writes->link_counts);
    writes->link_counts = NULL;
    writes->counts_size = writes->counts_used = 0;
    st_arena_reset(&writes->memory);
    writes->edit_memory = 0;
    writes->dirty = false;
}

strata_status st_writes_flush(strata_view *view, strata_error *error) {
    if (!view->writes->dirty) return STRATA_OK;
    strata_status status = flush_collections(view, error);
    view->tree_epoch++; /* blocks of collections were stored: the block of rows looked at last may have moved */
    if (status == STRATA_OK) status = flush_tables(view, error);
    if (status == STRATA_OK) status = flush_links(view, error);
    if (status == STRATA_OK) status = st_identity_flush(view, error);
    if (status == STRATA_OK) forget(view);
    else view->writes->failed = true;
    st_view_trees_moved(view);
    return status;
}
