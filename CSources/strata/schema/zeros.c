/* SPDX-License-Identifier: MIT
 * zeros.c -- zeros and empty values that blocks leave out, when a column may be null from now on. */
#include "schema/zeros.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/status.h"
#include "block/block_check.h"
#include "block/block_pack.h"
#include "block/block_pending.h"
#include "block/block_size.h"
#include "collection/edit_load.h"
#include "store/tree.h"
#include "write/collection_store.h"

enum {
    BATCH_ROWS = 1024,      /* rows that are copied before they are packed */
    BATCH_BYTES = 1 << 20   /* of their copies, but for the last one */
};

/* The columns of a table that may be null from now on. */
typedef struct zeros {
    strata_view *view;
    const st_table *table;
    uint32_t number;
    const uint32_t *columns;
    uint32_t count;
    bool finds, found;      /* nothing is stored; whether zeros are left out somewhere */
    st_field *fields;       /* of the table, with these columns nullable */
    st_block_size *size;
    st_buffer block, packed;
    st_arena copies;        /* of rows, or of elements */
    st_row_ref rows[BATCH_ROWS];
} zeros;

static st_layout layout_of(const zeros *z) { return (st_layout){ z->table->column_count, z->fields }; }
static bool is_single(const zeros *z, uint32_t i) {
    return z->table->columns[z->columns[i]].collection == STRATA_SINGLE;
}

/* ---- Rows ------------------------------------------------------------- */

/* Whether the block leaves out the zeros of a single column among those. */
static bool leaves_out(const zeros *z, const uint8_t *block) {
    for (uint32_t i = 0; i < z->count; i++)
        if (is_single(z, i) && strata_block_entry(block, z->columns[i]) == 0) return true;
    return false;
}

/* A copy of a row with the zeros in it. NULL if there is no memory. */
static uint8_t *copy_row(zeros *z, const st_row_ref *row, size_t *out_size) {
    st_layout layout = layout_of(z);
    *out_size = st_pending_size(&layout, st_pending_bytes(&layout, row));
    uint8_t *copy = st_arena_alloc(&z->copies, *out_size);
    if (copy == NULL) return NULL;
    st_pending_clear(&layout, row->key, copy);
    (void)st_pending_copy(&layout, row, copy);
    for (uint32_t i = 0; i < z->count; i++) {
        uint32_t column = z->columns[i];
        if (is_single(z, i) && strata_block_entry(row->block, column) == 0)
            copy[strata_entry_offset(strata_block_entry(copy, column)) - 1] = 0; /* not null: it is zero already */
    }
    return copy;
}

/* Packs copied rows into blocks, of which the last one has a bound. */
static strata_status put_rows(zeros *z, uint32_t count, uint64_t bound, strata_error *error) {
    st_rows rows = { .refs = z->rows };
    strata_status status = STRATA_OK;
    for (size_t from = 0, fit; from < count && status == STRATA_OK; from += fit) {
        uint8_t key[8];
        fit = st_block_size_fill(z->size, &rows, from, count - from, st_store_block_size(z->view->store));
        uint64_t last = from + fit == count ? bound : z->rows[from + fit - 1].key;
        z->packed.size = 0;
        if (!st_block_pack(z->size, &rows, from, &z->packed)) return st_no_memory(error, "storing rows");
        status = st_tree_put(z->view->txn, ST_ROWS, st_row_tree_key(key, z->number, last),
                             (strata_bytes){ z->packed.data, z->packed.size }, error);
    }
    return status;
}

/* Writes the rows of the copied block again. */
static strata_status rewrite_rows(zeros *z, uint64_t bound, strata_error *error) {
    const uint8_t *block = z->block.data;
    uint32_t rows = strata_block_rows(block);
    strata_status status = STRATA_OK;
    for (uint32_t slot = 0, count; slot < rows && status == STRATA_OK; slot += count) {
        st_arena_reset(&z->copies);
        count = 0;
        for (size_t bytes = 0, size; slot + count < rows && count < BATCH_ROWS && bytes < BATCH_BYTES; bytes += size) {
            st_row_ref row = { block, slot + count, strata_block_key(block, slot + count) };
            z->rows[count] = (st_row_ref){ copy_row(z, &row, &size), 0, row.key };
            if (z->rows[count++].block == NULL) return st_no_memory(error, "storing rows");
        }
        status = put_rows(z, count, slot + count == rows ? bound : z->rows[count - 1].key, error);
    }
    return status;
}

/* ---- Long collections ------------------------------------------------- */

/* Gives a chunk, which reads as nulls, its zeros. */
static strata_status fill_chunk(zeros *z, const st_column *column, st_edit *edit, st_chunk *chunk,
                                strata_error *error) {
    uint32_t last = st_element_columns(column) - 1;
    strata_value zero;
    st_value_load(st_element_type(column), false, chunk->data, 0, 0, &zero);
    strata_status status = st_chunk_load(z->view, column, edit, chunk, error);
    for (uint32_t i = 0; i < chunk->count && status == STRATA_OK; i++)
        st_chunk_put(column, chunk, last, i, 1, &zero);
    if (status == STRATA_OK) chunk->loaded->changed = true;
    return status;
}

/* `column` may be null already. */
static strata_status visit_chunks(zeros *z, const st_column *column, st_edit *edit, strata_error *error) {
    uint32_t last = st_element_columns(column) - 1;
    bool changed = false;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < edit->chunk_count && status == STRATA_OK; i++) {
        st_chunk *chunk = &edit->chunks[i];
        const st_stored_chunk stored = { chunk->block, chunk->count };
        status = st_collection_block(z->view->txn, edit->identity, column, stored, &chunk->data, error);
        if (status != STRATA_OK || strata_block_entry(chunk->data, last) != 0) continue;
        changed = z->found = true;
        if (z->finds) return STRATA_OK;
        status = fill_chunk(z, column, edit, chunk, error);
    }
    return status == STRATA_OK && changed ? st_edit_store_chunks(z->view, column, edit, error) : status;
}

static strata_status visit_collection(zeros *z, uint32_t number, const st_row_ref *row, strata_error *error) {
    st_column column = z->table->columns[number];
    size_t memory = 0;
    column.flags |= STRATA_COLUMN_NULLABLE;
    st_arena_reset(&z->copies);
    st_edit *edit = st_edit_make(number, &z->copies, &memory);
    if (edit == NULL) return st_no_memory(error, "storing a collection");
    strata_status status = st_edit_load(z->view, &column, row, edit, error);
    if (status == STRATA_OK) status = visit_chunks(z, &column, edit, error);
    st_edits_free(edit);
    return status;
}

/* Visits the long collections of a block. */
static strata_status visit_collections(zeros *z, const uint8_t *block, strata_error *error) {
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < z->count; i++) {
        uint32_t entry = strata_block_entry(block, z->columns[i]);
        if (is_single(z, i) || entry == 0) continue;
        for (uint32_t slot = 0; slot < strata_block_rows(block) && status == STRATA_OK; slot++) {
            st_row_ref row = { block, slot, strata_block_key(block, slot) };
            if (strata_block_large(block, entry, slot)) status = visit_collection(z, z->columns[i], &row, error);
            if (z->finds && z->found) return status;
        }
    }
    return status;
}

/* ---- Blocks ----------------------------------------------------------- */

/* The block is copied, since what it lies in moves as soon as something is stored. */
static strata_status visit_block(zeros *z, const st_stored_block *stored, strata_error *error) {
    st_layout layout = st_table_layout(z->table);
    if (!st_block_valid((strata_bytes){ stored->data, stored->size }, &layout))
        return st_fail(error, STRATA_CORRUPT, 0, "the block of %s up to object %llu is damaged", z->table->name,
                       (unsigned long long)stored->bound);
    z->block.size = 0;
    if (!st_buffer_append(&z->block, stored->data, stored->size)) return st_no_memory(error, "storing rows");
    strata_status status = visit_collections(z, z->block.data, error);
    if (status != STRATA_OK || !leaves_out(z, z->block.data)) return status;
    z->found = true;
    return z->finds ? STRATA_OK : rewrite_rows(z, stored->bound, error);
}

static strata_status visit_blocks(zeros *z, strata_error *error) {
    for (uint64_t next = 0;;) {
        st_stored_block stored;
        strata_status status = st_view_block(z->view, z->number, next, &stored, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        next = stored.bound + 1;
        status = visit_block(z, &stored, error);
        if (!z->finds) st_view_trees_moved(z->view);
        if (status != STRATA_OK || (z->finds && z->found) || next > ST_KEY_MAX) return status;
    }
}

static bool prepare(zeros *z) {
    uint32_t count = z->table->column_count;
    z->fields = malloc((count + 1) * sizeof *z->fields);
    if (z->fields == NULL) return false;
    memcpy(z->fields, z->table->fields, count * sizeof *z->fields);
    for (uint32_t i = 0; i < z->count; i++)
        if (is_single(z, i)) z->fields[z->columns[i]].nullable = true;
    st_layout layout = layout_of(z);
    z->size = st_block_size_make(&layout);
    return z->size != NULL;
}

static strata_status run(zeros *z, bool *out_found, strata_error *error) {
    strata_status status = z->count == 0 ? STRATA_OK : prepare(z) ? visit_blocks(z, error)
                                                                   : st_no_memory(error, "storing rows");
    *out_found = z->found;
    free(z->fields);
    st_block_size_free(z->size);
    st_buffer_free(&z->block);
    st_buffer_free(&z->packed);
    st_arena_free(&z->copies);
    free(z);
    return status;
}

static zeros *make(strata_view *view, const st_table *table, uint32_t number, const uint32_t *columns, uint32_t count) {
    zeros *z = calloc(1, sizeof *z);
    if (z == NULL) return NULL;
    z->view = view;
    z->table = table;
    z->number = number;
    z->columns = columns;
    z->count = count;
    return z;
}

strata_status st_schema_find_zeros(strata_view *view, const st_table *table, uint32_t number, uint32_t column,
                                   bool *out, strata_error *error) {
    zeros *z = make(view, table, number, &column, 1);
    *out = false;
    if (z == NULL) return st_no_memory(error, "comparing schemas");
    z->finds = true;
    return run(z, out, error);
}

strata_status st_schema_store_zeros(strata_view *view, const st_table *table, uint32_t number,
                                    const uint32_t *columns, uint32_t count, strata_error *error) {
    zeros *z = make(view, table, number, columns, count);
    bool found;
    return z == NULL ? st_no_memory(error, "changing the schema") : run(z, &found, error);
}
