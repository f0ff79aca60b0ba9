/* SPDX-License-Identifier: MIT
 * object.c -- creating, finding and deleting objects. */
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"
#include "table/identity.h"
#include "table/list_edit.h"
#include "table/write_set.h"

/* ---- Primary keys ----------------------------------------------------- */

/* Has the pending row this primary key? Of long strings the encoded key holds the beginning and a hash only. */
static strata_status pending_matches(strata_view *view, const st_table *table, const st_pending *pending,
                                     const strata_value *value, const st_key *key, bool *out, strata_error *error) {
    st_row_ref row = { pending->block, 0, pending->key };
    strata_value other;
    st_key encoded;
    *out = false;
    strata_status status = st_cell_value(view, table, table->primary, &row, &view->writes->scratch, &other, error);
    if (status != STRATA_OK) return status;
    st_key_encode(table->columns[table->primary].type, table->fields[table->primary].nullable, &other, &encoded);
    *out = encoded.size == key->size && memcmp(encoded.bytes, key->bytes, key->size) == 0 &&
           (!key->truncated || st_compare(other.as.bytes, value->as.bytes) == 0);
    return STRATA_OK;
}

/* The created row with this encoded primary key, as far as it is still pending; 0 if there is none. */
static strata_status find_pending_primary(strata_view *view, uint32_t number, const strata_value *value,
                                          const st_key *key, uint64_t *out, strata_error *error) {
    const st_table_writes *writes = &view->writes->tables[number];
    const st_probe_table *probe = &writes->by_primary;
    *out = 0;
    if (probe->size == 0) return STRATA_OK;
    uint32_t hash = (uint32_t)st_hash(key->bytes, key->size);
    for (size_t at = hash & (probe->size - 1); probe->slots[at].position != 0; at = (at + 1) & (probe->size - 1)) {
        const st_pending *pending = &writes->rows[probe->slots[at].position - 1];
        if (probe->slots[at].hash != hash || pending->block == NULL) continue;
        bool same;
        strata_status status =
            pending_matches(view, &view->catalog->tables[number], pending, value, key, &same, error);
        if (status != STRATA_OK) return status;
        if (!same) continue;
        *out = pending->key;
        return STRATA_OK;
    }
    return STRATA_OK;
}

/* The stored object with this primary key; long strings are compared with the row. 0 if there is none. */
static strata_status find_stored_primary(strata_view *view, uint32_t number, const strata_value *value,
                                         const st_key *key, uint64_t *out, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    st_posting_set set = { ST_INDEX, table->columns[table->primary].index_id };
    st_posting_range range = st_posting_range_of((strata_bytes){ key->bytes, key->size });
    *out = 0;
    for (;;) {
        uint64_t found;
        strata_status status = st_postings_first(view->txn, set, &range, &found, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        st_row_ref row;
        status = st_view_row(view, number, found, &row, error);
        if (status < 0) return status;
        bool same = status == STRATA_OK; /* deleted in this write otherwise */
        if (same && key->truncated) {
            st_buffer scratch = { 0 };
            strata_value stored;
            status = st_cell_value(view, table, table->primary, &row, &scratch, &stored, error);
            same = status == STRATA_OK && st_compare(stored.as.bytes, value->as.bytes) == 0;
            st_buffer_free(&scratch);
            if (status != STRATA_OK) return status;
        }
        if (same) *out = found;
        if (same || !key->truncated) return STRATA_OK;
        range.low_key = found + 1;
    }
}

static strata_status find_primary(strata_view *view, uint32_t number, const strata_value *value, const st_key *key,
                                  uint64_t *out, strata_error *error) {
    strata_status status = STRATA_OK;
    *out = 0;
    if (view->writes != NULL) {
        status = find_pending_primary(view, number, value, key, out, error);
        if (status != STRATA_OK || *out != 0) return status;
        st_table_writes *writes;
        status = st_writes_table(view, number, &writes, error);
        if (status != STRATA_OK || writes->stored_rows == 0) return status;
    }
    return find_stored_primary(view, number, value, key, out, error);
}

strata_status strata_object_find(strata_view *view, uint32_t table, const strata_value *primary, uint64_t *out_key,
                                 strata_error *error) {
    *out_key = 0;
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    const st_table *found = st_view_table(view, table, error);
    if (found == NULL) return STRATA_MISUSE;
    if (found->primary == ST_NONE) return st_fail(error, STRATA_MISUSE, 0, "%s has no primary key", found->name);
    status = st_value_check(found, &found->columns[found->primary], primary, error);
    if (status != STRATA_OK) return status;
    st_key key;
    st_key_encode(found->columns[found->primary].type, found->fields[found->primary].nullable, primary, &key);
    status = find_primary(view, table, primary, &key, out_key, error);
    return status != STRATA_OK ? status : *out_key == 0 ? STRATA_NOT_FOUND : STRATA_OK;
}

/* ---- Creating --------------------------------------------------------- */

static strata_status check_values(strata_view *view, const st_table *table, const strata_value *values,
                                  uint32_t count, strata_error *error) {
    if (count > table->column_count)
        return st_fail(error, STRATA_MISUSE, 0, "%u values for an object of %s, which has %u columns", count,
                       table->name, table->column_count);
    for (uint32_t c = 0; c < count; c++) {
        const st_column *column = &table->columns[c];
        strata_status status = STRATA_OK;
        if (column->type == STRATA_NULL) {
            if (values[c].type != STRATA_NULL)
                return st_fail(error, STRATA_MISUSE, 0, "a value for column %u of %s, which was dropped", c, table->name);
            continue;
        }
        status = st_value_check(table, column, &values[c], error);
        if (status == STRATA_OK && values[c].type == STRATA_LINK)
            status = st_link_target_check(view, table, column, values[c].as.link, error);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

/* Text of a primary key for messages. */
static void describe(const strata_value *value, char *out, size_t size) {
    switch (value->type) {
    case STRATA_INT: snprintf(out, size, "%lld", (long long)value->as.integer); break;
    case STRATA_STRING:
        snprintf(out, size, "\"%.*s%s", (int)(value->as.bytes.size < 60 ? value->as.bytes.size : 60),
                 value->as.bytes.data == NULL ? "" : (const char *)value->as.bytes.data,
                 value->as.bytes.size < 60 ? "\"" : "...\"");
        break;
    case STRATA_UUID:
    case STRATA_OBJECT_ID: {
        size_t bytes = value->type == STRATA_UUID ? 16 : 12, at = 0;
        for (size_t i = 0; i < bytes && at + 4 < size; i++) {
            if (value->type == STRATA_UUID && (i == 4 || i == 6 || i == 8 || i == 10)) out[at++] = '-';
            at += (size_t)snprintf(out + at, size - at, "%02x", value->as.fixed[i]);
        }
        break;
    }
    default: snprintf(out, size, "null"); break;
    }
}

static strata_status check_primary(strata_view *view, uint32_t number, const strata_value *value, st_key *key,
                                   uint64_t *out_key, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    const st_column *column = &table->columns[table->primary];
    st_key_encode(column->type, table->fields[table->primary].nullable, value, key);
    strata_status status = find_primary(view, number, value, key, out_key, error);
    if (status != STRATA_OK || *out_key == 0) return status;
    char text[100];
    describe(value, text, sizeof text);
    return st_fail(error, STRATA_DUPLICATE, 0, "an object of %s with the primary key %s = %s exists already", table->name,
                   column->name, text);
}

/* Bytes that the values take inside the row. */
static size_t inline_bytes(const st_table *table, const strata_value *values, uint32_t count) {
    size_t bytes = 0;
    for (uint32_t c = 0; c < count; c++) {
        if (table->fields[c].packing != ST_PACK_BYTES || values[c].type == STRATA_NULL) continue;
        size_t size = values[c].as.bytes.size;
        bytes += size > ST_INLINE_VALUE ? ST_REFERENCE : size;
    }
    return bytes;
}

static bool is_large(const strata_value *value) {
    return (value->type == STRATA_STRING || value->type == STRATA_DATA) && value->as.bytes.size > ST_INLINE_VALUE;
}

/* Large values come last: storing them changes a tree, and shorter ones may be bytes lent by the view. */
static strata_status fill(strata_view *view, const st_table *table, st_pending *pending, const strata_value *values,
                          uint32_t count, strata_error *error) {
    strata_status status = STRATA_OK;
    bool large = false;
    for (uint32_t c = 0; c < count && status == STRATA_OK; c++) {
        if (table->columns[c].type == STRATA_NULL || table->columns[c].collection != STRATA_SINGLE) continue;
        if (values[c].type == STRATA_NULL) continue; /* as cleared */
        if (is_large(&values[c])) {
            large = true;
            continue;
        }
        if (values[c].type == STRATA_LINK)
            status = st_links_log(view, &table->columns[c], values[c].as.link, pending->key, true, error);
        if (status == STRATA_OK) status = st_pending_set(view, table, pending, c, &values[c], error);
    }
    for (uint32_t c = 0; large && c < count && status == STRATA_OK; c++)
        if (is_large(&values[c])) status = st_pending_set(view, table, pending, c, &values[c], error);
    return status;
}

strata_status strata_object_create(strata_view *view, uint32_t table, const strata_value *values, uint32_t count,
                                   uint64_t *out_key, strata_error *error) {
    *out_key = 0;
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    const st_table *found = st_view_table(view, table, error);
    if (found == NULL) return STRATA_MISUSE;
    status = check_values(view, found, values, count, error);
    if (status != STRATA_OK) return status;
    st_table_writes *writes;
    status = st_writes_table(view, table, &writes, error);
    if (status != STRATA_OK) return status;

    st_key primary;
    if (found->primary != ST_NONE) {
        strata_value zero = strata_null();
        if (found->primary >= count && !found->fields[found->primary].nullable)
            zero.type = found->columns[found->primary].type;
        const strata_value *value = found->primary < count ? &values[found->primary] : &zero;
        status = check_primary(view, table, value, &primary, out_key, error);
        if (status == STRATA_OK && !st_probe_reserve(&writes->by_primary))
            status = st_no_memory(error, "creating an object");
        if (status != STRATA_OK) return status;
    }
    if (writes->state.next_key >= ST_KEY_MAX)
        return st_fail(error, STRATA_TOO_LARGE, 0, "%s has used up its 2^48 object keys", found->name);

    st_layout layout = st_table_layout(found);
    size_t capacity = st_pending_size(&layout, inline_bytes(found, values, count));
    uint8_t *block = st_arena_take(&view->writes->memory, capacity);
    st_pending *pending = block == NULL ? NULL : st_writes_add(view->writes, table, writes->state.next_key);
    if (pending == NULL) return st_no_memory(error, "creating an object");
    st_pending_clear(&layout, pending->key, block);
    pending->block = block;
    pending->end = (uint32_t)st_pending_size(&layout, 0);
    pending->capacity = (uint32_t)capacity;
    writes->state.next_key++;
    writes->state.rows++;
    writes->state_changed = true;
    if (found->primary != ST_NONE)
        st_probe_add(&writes->by_primary, (uint32_t)st_hash(primary.bytes, primary.size), writes->count - 1);
    uint64_t key = pending->key;
    status = fill(view, found, pending, values, count, error);
    if (status != STRATA_OK) {
        view->writes->failed = true;
        return status;
    }
    status = st_writes_trim(view, error);
    if (status == STRATA_OK) *out_key = key;
    return status;
}

/* ---- Deleting --------------------------------------------------------- */

/* How many of the links to an object come from itself. */
static strata_status count_self(strata_view *view, uint32_t table, uint64_t key, uint64_t *out, strata_error *error) {
    const st_table *found = &view->catalog->tables[table];
    strata_row row;
    *out = 0;
    strata_status status = strata_row_bind(view, table, key, &row, error);
    for (uint32_t i = 0; i < found->incoming_count && status == STRATA_OK; i++) {
        uint32_t column = found->incoming[i].column;
        uint64_t times = 0;
        if (found->incoming[i].table != table) continue;
        if (found->columns[column].collection == STRATA_SINGLE) times = strata_row_link(&row, column) == key;
        else status = st_list_count_of(&row, column, key, &times, error);
        *out += times;
    }
    return status;
}

static strata_status check_unreferenced(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    const st_table *found = &view->catalog->tables[table];
    int64_t links;
    bool touched;
    if (found->incoming_count == 0) return STRATA_OK;
    strata_status status = st_links_pending(view, table, key, &links, &touched, error);
    const char *origin = "", *property = "";
    for (uint32_t i = 0; i < found->incoming_count && status == STRATA_OK; i++) {
        st_incoming from = found->incoming[i];
        const st_column *column = &view->catalog->tables[from.table].columns[from.column];
        uint8_t value[8];
        uint64_t stored;
        st_posting_range range = st_links_range(value, key);
        status = st_postings_count(view->txn, (st_posting_set){ ST_LINKS, column->link_id }, &range, &stored, error);
        links += (int64_t)stored;
        if (stored != 0 || origin[0] == 0) {
            origin = view->catalog->tables[from.table].name;
            property = column->name;
        }
    }
    if (status != STRATA_OK || links == 0) return status;
    uint64_t self;
    status = count_self(view, table, key, &self, error);
    if (status != STRATA_OK || links == (int64_t)self) return status;
    return st_fail(error, STRATA_REFERENCED, 0,
                   "object %llu of %s cannot be deleted: %lld links point to it, for example from %s.%s; unlink it first",
                   (unsigned long long)key, found->name, (long long)(links - (int64_t)self), origin, property);
}

/* Takes back what the row refers to: links, lists, large values. */
static strata_status release_cells(strata_view *view, uint32_t number, st_pending *pending, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    strata_status status = STRATA_OK;
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++) {
        const st_column *column = &table->columns[c];
        if (column->type == STRATA_NULL) continue;
        if (column->collection == STRATA_LIST) {
            status = st_list_unlink(view, number, c, pending, error);
        } else if (column->type == STRATA_LINK) {
            uint64_t target = strata_block_link(pending->block, strata_block_entry(pending->block, c), 0);
            if (target != 0) status = st_links_log(view, column, target, pending->key, false, error);
        }
        if (status == STRATA_OK) status = st_cell_drop(view, table, pending, c, error);
    }
    return status;
}

static strata_status delete_row(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    st_pending *pending;
    strata_status status = st_writes_edit(view, table, key, &pending, error);
    if (status != STRATA_OK) return status;
    st_table_writes *writes;
    status = st_writes_table(view, table, &writes, error);
    if (status != STRATA_OK) return status;
    status = release_cells(view, table, pending, error);
    if (status != STRATA_OK) {
        view->writes->failed = true;
        return status;
    }
    st_list_edits_free(pending->lists);
    pending->lists = NULL;
    pending->block = NULL;
    writes->state.rows--;
    writes->state_changed = true;
    view->writes->dirty = true;
    view->head.epoch++;
    return st_writes_trim(view, error);
}

strata_status strata_object_delete(strata_view *view, uint32_t table, uint64_t key, strata_error *error) {
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    if (st_view_table(view, table, error) == NULL) return STRATA_MISUSE;
    st_row_ref row;
    status = key >= 1 && key < ST_KEY_MAX ? st_view_row(view, table, key, &row, error) : STRATA_NOT_FOUND;
    if (status == STRATA_OK) status = check_unreferenced(view, table, key, error);
    return status == STRATA_OK ? delete_row(view, table, key, error) : status;
}

/* ---- Clearing tables -------------------------------------------------- */

static bool among(uint32_t table, const uint32_t *tables, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (tables[i] == table) return true;
    return false;
}

/* No table that stays may link to one that is cleared. */
static strata_status check_clearable(strata_view *view, const uint32_t *tables, uint32_t count, strata_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        const st_table *table = &view->catalog->tables[tables[i]];
        for (uint32_t k = 0; k < table->incoming_count; k++) {
            st_incoming from = table->incoming[k];
            if (among(from.table, tables, count)) continue;
            const st_column *column = &view->catalog->tables[from.table].columns[from.column];
            st_posting_range all = { { NULL, 0 }, { NULL, 0 }, 0, 0 };
            uint64_t links;
            strata_status status =
                st_postings_count(view->txn, (st_posting_set){ ST_LINKS, column->link_id }, &all, &links, error);
            if (status != STRATA_OK) return status;
            if (links != 0)
                return st_fail(error, STRATA_REFERENCED, 0, "%s cannot be cleared: %llu links of %s.%s point to it",
                               table->name, (unsigned long long)links, view->catalog->tables[from.table].name,
                               column->name);
        }
    }
    return STRATA_OK;
}

/* Deletes the blocks of a table, dropping what its rows keep elsewhere. */
static strata_status clear_rows(strata_view *view, uint32_t number, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    st_layout layout = st_table_layout(table);
    for (;;) {
        st_stored_block stored;
        uint8_t key[8];
        strata_status status = st_view_block(view, number, 0, &stored, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        if (!st_block_valid((strata_bytes){ stored.data, stored.size }, &layout))
            return st_fail(error, STRATA_CORRUPT, 0, "the block of %s up to object %llu is damaged", table->name,
                           (unsigned long long)stored.bound);
        for (uint32_t c = 0; c < table->column_count; c++) {
            uint32_t entry = strata_block_entry(stored.data, c);
            if (table->fields[c].packing != ST_PACK_BYTES || (strata_entry_flags(entry) & STRATA_ENTRY_LARGE) == 0)
                continue;
            for (uint32_t i = 0; i < strata_block_rows(stored.data) && status == STRATA_OK; i++) {
                if (!strata_block_large(stored.data, entry, i)) continue;
                uint64_t identity = strata_load64((const uint8_t *)strata_block_bytes(stored.data, entry, i).data + 8);
                bool list = table->columns[c].collection != STRATA_SINGLE;
                status = st_identity_drop(view->writes, identity, list, error);
            }
        }
        if (status == STRATA_OK)
            status = st_tree_delete(view->txn, ST_ROWS, st_row_tree_key(key, number, stored.bound), error);
        view->tree_epoch++;
        if (status != STRATA_OK) return status;
    }
}

static strata_status clear_table(strata_view *view, uint32_t number, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    st_table_writes *writes;
    strata_status status = st_writes_table(view, number, &writes, error);
    if (status == STRATA_OK) status = clear_rows(view, number, error);
    for (uint32_t c = 0; c < table->column_count && status == STRATA_OK; c++) {
        const st_column *column = &table->columns[c];
        if (column->index_id != 0)
            status = st_postings_clear(view->txn, (st_posting_set){ ST_INDEX, column->index_id }, error);
        if (column->link_id != 0 && status == STRATA_OK)
            status = st_postings_clear(view->txn, (st_posting_set){ ST_LINKS, column->link_id }, error);
    }
    st_view_trees_moved(view);
    if (status != STRATA_OK) return status;
    writes->state.rows = writes->stored_rows = 0;
    writes->state_changed = true;
    view->writes->dirty = true;
    return STRATA_OK;
}

strata_status strata_tables_clear(strata_view *view, const uint32_t *tables, uint32_t count, strata_error *error) {
    strata_status status = st_writes_ready(view, error);
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) {
        if (st_view_table(view, tables[i], error) == NULL) status = STRATA_MISUSE;
    }
    if (status == STRATA_OK) status = st_writes_flush(view, error);
    if (status == STRATA_OK) status = check_clearable(view, tables, count, error);
    if (status != STRATA_OK) return status;
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) status = clear_table(view, tables[i], error);
    if (status != STRATA_OK) view->writes->failed = true;
    return status;
}
