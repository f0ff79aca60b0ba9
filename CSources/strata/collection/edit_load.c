/* SPDX-License-Identifier: MIT
 * edit_load.c -- reading what an edit has not changed yet. */
#include "collection/edit_load.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/status.h"
#include "block/block_numbers.h"

/* Room to spare: elements of a loaded chunk, and chunks of a long collection. */
enum { LOADED_SLACK = 8, CHUNK_SLACK = 4 };

/* ---- Chunks ----------------------------------------------------------- */

/* The block of a chunk that is not loaded. */
static strata_status chunk_block(strata_view *view, const st_column *column, const st_edit *edit, st_chunk *chunk,
                                 strata_error *error) {
    if (chunk->data != NULL && chunk->epoch == view->tree_epoch) return STRATA_OK;
    st_stored_chunk stored = { chunk->block, chunk->count };
    chunk->epoch = view->tree_epoch;
    return st_collection_block(view->txn, edit->identity, column, stored, &chunk->data, error);
}

/* Copies the bytes of values, which the block lends. */
static bool copy_bytes(st_arena *arena, strata_value *values, uint32_t count) {
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++)
        if (values[i].type != STRATA_NULL) size += values[i].as.bytes.size;
    uint8_t *bytes = st_arena_alloc(arena, size + 1);
    if (bytes == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i].type == STRATA_NULL || values[i].as.bytes.size == 0) continue;
        memcpy(bytes, values[i].as.bytes.data, values[i].as.bytes.size);
        values[i].as.bytes.data = bytes;
        bytes += values[i].as.bytes.size;
    }
    return true;
}

static strata_value *values_of(const st_chunk *chunk, uint32_t block_column) {
    return (strata_value *)(void *)chunk->loaded->values[block_column];
}

/* Copies the bytes of a chunk, if it has any. */
static bool copy_columns(st_arena *arena, const st_column *column, const st_chunk *chunk) {
    uint32_t last = st_element_columns(column) - 1;
    bool done = last == 0 || copy_bytes(arena, values_of(chunk, 0), chunk->count); /* the keys of a map */
    return done && (!st_element_has_bytes(column) || copy_bytes(arena, values_of(chunk, last), chunk->count));
}

static void load_column(const st_column *column, const st_chunk *chunk, uint32_t block_column) {
    if (st_element_is_number(column, block_column))
        st_numbers_load((st_packing)st_element_field(column, block_column).packing, chunk->data, block_column, 0,
                        chunk->count, (uint64_t *)(void *)chunk->loaded->values[block_column]);
    else st_elements_load(column, chunk->data, block_column, 0, chunk->count, values_of(chunk, block_column));
}

strata_status st_chunk_load(strata_view *view, const st_column *column, st_edit *edit, st_chunk *chunk,
                            strata_error *error) {
    if (chunk->loaded != NULL) return STRATA_OK;
    strata_status status = chunk_block(view, column, edit, chunk, error);
    if (status != STRATA_OK) return status;
    chunk->loaded = st_edit_add_loaded(edit);
    if (chunk->loaded == NULL) return st_no_memory(error, "changing a collection");
    bool done = st_chunk_reserve(column, chunk, chunk->count + LOADED_SLACK, edit->memory);
    for (uint32_t c = 0; c < st_element_columns(column) && done; c++) load_column(column, chunk, c);
    if (done && copy_columns(edit->bytes, column, chunk)) return STRATA_OK;
    chunk->loaded = NULL; /* it may have bytes that are only lent: the block is read instead */
    return st_no_memory(error, "changing a collection");
}

strata_status st_chunk_values(strata_view *view, const st_column *column, const st_edit *edit, st_chunk *chunk,
                              uint32_t block_column, uint32_t slot, uint32_t count, strata_value *out,
                              strata_error *error) {
    if (chunk->loaded != NULL) {
        st_chunk_get(column, chunk, block_column, slot, count, out);
        return STRATA_OK;
    }
    strata_status status = chunk_block(view, column, edit, chunk, error);
    if (status == STRATA_OK) st_elements_load(column, chunk->data, block_column, slot, count, out);
    return status;
}

/* ---- Collections ------------------------------------------------------ */

static strata_status load_short(const st_column *column, st_edit *edit, const st_collection_cell *cell,
                                strata_error *error) {
    st_chunk *chunk = st_edit_insert(edit, 0);
    if (chunk == NULL || !st_chunk_reserve(column, chunk, (size_t)cell->count, edit->memory))
        return st_no_memory(error, "changing a collection");
    chunk->count = (uint32_t)cell->count;
    for (uint32_t c = 0; c < st_element_columns(column); c++) {
        strata_value values[ST_SEQUENCE_MAX];
        strata_status status = st_collection_cell_values(column, cell, c, 0, cell->count, values, error);
        if (status != STRATA_OK) return status;
        st_chunk_put(column, chunk, c, 0, chunk->count, values);
    }
    return copy_columns(edit->bytes, column, chunk) ? STRATA_OK : st_no_memory(error, "changing a collection");
}

strata_status st_edit_load(strata_view *view, const st_column *column, const st_row_ref *row, st_edit *edit,
                           strata_error *error) {
    st_collection_cell cell;
    st_directory *directory;
    strata_status status = st_collection_cell_read(view, column, row, &cell, error);
    if (status != STRATA_OK || cell.count == 0) return status;
    edit->count = cell.count;
    edit->identity = cell.identity;
    if (cell.identity == 0) return load_short(column, edit, &cell, error);
    status = st_directory_get(view, &cell, &directory, error);
    if (status != STRATA_OK) return status;
    edit->next_block = directory->next_block;
    edit->chunks = malloc((directory->chunk_count + CHUNK_SLACK) * sizeof *edit->chunks);
    if (edit->chunks == NULL) return st_no_memory(error, "changing a collection");
    edit->chunk_count = directory->chunk_count;
    edit->chunk_capacity = directory->chunk_count + CHUNK_SLACK;
    *edit->memory += edit->chunk_capacity * sizeof *edit->chunks;
    for (uint32_t i = 0; i < directory->chunk_count; i++) {
        const st_stored_chunk *chunk = &directory->chunks[i];
        edit->chunks[i] = (st_chunk){ chunk->block, chunk->count, NULL, directory->data[i], view->tree_epoch };
    }
    return STRATA_OK;
}
