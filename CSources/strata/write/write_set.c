/* SPDX-License-Identifier: MIT
 * write_set.c -- pending rows, found by their keys. */
#include "write/write_set.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"
#include "block/block_check.h"
#include "block/block_pending.h"
#include "posting/postings_batch.h"

st_write_set *st_write_set_make(const st_catalog *catalog) {
    st_write_set *writes = calloc(1, sizeof *writes);
    if (writes == NULL) return NULL;
    st_index_changes *changes = &writes->changes;
    writes->table_count = catalog->table_count;
    changes->count = catalog->set_count;
    writes->tables = calloc(writes->table_count + 1, sizeof *writes->tables);
    changes->batches = calloc(changes->count + 1, sizeof *changes->batches);
    writes->link_counts.counted = calloc(changes->count + 1, sizeof *writes->link_counts.counted);
    if (writes->tables != NULL && changes->batches != NULL && writes->link_counts.counted != NULL) return writes;
    st_write_set_free(writes);
    return NULL;
}

static void free_table(st_table_writes *table) {
    for (size_t i = 0; i < table->count; i++) st_edits_free(table->rows[i].edits);
    free(table->empty);
    free(table->rows);
    st_hash_table_free(&table->by_key);
    st_hash_table_free(&table->by_primary);
    st_filter_free(&table->primaries);
}

static void free_batches(st_index_changes *changes) {
    for (uint32_t i = 0; changes->batches != NULL && i < changes->count; i++)
        st_posting_batch_free(&changes->batches[i]);
    free(changes->batches);
}

void st_write_set_free(st_write_set *writes) {
    if (writes == NULL) return;
    for (uint32_t t = 0; writes->tables != NULL && t < writes->table_count; t++) free_table(&writes->tables[t]);
    free(writes->tables);
    free_batches(&writes->changes);
    free(writes->link_counts.slots);
    free(writes->link_counts.counted);
    st_identities_free(&writes->identities);
    st_arena_free(&writes->memory.arena);
    if (writes->log.on) st_change_log_free(&writes->log);
    st_buffer_free(&writes->scratch);
    free(writes);
}

void st_writes_fail(st_write_set *writes, strata_status status, const strata_error *error) {
    if (writes->failed) return;
    writes->failed = true;
    if (status > 0) status = STRATA_CORRUPT; /* what must be there was not found halfway */
    if (error != NULL && error->status == status) writes->failure = *error;
    else st_fail(&writes->failure, status, 0, "%s", strata_status_name(status));
}

strata_status st_writes_failure(const st_write_set *writes, strata_error *error) {
    const strata_error *first = &writes->failure;
    return st_fail(error, first->status, first->system_code,
                   "an earlier change of this write failed, so that it can only be cancelled: %s", first->message);
}

strata_status st_writes_ready(strata_view *view, strata_error *error) {
    if (view == NULL || view->head.owner != strata_thread() || st_fork_has_changed(view->head.epoch))
        return st_view_check(view, error);
    if (view->writes == NULL)
        return st_fail(error, STRATA_NOT_WRITING, 0, "a change needs a write transaction; begin one first");
    if (view->writes->failed) return st_writes_failure(view->writes, error);
    return STRATA_OK;
}

/* ---- Entries ---------------------------------------------------------- */

/* Keys that follow each other, as those of new objects do, get neighbouring slots. The engine hands out the keys of
 * objects, not somebody outside, so that no secret is needed. */
static uint32_t hash_key(uint64_t key) {
    enum { NEIGHBOURS = 3 }; /* bits: 8 of them take one cache line */
    uint64_t mixed = (key >> NEIGHBOURS) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed >> 32 << NEIGHBOURS) | (uint32_t)(key & ((1u << NEIGHBOURS) - 1));
}

st_pending *st_writes_entry(const st_write_set *writes, uint32_t table, uint64_t key) {
    if (table >= writes->table_count) return NULL;
    const st_table_writes *t = &writes->tables[table];
    if (t->count == 0) return NULL;
    size_t mask = t->by_key.size - 1;
    uint32_t hash = hash_key(key);
    for (size_t at = hash & mask; t->by_key.slots[at].position != 0; at = (at + 1) & mask) {
        if (t->by_key.slots[at].hash != hash) continue;
        st_pending *row = &t->rows[t->by_key.slots[at].position - 1];
        if (row->key == key) return row;
    }
    return NULL;
}

st_pending *st_writes_add(st_write_set *writes, uint32_t table, uint64_t key) {
    st_table_writes *t = &writes->tables[table];
    if (t->count >= UINT32_MAX / 2 || !st_hash_table_reserve(&t->by_key)) return NULL;
    if (!st_array_grow((void **)&t->rows, &t->capacity, t->count, sizeof *t->rows)) return NULL;
    t->ascending = t->count == 0 || (t->ascending && t->rows[t->count - 1].key < key);
    st_pending *row = &t->rows[t->count];
    *row = (st_pending){ .key = key };
    st_hash_table_add(&t->by_key, hash_key(key), t->count++);
    writes->dirty = true;
    return row;
}

uint8_t *st_writes_block(st_write_set *writes, const st_layout *layout, uint32_t table, uint64_t key, size_t room) {
    st_table_writes *t = &writes->tables[table];
    if (t->empty == NULL) {
        t->empty_size = (uint32_t)st_pending_size(layout, 0);
        t->empty = malloc(t->empty_size);
        if (t->empty == NULL) return NULL;
        st_pending_clear(layout, 0, t->empty);
    }
    uint8_t *block = st_arena_alloc(&writes->memory.arena, t->empty_size + room);
    if (block != NULL) st_pending_clone(t->empty, t->empty_size, key, block);
    return block;
}

strata_status st_writes_table(strata_view *view, uint32_t table, st_table_writes **out, strata_error *error) {
    st_table_writes *t = &view->writes->tables[table];
    *out = t;
    if (t->state_loaded) return STRATA_OK;
    strata_status status = st_table_state_load(view->txn, table, &t->state, error);
    if (status != STRATA_OK) return status;
    t->state_loaded = true;
    t->indexed_rows = t->stored_rows = t->state.rows;
    return STRATA_OK;
}

/* ---- Editing ---------------------------------------------------------- */

/* Bytes that an entry without a block takes. */
enum { ENTRY = sizeof(st_pending) + 2 * sizeof(st_hash_slot) };

strata_status st_writes_stored(strata_view *view, uint32_t table, uint64_t key, st_row_ref *out, strata_error *error) {
    st_stored_block stored;
    strata_status status = st_view_block(view, table, key, &stored, error);
    if (status != STRATA_OK) return status;
    *out = (st_row_ref){ stored.data, 0, key };
    if (!st_block_find(stored.data, key, &out->slot)) return STRATA_NOT_FOUND;
    st_layout layout = st_table_layout(&view->catalog->tables[table]);
    for (uint32_t c = 0; c < layout.count; c++) { /* cells lie apart: fetched together, they cost one wait for memory */
        uint32_t entry = strata_block_entry(stored.data, c);
        __builtin_prefetch(stored.data + strata_entry_offset(entry) + (size_t)out->slot * strata_entry_width(entry));
    }
    if (st_block_row_valid((strata_bytes){ stored.data, stored.size }, &layout, out->slot)) return STRATA_OK;
    return st_fail(error, STRATA_CORRUPT, 0, "the block with object %llu of %s is damaged", (unsigned long long)key,
                   view->catalog->tables[table].name);
}

/* Copies the stored row into a pending block, for an entry that has none or is still to be added. */
static strata_status copy_row(strata_view *view, uint32_t table, uint64_t key, st_pending **entry,
                              strata_error *error) {
    st_write_set *writes = view->writes;
    st_layout layout = st_table_layout(&view->catalog->tables[table]);
    st_row_ref row;
    strata_status status = st_writes_stored(view, table, key, &row, error);
    if (status != STRATA_OK) return status;
    size_t room = st_pending_bytes(&layout, &row) + ST_PENDING_SLACK;
    uint8_t *block = st_writes_block(writes, &layout, table, key, room);
    if (block != NULL && *entry == NULL) *entry = st_writes_add(writes, table, key);
    if (block == NULL || *entry == NULL) return st_no_memory(error, "changing an object");
    (*entry)->block = block;
    (*entry)->end = (uint32_t)st_pending_copy(&layout, &row, block);
    if (writes->log.on) st_pending_close(&layout, block);
    (*entry)->capacity = writes->tables[table].empty_size + (uint32_t)room;
    (*entry)->stored = true;
    writes->memory.copied += (*entry)->capacity;
    return STRATA_OK;
}

strata_status st_writes_edit(strata_view *view, uint32_t table, uint64_t key, st_pending **out, strata_error *error) {
    st_pending *entry = st_writes_entry(view->writes, table, key);
    *out = entry;
    if (entry != NULL && !entry->deferred) return entry->block == NULL ? STRATA_NOT_FOUND : STRATA_OK;
    strata_status status = copy_row(view, table, key, out, error);
    if (status != STRATA_OK) return status;
    if (entry == NULL) {
        view->head.epoch++; /* the row has moved */
        return STRATA_OK;
    }
    st_layout layout = st_table_layout(&view->catalog->tables[table]);
    st_block_store(entry->block, &layout, entry->column, 0, entry->number);
    entry->deferred = false; /* the epoch stays: nobody has looked the row up since its update was deferred */
    return STRATA_OK;
}

/* Finds the block that has the row of a live row which is not current; NULL if none has. */
static strata_status find_stored(strata_view *view, const strata_row *row, const uint8_t **out, strata_error *error) {
    st_stored_block stored;
    uint32_t slot;
    *out = NULL;
    strata_status status = st_view_block(view, row->table, row->key, &stored, error);
    if (status == STRATA_OK && st_block_find(stored.data, row->key, &slot)) *out = stored.data;
    return status < 0 ? status : STRATA_OK;
}

strata_status st_writes_defer(strata_view *view, const strata_row *row, uint32_t column, uint64_t number,
                              bool *out_deferred, strata_error *error) {
    st_write_set *writes = view->writes;
    const uint8_t *block = row->block;
    strata_status status = STRATA_OK;
    *out_deferred = false;
    if (st_writes_entry(writes, row->table, row->key) != NULL) return STRATA_OK;
    if (!st_row_current(row)) status = find_stored(view, row, &block, error);
    if (status != STRATA_OK || block == NULL) return status;
    st_layout layout = st_table_layout(&view->catalog->tables[row->table]);
    if (!st_block_can_store(block, &layout, column, number)) return STRATA_OK;
    st_pending *entry = st_writes_add(writes, row->table, row->key);
    if (entry == NULL) return st_no_memory(error, "changing an object");
    entry->number = number;
    entry->column = column;
    entry->deferred = entry->stored = true;
    writes->memory.entries += ENTRY;
    view->head.epoch++; /* the row is no longer current */
    *out_deferred = true;
    return STRATA_OK;
}

strata_status st_writes_remove(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    st_write_set *writes = view->writes;
    st_pending *entry = st_writes_entry(writes, table, key);
    if (entry == NULL) {
        entry = st_writes_add(writes, table, key);
        if (entry == NULL) return st_no_memory(error, "deleting an object");
        entry->stored = true;
        writes->memory.entries += ENTRY;
    }
    st_edits_free(entry->edits);
    entry->edits = NULL;
    entry->block = NULL;
    writes->dirty = true;
    view->head.epoch++;
    return STRATA_OK;
}

