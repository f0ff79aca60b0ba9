/* SPDX-License-Identifier: MIT
 *
 * collection_store.c -- storing collections that were changed.
 *
 * Chunks that were changed are packed anew. Behind the last one that was not, elements fill their blocks, as appending
 * wants it; before it, changed neighbours are joined and split again into blocks of about the same size.
 */
#include "write/collection_store.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"
#include "block/block_numbers.h"
#include "block/block_pack.h"
#include "block/block_size.h"
#include "collection/collection_cell.h"
#include "collection/edit_load.h"
#include "table/reference.h"
#include "write/cell_release.h"
#include "write/cell_set.h"

/* Elements on their way into blocks. */
typedef struct collection_packer {
    strata_view *view;
    const st_column *column;
    st_edit *edit;
    st_layout layout;
    st_field fields[2];
    bool numbers;            /* there are numbers only: they are packed a column at a time */
    st_block_size *size;     /* of what was measured, unless there are numbers only */
    size_t limit;            /* largest block, in bytes */
    uint8_t *joined[2];      /* the columns of elements from several chunks: numbers, or values */
    size_t count, capacity;  /* of joined elements */
    size_t guess;            /* how many elements the last block got */
    uint32_t *free;          /* numbers of blocks that may be overwritten */
    size_t free_count, free_capacity;
    st_buffer block, directory;
} collection_packer;

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "storing a collection"); }

static uint32_t columns_of(const collection_packer *p) { return p->layout.count; }
static size_t width_of(const collection_packer *p) { return p->numbers ? sizeof(uint64_t) : sizeof(strata_value); }
static st_packing packing_of(const collection_packer *p) { return (st_packing)p->fields[0].packing; }
static const uint64_t *numbers_of(const collection_packer *p) { return (const uint64_t *)(const void *)p->joined[0]; }

static st_rows rows_of(const collection_packer *p, size_t from, const strata_value *columns[2]) {
    for (uint32_t c = 0; c < columns_of(p); c++) columns[c] = (const strata_value *)(const void *)p->joined[c] + from;
    return (st_rows){ .columns = columns, .first = 1 };
}

/* ---- Blocks ----------------------------------------------------------- */

/* Lets the number of a block be used again. */
static bool free_number(collection_packer *p, uint32_t block) {
    if (block == 0) return true;
    if (!st_array_grow((void **)&p->free, &p->free_capacity, p->free_count, sizeof *p->free)) return false;
    p->free[p->free_count++] = block;
    return true;
}

static strata_status add_to_directory(collection_packer *p, uint32_t block, size_t count, strata_error *error) {
    return st_directory_add(&p->directory, (st_stored_chunk){ block, (uint32_t)count }) ? STRATA_OK : no_memory(error);
}

/* Stores joined elements, which were measured, from one on as a block. */
static strata_status put_block(collection_packer *p, size_t from, size_t count, strata_error *error) {
    const strata_value *columns[2];
    p->block.size = 0;
    bool packed;
    if (p->numbers) {
        packed = st_numbers_pack(packing_of(p), numbers_of(p) + from, count, &p->block);
    } else {
        st_rows rows = rows_of(p, from, columns);
        packed = st_block_pack(p->size, &rows, 0, &p->block);
    }
    if (!packed) return no_memory(error);
    uint32_t block = p->free_count > 0 ? p->free[--p->free_count] : p->edit->next_block++;
    strata_status status = st_collection_block_put(p->view->txn, p->edit->identity, block,
                                                   (strata_bytes){ p->block.data, p->block.size }, error);
    p->guess = count;
    return status == STRATA_OK ? add_to_directory(p, block, count, error) : status;
}

/* Measures joined elements: how many bytes a block with them has. */
static size_t measure(collection_packer *p, size_t from, size_t count) {
    const strata_value *columns[2];
    if (p->numbers) return st_numbers_size(packing_of(p), numbers_of(p) + from, count);
    st_rows rows = rows_of(p, from, columns);
    st_block_size_reset(p->size);
    for (size_t i = 0; i < count; i++) st_block_size_add(p->size, &rows, i);
    return st_block_size_total(p->size);
}

/* Measures as many elements as a block has room for, but at least one; returns how many they are. */
static size_t measure_fitting(collection_packer *p, size_t from, size_t count) {
    const strata_value *columns[2];
    if (count > ST_LARGEST_BLOCK) count = ST_LARGEST_BLOCK;
    if (p->numbers) return st_numbers_fitting(packing_of(p), numbers_of(p) + from, count, p->limit);
    size_t low = p->guess < count ? p->guess : count;
    if (low == 0) low = 1;
    if (measure(p, from, low) > p->limit && low > 1) measure(p, from, low = 1);
    st_rows rows = rows_of(p, from, columns);
    while (low < count) {
        st_block_size_add(p->size, &rows, low);
        if (st_block_size_total(p->size) > p->limit) {
            measure(p, from, low);
            return low;
        }
        low++;
    }
    return low;
}

/* ---- Joined chunks ----------------------------------------------------- */

/* Adds the elements of a loaded chunk to the joined ones. */
static bool join(collection_packer *p, const st_chunk *chunk) {
    size_t needed = p->count + chunk->count;
    for (uint32_t c = 0; c < columns_of(p) && needed > p->capacity; c++) {
        uint8_t *values = realloc(p->joined[c], 2 * needed * width_of(p));
        if (values == NULL) return false;
        p->joined[c] = values;
    }
    if (needed > p->capacity) p->capacity = 2 * needed;
    for (uint32_t c = 0; c < columns_of(p); c++) {
        uint8_t *to = p->joined[c] + p->count * width_of(p);
        if (p->numbers) memcpy(to, chunk->loaded->values[c], chunk->count * sizeof(uint64_t));
        else st_chunk_get(p->column, chunk, c, 0, chunk->count, (strata_value *)(void *)to);
    }
    p->count = needed;
    return true;
}

/* Removes the first elements, which were stored. */
static void consume(collection_packer *p, size_t count) {
    if (count == 0) return;
    p->count -= count;
    for (uint32_t c = 0; c < columns_of(p); c++)
        memmove(p->joined[c], p->joined[c] + count * width_of(p), p->count * width_of(p));
}

/* Stores the joined elements in full blocks. Unless it is the end, those of the last block wait for more. */
static strata_status put_full(collection_packer *p, bool end, strata_error *error) {
    size_t from = 0;
    strata_status status = STRATA_OK;
    while (from < p->count && status == STRATA_OK) {
        size_t fits = measure_fitting(p, from, p->count - from);
        if (!end && from + fits == p->count) break;
        status = put_block(p, from, fits, error);
        from += fits;
    }
    consume(p, from);
    return status;
}

/* Stores the joined elements in blocks of about the same size. */
static strata_status put_evenly(collection_packer *p, strata_error *error) {
    size_t count = p->count, total = count == 0 ? 0 : measure(p, 0, count), blocks = (total + p->limit - 1) / p->limit;
    size_t least = (count + ST_LARGEST_BLOCK - 1) / ST_LARGEST_BLOCK;
    if (blocks < least) blocks = least;
    for (size_t from = 0; from < count;) {
        size_t each = (count - from + blocks - 1) / blocks;
        if (each < count) total = measure(p, from, each); /* otherwise they are measured already */
        if (total > p->limit) each = measure_fitting(p, from, each);
        strata_status status = put_block(p, from, each, error);
        if (status != STRATA_OK) return status;
        from += each;
        if (blocks > 1) blocks--;
    }
    p->count = 0;
    return STRATA_OK;
}

/* ---- Parts ------------------------------------------------------------ */

static bool is_changed(const st_chunk *chunk) {
    return chunk->block == 0 || (chunk->loaded != NULL && chunk->loaded->changed);
}

/* The first of the chunks at the end that only appending made or changed. */
static size_t tail_of(const st_edit *edit) {
    size_t at = edit->chunk_count;
    while (at > 0 && edit->chunks[at - 1].block == 0) at--;
    return at > 0 && is_changed(&edit->chunks[at - 1]) ? at - 1 : at;
}

/* Stores the chunks before the tail. */
static strata_status put_middle(collection_packer *p, size_t tail, strata_error *error) {
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < tail && status == STRATA_OK; i++) {
        st_chunk *chunk = &p->edit->chunks[i];
        if (!is_changed(chunk)) {
            if (p->count != 0) status = put_evenly(p, error);
            if (status == STRATA_OK) status = add_to_directory(p, chunk->block, chunk->count, error);
            continue;
        }
        if (!free_number(p, chunk->block)) return no_memory(error);
        if (!join(p, chunk)) return no_memory(error);
        if (p->count >= ST_LONGEST_CHUNK / 2) status = put_evenly(p, error);
    }
    return status == STRATA_OK ? put_evenly(p, error) : status;
}

static strata_status put_tail(collection_packer *p, size_t tail, strata_error *error) {
    strata_status status = STRATA_OK;
    for (size_t i = tail; i < p->edit->chunk_count && status == STRATA_OK; i++) {
        const st_chunk *chunk = &p->edit->chunks[i];
        if (!free_number(p, chunk->block) || !join(p, chunk)) return no_memory(error);
        status = put_full(p, false, error);
    }
    return status == STRATA_OK ? put_full(p, true, error) : status;
}

static strata_status delete_free_blocks(collection_packer *p, strata_error *error) {
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < p->free_count && status == STRATA_OK; i++)
        status = st_collection_block_delete(p->view->txn, p->edit->identity, p->free[i], error);
    return status;
}

static strata_status put_chunks(collection_packer *p, strata_error *error) {
    st_edit *edit = p->edit;
    size_t tail = tail_of(edit);
    if (!st_directory_begin(&p->directory, edit->chunk_count + 1)) return no_memory(error);
    for (size_t i = 0; i < edit->removed_count; i++)
        if (!free_number(p, edit->removed[i])) return no_memory(error);
    strata_status status = put_middle(p, tail, error);
    if (status == STRATA_OK) status = put_tail(p, tail, error);
    if (status == STRATA_OK) status = delete_free_blocks(p, error);
    if (status != STRATA_OK) return status;
    return st_directory_put(p->view->txn, edit->identity, &p->directory, edit->next_block, error);
}

/* ---- Collections ------------------------------------------------------ */

strata_status st_edit_store_chunks(strata_view *view, const st_column *column, st_edit *edit, strata_error *error) {
    collection_packer p = { .view = view, .column = column, .edit = edit, .limit = st_store_block_size(view->store) };
    strata_status status = STRATA_OK;
    p.fields[0] = st_element_field(column, 0);
    p.fields[1] = st_element_field(column, 1);
    p.layout = (st_layout){ st_element_columns(column), p.fields };
    p.numbers = columns_of(&p) == 1 && st_element_is_number(column, 0);
    p.size = p.numbers ? NULL : st_block_size_make(&p.layout);
    if (p.size == NULL && !p.numbers) status = no_memory(error);
    view->tree_epoch++; /* blocks move from here on */
    if (status == STRATA_OK) status = put_chunks(&p, error);
    view->tree_epoch++;
    st_block_size_free(p.size);
    free(p.joined[0]);
    free(p.joined[1]);
    free(p.free);
    st_buffer_free(&p.block);
    st_buffer_free(&p.directory);
    return status;
}

static strata_status store_long(strata_view *view, const st_table *table, st_pending *pending, st_edit *edit,
                                strata_error *error) {
    const st_column *column = &table->columns[edit->column];
    strata_status status = STRATA_OK;
    if (edit->identity == 0) status = st_identity_new(&view->writes->identities, view->txn, &edit->identity, error);
    if (status == STRATA_OK) status = st_edit_store_chunks(view, column, edit, error);
    if (status != STRATA_OK) return status;
    uint8_t reference[ST_REFERENCE];
    st_reference_make(view, column, pending->key, (st_blob){ edit->count, edit->identity }, reference);
    return st_cell_set_bytes(view, table, pending, edit->column, (strata_bytes){ reference, ST_REFERENCE }, true,
                             error);
}

/* Packs a collection into a cell; its size is SIZE_MAX if the collection is not short. */
static strata_status pack_short(strata_view *view, const st_column *column, st_edit *edit, uint8_t *out,
                                size_t *out_size, strata_error *error) {
    strata_value values[2][ST_SEQUENCE_MAX];
    const strata_value *columns[2] = { values[0], values[1] };
    size_t done = 0;
    *out_size = SIZE_MAX;
    if (edit->count > ST_SEQUENCE_MAX) return STRATA_OK;
    for (size_t i = 0; i < edit->chunk_count; i++) {
        strata_status status = st_chunk_load(view, column, edit, &edit->chunks[i], error);
        if (status != STRATA_OK) return status;
        for (uint32_t c = 0; c < st_element_columns(column); c++)
            st_chunk_get(column, &edit->chunks[i], c, 0, edit->chunks[i].count, &values[c][done]);
        done += edit->chunks[i].count;
    }
    *out_size = st_collection_cell_pack(column, columns, edit->count, out);
    return STRATA_OK;
}

static strata_status store_edit(strata_view *view, const st_table *table, st_pending *pending, st_edit *edit,
                                strata_error *error) {
    uint8_t cell[ST_SHORT_CELL];
    size_t size;
    strata_status status = pack_short(view, &table->columns[edit->column], edit, cell, &size, error);
    if (status != STRATA_OK) return status;
    if (size == SIZE_MAX) return store_long(view, table, pending, edit, error);
    st_row_ref row = { pending->block, 0, pending->key };
    status = st_cell_drop(view, table, &row, edit->column, error);
    if (status != STRATA_OK) return status;
    return st_cell_set_bytes(view, table, pending, edit->column, (strata_bytes){ cell, size }, false, error);
}

strata_status st_edits_flush(strata_view *view, const st_table *table, st_pending *pending, strata_error *error) {
    strata_status status = STRATA_OK;
    for (st_edit *edit = pending->edits; edit != NULL && status == STRATA_OK; edit = edit->next)
        status = store_edit(view, table, pending, edit, error);
    st_edits_free(pending->edits);
    pending->edits = NULL;
    return status;
}
