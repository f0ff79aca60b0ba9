/* SPDX-License-Identifier: MIT
 *
 * flush.c -- storing what is pending in the write set.
 *
 * The order matters. Collections come first, since they change cells of their rows; then rows, from which changes to
 * indexes are derived; then indexes and links. What was dropped is deleted last, since deriving index entries may read
 * it.
 */
#include "write/flush.h"

#include "posting/postings_apply.h"
#include "posting/postings_batch.h"
#include "store/room.h"
#include "write/collection_store.h"
#include "write/row_merge.h"
#include "write/write_set.h"

/* Bytes of changes to indexes and links. Measured: with a million objects each block of three indexes is written
 * twice. */
enum { LARGEST_BATCHES = 24 * 1024 * 1024 };

/* Bytes of pending changes, and how many changes of links. Measured: larger sets gain little. Rows that were only
 * appended are stored earlier: no block is written twice for that, and few rows at a time stay in the processor's
 * cache. */
enum { LARGEST_SET = 32 * 1024 * 1024, LARGEST_APPENDED = LARGEST_SET / 8, MOST_LINKS = LARGEST_SET / 16 };

/* What is stored. */
typedef enum flush_extent {
    ROWS,       /* and indexes and links only if there are many changes to them */
    EVERYTHING,
    LAST        /* everything; nothing is asked of the write set afterwards */
} flush_extent;

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
            st_room_note_objects(view->txn, (int64_t)(table->state.rows - table->stored_rows));
            table->stored_rows = table->state.rows;
            table->state_changed = false;
        }
    }
    return status;
}

/* ---- Indexes and links ------------------------------------------------ */

static size_t batch_memory(const st_index_changes *changes) {
    size_t memory = 0;
    for (uint32_t i = 0; i < changes->count; i++) memory += st_posting_batch_memory(&changes->batches[i]);
    return memory;
}

static strata_status apply_batches(strata_view *view, st_index_changes *changes, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < changes->count && status == STRATA_OK; i++)
        status = st_postings_apply(view->txn, view->catalog->sets[i], &changes->batches[i], error);
    return status;
}

/* Changes to the index of the primary key are about to be applied: from now on keys are searched there. If the write
 * began without rows, a filter spares the search for most keys that it does not have. Without memory there is no
 * filter. */
static void move_primaries(st_table_writes *table, bool last) {
    st_hash_table *hashes = &table->by_primary;
    bool complete = table->indexed_rows == 0 || table->primaries.count != 0;
    if (last || !complete || !st_filter_reserve(&table->primaries, hashes->count)) st_filter_free(&table->primaries);
    for (size_t i = 0; table->primaries.count != 0 && i < hashes->size; i++)
        if (hashes->slots[i].position != 0) st_filter_add(&table->primaries, hashes->slots[i].hash);
    st_hash_table_free(hashes);
    table->indexed_rows = table->state.rows;
}

static strata_status flush_postings(strata_view *view, flush_extent what, strata_error *error) {
    st_write_set *writes = view->writes;
    for (uint32_t t = 0; t < writes->table_count; t++)
        if (writes->tables[t].state_loaded) move_primaries(&writes->tables[t], what == LAST);
    writes->changes.applied += batch_memory(&writes->changes);
    strata_status status = apply_batches(view, &writes->changes, error);
    if (status != STRATA_OK) return status;
    st_link_counts_reset(&writes->link_counts, writes->changes.count);
    return STRATA_OK;
}

/* ---- Everything ------------------------------------------------------- */

static void forget_table(st_table_writes *table) {
    for (size_t i = 0; i < table->count; i++) st_edits_free(table->rows[i].edits);
    st_hash_table_free(&table->by_key);
    table->count = 0;
}

/* Every row is stored. */
static void forget_rows(strata_view *view) {
    st_write_set *writes = view->writes;
    for (uint32_t t = 0; t < writes->table_count; t++) forget_table(&writes->tables[t]);
    st_arena_reset(&writes->memory.arena);
    writes->memory.copied = writes->memory.entries = writes->memory.chunks = 0;
    writes->changes.logged = 0;
}

/* Whether there are so many changes that it is time to apply them. They must be half as many as were applied before: so
 * each block of an index is written a few times only, however large the write becomes. */
static bool many_changes(const st_index_changes *changes) {
    size_t memory = batch_memory(changes);
    return memory > LARGEST_BATCHES && memory > changes->applied / 2;
}

static strata_status flush(strata_view *view, flush_extent what, strata_error *error) {
    st_write_set *writes = view->writes;
    if (!writes->dirty && !st_identities_changed(&writes->identities, what == LAST)) return STRATA_OK;
    st_view_trees_will_move(view);
    writes->flushed = true;
    strata_status status = flush_collections(view, error);
    view->tree_epoch++; /* storing collections may have moved blocks of rows */
    if (status == STRATA_OK) status = flush_tables(view, error);
    bool all = status == STRATA_OK && (what != ROWS || many_changes(&writes->changes));
    if (all) status = flush_postings(view, what, error);
    if (status == STRATA_OK) status = st_identities_flush(&writes->identities, view->txn, what == LAST, error);
    if (status == STRATA_OK) forget_rows(view);
    else st_writes_fail(writes, status, error);
    if (all) writes->dirty = false;
    st_view_trees_moved(view);
    return status;
}

strata_status st_writes_flush(strata_view *view, strata_error *error) { return flush(view, EVERYTHING, error); }

strata_status st_writes_finish(strata_view *view, strata_error *error) { return flush(view, LAST, error); }

strata_status st_writes_store(strata_view *view, strata_error *error) { return flush(view, ROWS, error); }

strata_status st_writes_trim(strata_view *view, strata_error *error) {
    const st_write_set *writes = view->writes;
    const st_pending_memory *memory = &writes->memory;
    size_t used = memory->arena.total + memory->chunks + memory->entries;
    bool appended = memory->copied + memory->chunks + memory->entries == 0;
    if (used <= (appended ? LARGEST_APPENDED : LARGEST_SET) && writes->changes.logged <= MOST_LINKS) return STRATA_OK;
    return st_writes_store(view, error);
}
