/* SPDX-License-Identifier: MIT
 * value.c -- reading rows, cells and collections while a query runs. */
#include "condition/value.h"

#include <stdlib.h>

#include "base/status.h"
#include "table/reference.h"
#include "value/mixed.h"

/* ---- Rows ------------------------------------------------------------- */

/* A block whose rows have keys from `first` up to its bound. Links lead to the same blocks again and again, and blocks
 * stay where they are while a query runs. */
struct st_known_block {
    st_stored_block block; /* `data` is NULL: none */
    uint64_t first;
    uint32_t table;
};

/* After so many searches, known blocks are noted in a table of so many slots. Most blocks have two or three times as
 * many rows as share a slot. */
enum { FINDS_BEFORE = 256, KNOWN_BLOCKS = 4096, KEYS_PER_SLOT = 32 };

/* The slot for blocks with the key; NULL as long as there is no table. */
static struct st_known_block *known_block(st_query *query, uint32_t table, uint64_t key) {
    if (query->known == NULL) {
        if (query->finds++ != FINDS_BEFORE) return NULL;
        query->known = calloc(KNOWN_BLOCKS, sizeof *query->known);
        if (query->known == NULL) return NULL;
    }
    return &query->known[(key / KEYS_PER_SLOT + table * UINT64_C(977)) % KNOWN_BLOCKS];
}

static strata_status find_block(st_query *query, uint32_t table, uint64_t key, st_stored_block *out) {
    struct st_known_block *known = known_block(query, table, key);
    if (known != NULL && known->block.data != NULL && known->table == table && key >= known->first &&
        key <= known->block.bound) {
        *out = known->block;
        return STRATA_OK;
    }
    strata_status status = st_view_block(query->view, table, key, out, query->error);
    if (status == STRATA_OK && known != NULL) {
        *known = (struct st_known_block){ *out, strata_block_first(out->data), table };
    }
    return status;
}

strata_status st_query_find(st_query *query, uint32_t table, uint64_t key, st_stored_row *out) {
    st_stored_block block;
    *out = (st_stored_row){ NULL, 0, 0 };
    strata_status status = find_block(query, table, key, &block);
    if (status != STRATA_OK) return status;
    if (!st_block_find(block.data, key, &out->slot)) return STRATA_NOT_FOUND;
    out->block = block.data;
    out->size = block.size;
    return STRATA_OK;
}

strata_status st_query_find_indexed(st_query *query, uint64_t key, st_stored_row *out) {
    strata_status status = st_query_find(query, query->spec->table, key, out);
    if (status != STRATA_NOT_FOUND) return status;
    return st_fail(query->error, STRATA_CORRUPT, 0, "an index of %s has object %llu, which does not exist",
                   query->table->name, (unsigned long long)key);
}

static bool fail_damaged(st_query *query) {
    st_query_fail(query, st_fail(query->error, STRATA_CORRUPT, 0, "a block that a query of %s reads is damaged",
                                 query->table->name));
    return false;
}

bool st_query_vector(st_query *query, const uint8_t *block, size_t size, const st_column *column, st_vector *out) {
    st_field field = query->view->catalog->tables[column->table].fields[column->number];
    if (!st_vector_open(block, size, field, column->number, out)) return fail_damaged(query);
    out->table = column->table;
    return true;
}

/* ---- Bytes ------------------------------------------------------------ */

enum { BYTES_PER_STEP = 64 /* of a large value, which is read and searched */ };

/* Reads an overflow value, of which `*out` is the reference. `type` is NULL or gets the type of a mixed value. */
static bool read_overflow(st_query *query, const st_vector *vector, uint32_t slot, st_buffer *scratch,
                          strata_bytes *out, strata_type *type) {
    const st_column *column = &query->view->catalog->tables[vector->table].columns[vector->column];
    st_blob blob;
    bool good = st_reference_open(query->view, column, strata_block_key(vector->block, slot), *out, &blob);
    if (good && type != NULL) good = st_mixed_of_reference(blob.size, type, &blob.size);
    scratch->size = 0;
    if (!good || blob.size > STRATA_MAX_VALUE) return fail_damaged(query);
    if (!st_buffer_reserve(scratch, (size_t)blob.size)) {
        return st_query_no_memory(query, "reading a large value");
    }
    *out = (strata_bytes){ scratch->data, (size_t)blob.size };
    if (!st_query_step(query, ST_STEPS_OF_LARGE + (uint32_t)(blob.size / BYTES_PER_STEP))) return false;
    strata_status status = st_blob_read(query->view->txn, blob, 0, scratch->data, out->size, query->error);
    return st_query_note(query, status);
}

/* The bytes in the cell, and whether they are a reference to an overflow value. */
static bool cell_bytes(st_query *query, const st_vector *vector, uint32_t slot, strata_bytes *out, bool *overflow) {
    *overflow = vector->large != NULL && st_bit(vector->large, slot);
    if (st_vector_bytes(vector, slot, out) && (!*overflow || out->size == ST_REFERENCE)) return true;
    return fail_damaged(query);
}

static bool read_bytes(st_query *query, const st_vector *vector, uint32_t slot, st_buffer *scratch,
                       strata_bytes *out) {
    bool overflow;
    if (!cell_bytes(query, vector, slot, out, &overflow)) return false;
    return !overflow || read_overflow(query, vector, slot, scratch, out, NULL);
}

static bool read_mixed(st_query *query, const st_vector *vector, uint32_t slot, st_buffer *scratch,
                       strata_value *out) {
    strata_bytes bytes;
    bool overflow;
    *out = strata_null();
    if (!cell_bytes(query, vector, slot, &bytes, &overflow)) return false;
    if (!overflow) return st_mixed_unpack(bytes, out) || fail_damaged(query);
    strata_type type;
    if (!read_overflow(query, vector, slot, scratch, &bytes, &type)) return false;
    out->type = type;
    out->as.bytes = bytes;
    return true;
}

bool st_query_bytes(st_query *query, const st_vector *vector, uint32_t slot, strata_bytes *out) {
    return read_bytes(query, vector, slot, &query->scratch, out);
}

bool st_query_mixed(st_query *query, const st_vector *vector, uint32_t slot, strata_value *out) {
    return read_mixed(query, vector, slot, &query->scratch, out);
}

/* ---- Values ----------------------------------------------------------- */

bool st_query_value(st_query *query, const st_column *column, const st_vector *vector, uint32_t slot,
                    st_buffer *scratch, strata_value *out) {
    strata_bytes bytes;
    *out = strata_null();
    if (st_vector_null(vector, slot)) return true;
    switch (column->type) {
    case STRATA_BOOL: *out = strata_bool(st_vector_int(vector, slot) != 0); return true;
    case STRATA_INT: *out = strata_int(st_vector_int(vector, slot)); return true;
    case STRATA_LINK: *out = strata_link((uint64_t)st_vector_int(vector, slot)); return true;
    case STRATA_FLOAT: *out = strata_float((float)st_vector_real(vector, slot)); return true;
    case STRATA_DOUBLE: *out = strata_double(st_vector_real(vector, slot)); return true;
    case STRATA_DATE: *out = strata_date(st_vector_real(vector, slot)); return true;
    case STRATA_MIXED: return read_mixed(query, vector, slot, scratch, out);
    default: break;
    }
    if (!read_bytes(query, vector, slot, scratch, &bytes)) return false;
    out->type = column->type;
    if (column->type == STRATA_STRING || column->type == STRATA_DATA) out->as.bytes = bytes;
    else memcpy(out->as.fixed, bytes.data, bytes.size);
    return true;
}

bool st_query_collection(st_query *query, const st_table *table, const st_stored_row *row, const st_vector *vector,
                         uint32_t column, st_source *out) {
    strata_bytes bytes;
    st_row_ref ref = { row->block, row->slot, strata_block_key(row->block, row->slot) };
    if (!st_vector_bytes(vector, row->slot, &bytes)) return fail_damaged(query);
    strata_status status = st_source_stored(query->view, &table->columns[column], &ref, out, query->error);
    return st_query_note(query, status);
}
