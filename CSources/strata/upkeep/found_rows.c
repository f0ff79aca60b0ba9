/* SPDX-License-Identifier: MIT
 * found_rows.c -- blocks of rows that were found become a tree of rows. */
#include "upkeep/found_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/bits.h"
#include "base/sort.h"
#include "base/status.h"
#include "block/block_check.h"
#include "block/block_pack.h"
#include "store/tree.h"
#include "table/row_tree.h"

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "salvaging a store"); }

/* ---- Finding ---------------------------------------------------------- */

/* The least and the greatest key. In a damaged block they need not be the first and the last. */
static bool find_keys(const uint8_t *block, st_found_block *out) {
    out->first = ST_KEY_MAX;
    out->last = 0;
    for (uint32_t i = 0; i < strata_block_rows(block); i++) {
        uint64_t key = strata_block_key(block, i);
        if (key == 0 || key >= ST_KEY_MAX) return false;
        if (key < out->first) out->first = key;
        if (key > out->last) out->last = key;
    }
    return true;
}

/* The table that alone can have a block, of all its columns rather than of those it had before others were added.
 * ST_NONE if there is none, or are several. Blocks of collections have one column or two. */
static uint32_t guess_table(st_found_rows *rows, strata_bytes block) {
    enum { LEAST_COLUMNS = 3 };
    uint32_t columns = strata_block_columns(block.data), exact = ST_NONE, fitting = ST_NONE;
    unsigned exacts = 0, fittings = 0;
    if (columns < LEAST_COLUMNS) return ST_NONE;
    for (uint32_t t = 0; t < rows->catalog->table_count; t++) {
        st_layout layout = st_table_layout(&rows->catalog->tables[t]);
        if (!st_block_valid(block, &layout)) continue;
        fitting = t;
        fittings++;
        if (columns != layout.count) continue;
        exact = t;
        exacts++;
    }
    if (exacts > 1 || (exacts == 0 && fittings > 1)) rows->unplaced++;
    if (exacts == 1) return exact;
    return exacts == 0 && fittings == 1 ? fitting : ST_NONE;
}

strata_status st_found_rows_take(st_found_rows *rows, const st_find *find, strata_error *error) {
    bool lone = find->index == ST_FIND_LONE;
    uint32_t table = lone ? guess_table(rows, find->value) : st_load_big16(find->key.data);
    if (table >= rows->catalog->table_count) return STRATA_OK;
    st_layout layout = st_table_layout(&rows->catalog->tables[table]);
    st_found_block block = { .page = find->page, .index = find->index, .table = (uint16_t)table,
                             .rank = (uint8_t)(2 * find->rank + lone) };
    if (!st_block_plausible(find->value, &layout) || !find_keys(find->value.data, &block)) return STRATA_OK;
    block.valid = st_block_valid(find->value, &layout);
    if (!st_array_grow((void **)&rows->blocks, &rows->capacity, rows->count, sizeof *rows->blocks))
        return no_memory(error);
    rows->blocks[rows->count++] = block;
    return STRATA_OK;
}

void st_found_rows_free(st_found_rows *rows) {
    free(rows->blocks);
    *rows = (st_found_rows){ 0 };
}

/* ---- Writing ---------------------------------------------------------- */

typedef struct ranked_row {
    st_row_ref ref;
    uint32_t rank;
} ranked_row;

/* Blocks whose ranges of keys touch each other are written together. */
typedef struct group {
    st_found_rows *found;
    st_find_reader *reader;
    st_txn **writer;
    size_t limit;
    st_found_written *written;
    void *context;
    st_found_count *count;  /* of the table */
    uint32_t table;
    st_layout layout;
    st_block_size *size;
    st_arena bytes;         /* copies of the blocks */
    ranked_row *rows;
    st_row_ref *refs;       /* those that are written */
    size_t row_count, row_capacity, ref_capacity;
    st_buffer packed;
    strata_error *error;
} group;

static int compare_blocks(const void *a, const void *b) {
    const st_found_block *x = a, *y = b;
    if (x->table != y->table) return x->table < y->table ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->page > y->page) - (x->page < y->page);
}

static int compare_rows(const void *a, const void *b) {
    const ranked_row *x = a, *y = b;
    if (x->ref.key != y->ref.key) return x->ref.key < y->ref.key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool is_old(const group *g, uint32_t rank) { return rank / 2 > (uint32_t)g->found->trusted; }

static strata_status note_old(group *g, uint64_t key) {
    st_old_rows *old = g->found->old;
    if (!st_array_grow((void **)&old->items, &old->capacity, old->count, sizeof *old->items))
        return no_memory(g->error);
    old->items[old->count++] = (st_old_row){ key, g->table };
    return STRATA_OK;
}

static strata_status note_old_block(group *g, const uint8_t *block) {
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < strata_block_rows(block) && status == STRATA_OK; i++)
        status = note_old(g, strata_block_key(block, i));
    return status;
}

static strata_status put(group *g, strata_bytes block, uint64_t bound, uint64_t rows) {
    uint8_t key[8];
    strata_status status = st_tree_put(*g->writer, ST_ROWS, st_row_tree_key(key, g->table, bound), block, g->error);
    if (status != STRATA_OK) return status;
    g->count->rows += rows;
    g->count->last_key = bound;
    return g->written(g->context, block.size, g->error);
}

static strata_status add_rows(group *g, const uint8_t *block, size_t size, const st_found_block *found) {
    for (uint32_t slot = 0; slot < strata_block_rows(block); slot++) {
        if (!found->valid && !st_block_row_valid((strata_bytes){ block, size }, &g->layout, slot)) continue;
        if (!st_array_grow((void **)&g->rows, &g->row_capacity, g->row_count, sizeof *g->rows))
            return no_memory(g->error);
        st_row_ref ref = { block, slot, strata_block_key(block, slot) };
        g->rows[g->row_count++] = (ranked_row){ ref, found->rank };
    }
    return STRATA_OK;
}

/* Reads a block again. It is checked again, too, since the disk may give something else now: STRATA_NOT_FOUND. */
static strata_status read_block(group *g, const st_found_block *found, strata_bytes *out) {
    strata_status status = st_find_again(g->reader, found->page, found->index, out, g->error);
    if (status != STRATA_OK) return status;
    bool good = st_block_plausible(*out, &g->layout) && (!found->valid || st_block_valid(*out, &g->layout));
    return good ? STRATA_OK : STRATA_NOT_FOUND;
}

static strata_status gather_block(group *g, const st_found_block *block) {
    strata_bytes value;
    strata_status status = read_block(g, block, &value);
    if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
    uint8_t *copy = st_arena_alloc(&g->bytes, value.size);
    if (copy == NULL) return no_memory(g->error);
    memcpy(copy, value.data, value.size);
    return add_rows(g, copy, value.size, block);
}

static strata_status gather(group *g, const st_found_block *blocks, size_t count) {
    strata_status status = STRATA_OK;
    st_arena_reset(&g->bytes);
    g->row_count = 0;
    for (size_t i = 0; i < count && status == STRATA_OK; i++) status = gather_block(g, &blocks[i]);
    return status;
}

/* Leaves of each row the best copy, and says how many rows there are. */
static strata_status choose(group *g, size_t *out_count) {
    size_t kept = 0;
    strata_status status = STRATA_OK;
    st_sort_array(g->rows, g->row_count, sizeof *g->rows, compare_rows);
    for (size_t i = 0; i < g->row_count && status == STRATA_OK; i++) {
        bool first = i == 0 || g->rows[i].ref.key != g->rows[i - 1].ref.key;
        if (first) g->refs[kept++] = g->rows[i].ref;
        if (first && is_old(g, g->rows[i].rank)) status = note_old(g, g->rows[i].ref.key);
        bool second = i > 0 && !first && (i == 1 || g->rows[i - 2].ref.key != g->rows[i].ref.key);
        if (second && g->rows[i].rank == g->rows[i - 1].rank) g->found->doubtful++;
    }
    *out_count = kept;
    return status;
}

static strata_status pack(group *g, size_t count) {
    st_rows rows = { .refs = g->refs };
    strata_status status = STRATA_OK;
    for (size_t first = 0, filled; first < count && status == STRATA_OK; first += filled) {
        filled = st_block_size_fill(g->size, &rows, first, count - first, g->limit);
        g->packed.size = 0;
        if (!st_block_pack(g->size, &rows, first, &g->packed)) return no_memory(g->error);
        status = put(g, (strata_bytes){ g->packed.data, g->packed.size }, g->refs[first + filled - 1].key, filled);
    }
    return status;
}

static strata_status write_group(group *g, const st_found_block *blocks, size_t count) {
    strata_bytes value;
    size_t rows = 0;
    strata_status status = STRATA_NOT_FOUND;
    if (count == 1 && blocks->valid) status = read_block(g, blocks, &value);
    if (status == STRATA_OK && is_old(g, blocks->rank)) status = note_old_block(g, value.data);
    if (status == STRATA_OK) return put(g, value, blocks->last, strata_block_rows(value.data));
    if (status == STRATA_NOT_FOUND) status = gather(g, blocks, count);
    while (status == STRATA_OK && g->ref_capacity < g->row_count)
        if (!st_array_grow((void **)&g->refs, &g->ref_capacity, g->ref_capacity, sizeof *g->refs))
            return no_memory(g->error);
    if (status == STRATA_OK) status = choose(g, &rows);
    return status == STRATA_OK ? pack(g, rows) : status;
}

static strata_status write_table(group *g, const st_found_block *blocks, size_t count) {
    strata_status status = STRATA_OK;
    g->size = st_block_size_make(&g->layout);
    if (g->size == NULL) return no_memory(g->error);
    for (size_t from = 0, to; from < count && status == STRATA_OK; from = to) {
        uint64_t last = blocks[from].last;
        for (to = from + 1; to < count && blocks[to].first <= last; to++)
            if (blocks[to].last > last) last = blocks[to].last;
        status = write_group(g, blocks + from, to - from);
    }
    st_block_size_free(g->size);
    return status;
}

strata_status st_found_rows_write(st_found_rows *rows, st_find_reader *reader, st_txn **writer, size_t limit,
                                  st_found_written *written, void *context, st_found_count *counts,
                                  strata_error *error) {
    group g = { .found = rows, .reader = reader, .writer = writer, .limit = limit, .written = written,
                .context = context, .error = error };
    strata_status status = STRATA_OK;
    st_sort_array(rows->blocks, rows->count, sizeof *rows->blocks, compare_blocks);
    for (size_t from = 0, to; from < rows->count && status == STRATA_OK; from = to) {
        g.table = rows->blocks[from].table;
        for (to = from + 1; to < rows->count && rows->blocks[to].table == g.table; to++) {}
        g.layout = st_table_layout(&rows->catalog->tables[g.table]);
        g.count = &counts[g.table];
        status = write_table(&g, rows->blocks + from, to - from);
    }
    st_arena_free(&g.bytes);
    free(g.rows);
    free(g.refs);
    st_buffer_free(&g.packed);
    return status;
}
