/* SPDX-License-Identifier: MIT
 * primary.c -- objects by their primary keys. */
#include "write/primary.h"

#include <stdio.h>

#include "base/status.h"
#include "base/utf8.h"
#include "posting/postings_batch.h"
#include "posting/postings_read.h"
#include "table/cell_value.h"
#include "value/key.h"
#include "write/row_find.h"
#include "write/write_set.h"

static st_posting_set primary_set(const st_table *table) {
    return (st_posting_set){ ST_INDEX, table->columns[table->primary].index_id };
}

/* The changes to it. */
static st_posting_batch *primary_batch(const strata_view *view, const st_table *table) {
    return &view->writes->changes.batches[table->columns[table->primary].index_set];
}

static void encode(const strata_view *view, const st_table *table, const strata_value *value, st_key *out) {
    st_key_encode(&view->hash_key, table->columns[table->primary].type, table->fields[table->primary].nullable, value,
                  out);
}

/* ---- Logging ---------------------------------------------------------- */

strata_status st_primary_log(strata_view *view, uint32_t number, const st_primary *primary, uint64_t object,
                             strata_error *error) {
    st_hash_table *hashes = &view->writes->tables[number].by_primary;
    st_posting_batch *batch = primary_batch(view, &view->catalog->tables[number]);
    strata_bytes value = { primary->key.bytes, primary->key.size };
    if (!st_hash_table_reserve(hashes) || !st_posting_batch_add(batch, value, object, true)) {
        strata_status status = st_no_memory(error, "creating an object");
        st_writes_fail(view->writes, status, error);
        return status;
    }
    st_hash_table_add(hashes, primary->hash, batch->count - 1);
    return STRATA_OK;
}

strata_status st_primary_release(strata_view *view, uint32_t number, const st_row_ref *row, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    if (table->primary == ST_NONE) return STRATA_OK;
    strata_value value;
    st_key key;
    strata_status status = st_cell_value(view, table, table->primary, row, &view->writes->scratch, &value, error);
    if (status != STRATA_OK) return status;
    encode(view, table, &value, &key);
    st_posting_batch *batch = primary_batch(view, table);
    if (st_posting_batch_add(batch, (strata_bytes){ key.bytes, key.size }, row->key, false)) return STRATA_OK;
    return st_no_memory(error, "deleting an object");
}

/* ---- Finding ---------------------------------------------------------- */

void st_primary_make(strata_view *view, uint32_t number, const strata_value *value, st_primary *out) {
    out->value = value;
    encode(view, &view->catalog->tables[number], value, &out->key);
    if (view->writes == NULL) return;
    out->hash = (uint32_t)st_hash(&st_hash_key_of_process, out->key.bytes, out->key.size);
    const st_hash_table *hashes = &view->writes->tables[number].by_primary;
    if (hashes->size != 0) __builtin_prefetch(&hashes->slots[out->hash & (hashes->size - 1)]);
}

/* Whether an object whose entry is that of a primary key has this key. The entry of a long string has its first bytes
 * and a hash only. */
static strata_status has_primary(strata_view *view, uint32_t number, uint64_t object, const st_primary *primary,
                                 bool *out, strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    st_row_ref row;
    strata_status status = st_view_row(view, number, object, &row, error);
    *out = status == STRATA_OK; /* otherwise it was deleted in this write */
    if (status < 0 || !*out || !primary->key.truncated) return status < 0 ? status : STRATA_OK;
    st_buffer scratch = { 0 };
    strata_value found;
    status = st_cell_value(view, table, table->primary, &row, &scratch, &found, error);
    *out = status == STRATA_OK && st_compare(found.as.bytes, primary->value->as.bytes) == 0;
    st_buffer_free(&scratch);
    return status;
}

/* The object with this primary key among those whose entries are pending; 0 if there is none. */
static strata_status find_pending_primary(strata_view *view, uint32_t number, const st_primary *primary,
                                          uint64_t *out, strata_error *error) {
    const st_hash_table *hashes = &view->writes->tables[number].by_primary;
    const st_posting_batch *batch = primary_batch(view, &view->catalog->tables[number]);
    *out = 0;
    if (hashes->size == 0) return STRATA_OK;
    const size_t mask = hashes->size - 1;
    for (size_t at = primary->hash & mask; hashes->slots[at].position != 0; at = (at + 1) & mask) {
        if (hashes->slots[at].hash != primary->hash) continue;
        const st_posting_change *change = &batch->changes[hashes->slots[at].position - 1];
        if (st_compare(st_posting_change_value(change), (strata_bytes){ primary->key.bytes, primary->key.size }) != 0)
            continue;
        bool same;
        uint64_t found = st_posting_change_key(change);
        strata_status status = has_primary(view, number, found, primary, &same, error);
        if (status != STRATA_OK) return status;
        if (!same) continue;
        *out = found;
        return STRATA_OK;
    }
    return STRATA_OK;
}

/* The object with this primary key among those whose entries are stored; 0 if there is none. */
static strata_status find_stored_primary(strata_view *view, uint32_t number, const st_primary *primary, uint64_t *out,
                                         strata_error *error) {
    st_posting_set set = primary_set(&view->catalog->tables[number]);
    st_posting_range range = st_posting_range_of((strata_bytes){ primary->key.bytes, primary->key.size });
    *out = 0;
    for (;;) {
        uint64_t found;
        bool same;
        strata_status status = st_postings_first(view->txn, set, &range, &found, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        status = has_primary(view, number, found, primary, &same, error);
        if (status != STRATA_OK) return status;
        if (same) *out = found;
        if (same || !primary->key.truncated) return STRATA_OK;
        range.low_key = found + 1;
    }
}

strata_status st_primary_find(strata_view *view, uint32_t number, const st_primary *primary, uint64_t *out,
                              strata_error *error) {
    strata_status status = STRATA_OK;
    *out = 0;
    if (view->writes != NULL) {
        status = find_pending_primary(view, number, primary, out, error);
        if (status != STRATA_OK || *out != 0) return status;
        st_table_writes *writes;
        status = st_writes_table(view, number, &writes, error);
        if (status != STRATA_OK || writes->indexed_rows == 0) return status;
        if (writes->primaries.count != 0 && !st_filter_may_have(&writes->primaries, primary->hash)) return STRATA_OK;
    }
    return find_stored_primary(view, number, primary, out, error);
}

void st_primary_describe(const strata_value *value, char *out, size_t size) {
    switch (value->type) {
    case STRATA_INT: snprintf(out, size, "%lld", (long long)value->as.integer); break;
    case STRATA_STRING: {
        strata_bytes text = value->as.bytes;
        size_t shown = text.data == NULL ? 0 : st_utf8_fit(text.data, text.size, 60);
        snprintf(out, size, "\"%.*s%s", (int)shown, shown == 0 ? "" : (const char *)text.data,
                 shown == text.size ? "\"" : "...\"");
        break;
    }
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

strata_status st_primary_check(strata_view *view, uint32_t number, const st_primary *primary, uint64_t *out_key,
                               strata_error *error) {
    const st_table *table = &view->catalog->tables[number];
    strata_status status = st_primary_find(view, number, primary, out_key, error);
    if (status != STRATA_OK || *out_key == 0) return status;
    char text[100];
    st_primary_describe(primary->value, text, sizeof text);
    return st_fail(error, STRATA_DUPLICATE, 0, "an object of %s with the primary key %s = %s exists already",
                   table->name, table->columns[table->primary].name, text);
}
