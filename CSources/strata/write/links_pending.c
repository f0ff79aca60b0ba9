/* SPDX-License-Identifier: MIT
 * links_pending.c -- how many links to an object the pending changes add or remove. */
#include "write/links_pending.h"

#include "base/status.h"
#include "posting/postings_batch.h"
#include "write/write_set.h"

/* A target of any table as one number. */
static uint64_t target_id(uint32_t table, uint64_t key) { return (uint64_t)table << 48 | key; }

/* Counts the changes of a link index that were logged since the last time. */
static bool count_batch(st_write_set *writes, const st_column *column) {
    const st_posting_batch *batch = &writes->changes.batches[column->link_set];
    size_t *counted = &writes->link_counts.counted[column->link_set];
    for (; *counted < batch->count; (*counted)++) {
        const st_posting_change *change = &batch->changes[*counted];
        uint64_t target = st_load_big64(st_posting_change_value(change).data);
        if (column->type == STRATA_LINK) target = target_id(column->target, target);
        if (!st_link_counts_add(&writes->link_counts, target, st_posting_change_added(change))) return false;
    }
    return true;
}

strata_status st_links_pending(strata_view *view, uint32_t table, uint64_t key, int64_t *change, bool *touched,
                               strata_error *error) {
    st_write_set *writes = view->writes;
    const st_table *target = &view->catalog->tables[table];
    *change = 0;
    *touched = false;
    for (uint32_t i = 0; i < target->incoming_count; i++) {
        st_incoming from = target->incoming[i];
        if (!count_batch(writes, &view->catalog->tables[from.table].columns[from.column]))
            return st_no_memory(error, "counting links");
    }
    const st_link_count *count = st_link_counts_find(&writes->link_counts, target_id(table, key));
    *touched = count != NULL;
    if (count != NULL) *change = count->change;
    return STRATA_OK;
}
