/* SPDX-License-Identifier: MIT
 * write_set.c -- pending rows, found by their keys. */
#include "write/write_set.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"
#include "block/block_check.h"
#include "block/block_pending.h"
#include "write/collection_edit.h"

/* A flush costs time, memory costs memory: measured, larger sets gain little. Storing rows that were only appended
 * writes nothing twice: few of them at a time stay in the processor's cache. */
enum { LARGEST_SET = 32 * 1024 * 1024, LARGEST_APPENDED = LARGEST_SET / 8, MOST_LINKS = LARGEST_SET / 16, SLACK = 48 };

st_write_set *st_write_set_make(const st_catalog *catalog) {
    st_write_set *writes = calloc(1, sizeof *writes);
    if (writes == NULL) return NULL;
    writes->table_count = catalog->table_count;
    writes->set_count = catalog->next_id;
    writes->tables = calloc(writes->table_count + 1, sizeof *writes->tables);
    writes->indexes = calloc(writes->set_count + 1, sizeof *writes->indexes);
    writes->links = calloc(writes->set_count + 1, sizeof *writes->links);
    writes->links_counted = calloc(writes->set_count + 1, sizeof *writes->links_counted);
    if (writes->tables != NULL && writes->indexes != NULL && writes->links != NULL && writes->links_counted != NULL)
        return writes;
    st_write_set_free(writes);
    return NULL;
}

static void free_batches(st_posting_batch *batches, uint32_t count) {
    for (uint32_t i = 0; batches != NULL && i < count; i++) st_posting_batch_free(&batches[i]);
    free(batches);
}

void st_write_set_free(st_write_set *writes) {
    if (writes == NULL) return;
    for (uint32_t t = 0; writes->tables != NULL && t < writes->table_count; t++) {
        st_table_writes *table = &writes->tables[t];
        for (size_t i = 0; i < table->count; i++) st_edits_free(table->rows[i].edits);
        free(table->empty);
        free(table->rows);
        free(table->by_key.slots);
        free(table->by_primary.slots);
        st_filter_free(&table->primaries);
    }
    free_batches(writes->indexes, writes->set_count);
    free_batches(writes->links, writes->set_count);
    free(writes->tables);
    free(writes->links_counted);
    free(writes->link_counts);
    free(writes->dropped_blobs);
    free(writes->dropped_collections);
    st_arena_free(&writes->memory);
    st_buffer_free(&writes->scratch);
    free(writes);
}

strata_status st_writes_ready(strata_view *view, strata_error *error) {
    if (view->head.owner != strata_thread()) return st_view_check(view, error);
    if (view->writes == NULL)
        return st_fail(error, STRATA_NOT_WRITING, 0, "a change needs a write transaction; begin one first");
    if (view->writes->failed)
        return st_fail(error, STRATA_MISUSE, 0, "an earlier change of this write failed; it can only be cancelled");
    return STRATA_OK;
}

strata_status st_writes_trim(strata_view *view, strata_error *error) {
    const st_write_set *writes = view->writes;
    size_t used = writes->memory.total + writes->edit_memory + writes->noted;
    bool appended = writes->edited + writes->edit_memory + writes->noted == 0;
    if (used <= (appended ? LARGEST_APPENDED : LARGEST_SET) && writes->links_logged <= MOST_LINKS) return STRATA_OK;
    return st_writes_store(view, error);
}

/* ---- Probing ---------------------------------------------------------- */

void st_probe_add(st_probe_table *table, uint32_t hash, size_t position) {
    size_t at = hash & (table->size - 1);
    while (table->slots[at].position != 0) at = (at + 1) & (table->size - 1);
    table->slots[at] = (st_probe){ (uint32_t)position + 1, hash };
    table->count++;
}

bool st_probe_reserve(st_probe_table *table) {
    if ((table->count + 1) * 2 <= table->size) return true;
    st_probe_table larger = { .size = table->size == 0 ? 16 : 2 * table->size };
    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (size_t i = 0; i < table->size; i++) {
        if (table->slots[i].position != 0) st_probe_add(&larger, table->slots[i].hash, table->slots[i].position - 1);
    }
    free(table->slots);
    *table = larger;
    return true;
}

/* Keys that follow each other, as those of new objects do, are neighbours in the table. */
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
    if (t->count >= UINT32_MAX / 2 || !st_probe_reserve(&t->by_key)) return NULL;
    if (!st_array_grow((void **)&t->rows, &t->capacity, t->count, sizeof *t->rows)) return NULL;
    t->ascending = t->count == 0 || (t->ascending && t->rows[t->count - 1].key < key);
    st_pending *row = &t->rows[t->count];
    *row = (st_pending){ .key = key };
    st_probe_add(&t->by_key, hash_key(key), t->count++);
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
    uint8_t *block = st_arena_alloc(&writes->memory, t->empty_size + room);
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
    t->indexed_rows = t->state.rows;
    return STRATA_OK;
}

/* ---- Editing ---------------------------------------------------------- */

/* What an entry without a block takes. */
enum { ENTRY = sizeof(st_pending) + 2 * sizeof(st_probe) };

strata_status st_writes_stored(strata_view *view, uint32_t table, uint64_t key, st_row_ref *out, strata_error *error) {
    st_stored_block stored;
    strata_status status = st_view_block(view, table, key, &stored, error);
    if (status != STRATA_OK) return status;
    *out = (st_row_ref){ stored.data, 0, key };
    if (!st_block_find(stored.data, key, &out->slot)) return STRATA_NOT_FOUND;
    st_layout layout = st_table_layout(&view->catalog->tables[table]);
    for (uint32_t c = 0; c < layout.count; c++) { /* they lie apart: the memory fetches them side by side */
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
    size_t room = st_pending_bytes(&layout, &row) + SLACK;
    uint8_t *block = st_writes_block(writes, &layout, table, key, room);
    if (block != NULL && *entry == NULL) *entry = st_writes_add(writes, table, key);
    if (block == NULL || *entry == NULL) return st_no_memory(error, "changing an object");
    (*entry)->block = block;
    (*entry)->end = (uint32_t)st_pending_copy(&layout, &row, block);
    (*entry)->capacity = writes->tables[table].empty_size + (uint32_t)room;
    (*entry)->stored = true;
    writes->edited += (*entry)->capacity;
    return STRATA_OK;
}

strata_status st_writes_edit(strata_view *view, uint32_t table, uint64_t key, st_pending **out, strata_error *error) {
    st_pending *entry = st_writes_entry(view->writes, table, key);
    *out = entry;
    if (entry != NULL && !entry->noted) return entry->block == NULL ? STRATA_NOT_FOUND : STRATA_OK;
    strata_status status = copy_row(view, table, key, out, error);
    if (status != STRATA_OK) return status;
    if (entry == NULL) {
        view->head.epoch++; /* the row has moved */
        return STRATA_OK;
    }
    st_layout layout = st_table_layout(&view->catalog->tables[table]);
    st_block_store(entry->block, &layout, entry->column, 0, entry->number);
    entry->noted = false; /* nobody had found the row since */
    return STRATA_OK;
}

/* The block that a row without an entry is stored in; NULL if it is not stored. */
static strata_status find_stored(strata_view *view, const strata_row *row, const uint8_t **out, strata_error *error) {
    st_stored_block stored;
    uint32_t slot;
    *out = NULL;
    strata_status status = st_view_block(view, row->table, row->key, &stored, error);
    if (status == STRATA_OK && st_block_find(stored.data, row->key, &slot)) *out = stored.data;
    return status < 0 ? status : STRATA_OK;
}

strata_status st_writes_note(strata_view *view, const strata_row *row, uint32_t column, uint64_t number,
                             bool *out_noted, strata_error *error) {
    st_write_set *writes = view->writes;
    const uint8_t *block = row->block;
    strata_status status = STRATA_OK;
    *out_noted = false;
    if (st_writes_entry(writes, row->table, row->key) != NULL) return STRATA_OK;
    if (!strata_row_current(row)) status = find_stored(view, row, &block, error);
    if (status != STRATA_OK || block == NULL) return status;
    st_layout layout = st_table_layout(&view->catalog->tables[row->table]);
    if (!st_block_can_store(block, &layout, column, number)) return STRATA_OK;
    st_pending *entry = st_writes_add(writes, row->table, row->key);
    if (entry == NULL) return st_no_memory(error, "changing an object");
    entry->number = number;
    entry->column = column;
    entry->noted = entry->stored = true;
    writes->noted += ENTRY;
    view->head.epoch++; /* the row is to be found here */
    *out_noted = true;
    return STRATA_OK;
}

strata_status st_writes_remove(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    st_write_set *writes = view->writes;
    st_pending *entry = st_writes_entry(writes, table, key);
    if (entry == NULL) {
        entry = st_writes_add(writes, table, key);
        if (entry == NULL) return st_no_memory(error, "deleting an object");
        entry->stored = true;
        writes->noted += ENTRY;
    }
    st_edits_free(entry->edits);
    entry->edits = NULL;
    entry->block = NULL;
    writes->dirty = true;
    view->head.epoch++;
    return STRATA_OK;
}

/* A larger block for the row, without the bytes it no longer uses. */
static bool move_pending(st_write_set *writes, const st_layout *layout, st_pending *pending, size_t more) {
    st_row_ref row = { pending->block, 0, pending->key };
    size_t needed = st_pending_size(layout, st_pending_bytes(layout, &row)) + more;
    size_t capacity = needed + needed / 2 + SLACK;
    uint8_t *block = st_arena_alloc(&writes->memory, capacity);
    if (block == NULL) return false;
    st_pending_clear(layout, pending->key, block);
    pending->end = (uint32_t)st_pending_copy(layout, &row, block);
    pending->block = block;
    pending->capacity = (uint32_t)capacity;
    return true;
}

strata_status st_pending_set_bytes(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                                   strata_bytes bytes, bool large, strata_error *error) {
    st_layout layout = st_table_layout(table);
    uint32_t entry = strata_block_entry(pending->block, column);
    uint8_t *cell = pending->block + strata_entry_offset(entry);
    uint32_t from = strata_load32(cell), to = strata_load32(cell + 4);
    if (bytes.size > to - from) {
        if (bytes.size > pending->capacity - pending->end) {
            if (!move_pending(view->writes, &layout, pending, bytes.size))
                return st_no_memory(error, "changing an object");
            cell = pending->block + strata_entry_offset(entry);
            view->head.epoch++;
        }
        from = pending->end;
        pending->end += (uint32_t)bytes.size;
    }
    if (bytes.size != 0) memmove(pending->block + from, bytes.data, bytes.size); /* they may be the cell's own */
    st_store32(cell, from);
    st_store32(cell + 4, from + (uint32_t)bytes.size);
    bool nullable = table->fields[column].nullable;
    if (nullable) cell[-1] = 0;
    cell[nullable ? -2 : -1] = large;
    return STRATA_OK;
}
