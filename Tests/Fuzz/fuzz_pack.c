/* SPDX-License-Identifier: MIT
 * fuzz_pack.c
 *
 * Promise: rows that are packed into a block, from pending rows, from blocks of older layouts and from both, come out
 * with the same keys, nulls and values; the block is valid and has the size that was measured. If a row can be changed
 * in place, it reads as it should, and so do all others. */
#include "fuzz.h"

#include "block/block.h"
#include "block/block_check.h"
#include "block/block_pack.h"
#include "block/block_pending.h"

enum { COLUMNS = 12, ROWS = 40, MOST_BYTES = 60 };

typedef struct cell {
    bool null;
    uint8_t fixed[16];
    uint8_t bytes[MOST_BYTES];
    size_t size;
} cell;

typedef struct table {
    st_field fields[COLUMNS];
    uint32_t columns, rows;
    uint64_t keys[ROWS];
    cell cells[ROWS][COLUMNS];
} table;

/* Values of all sizes, so that columns get all widths. */
static void take_cell(fuzz_input *input, st_field field, cell *out) {
    uint8_t head = fuzz_u8(input);
    memset(out, 0, sizeof *out);
    out->null = field.nullable && head % 4 == 0;
    if (out->null || head % 8 == 1) return;
    if (field.packing == ST_PACK_BYTES) {
        out->size = head % MOST_BYTES;
        fuzz_bytes(input, out->bytes, out->size);
        return;
    }
    if (field.packing == ST_PACK_SIGNED || field.packing == ST_PACK_UNSIGNED) {
        uint64_t value = fuzz_u64(input) >> head % 64;
        if (field.packing == ST_PACK_UNSIGNED) value &= (UINT64_C(1) << 48) - 1;
        memcpy(out->fixed, &value, 8);
        return;
    }
    fuzz_bytes(input, out->fixed, sizeof out->fixed);
}

static size_t width_of(uint8_t packing) {
    return packing == ST_PACK_16 ? 16 : packing == ST_PACK_12 ? 12 : packing == ST_PACK_FLOAT ? 4 : 8;
}

/* One row as a block of its own, as a write transaction would have it. */
static uint8_t *pending_row(const table *t, uint32_t row, uint32_t columns) {
    st_layout layout = { columns, t->fields };
    size_t bytes = 0;
    for (uint32_t c = 0; c < columns; c++) bytes += t->cells[row][c].size;
    size_t fixed = st_pending_size(&layout, 0);
    uint8_t *block = malloc(st_pending_size(&layout, bytes) + 8);
    if (block == NULL) abort();
    st_pending_clear(&layout, t->keys[row], block);
    size_t end = fixed;
    for (uint32_t c = 0; c < columns; c++) {
        const cell *from = &t->cells[row][c];
        uint32_t entry = strata_block_entry(block, c);
        uint8_t packing = t->fields[c].packing;
        if (packing == ST_PACK_NONE) continue;
        uint8_t *value = block + strata_entry_offset(entry);
        if (packing == ST_PACK_BYTES) {
            uint32_t positions[2] = { (uint32_t)end, (uint32_t)(end + from->size) };
            memcpy(value, positions, 8);
            memcpy(block + end, from->bytes, from->size);
            end += from->size;
        } else {
            memcpy(value, from->fixed, width_of(packing));
        }
        if (t->fields[c].nullable && !from->null) value[-1] = 0;
    }
    return block;
}

static void compare_cell(const table *t, const uint8_t *block, uint32_t slot, uint32_t c, uint32_t columns) {
    const cell *wanted = &t->cells[slot][c];
    uint32_t entry = strata_block_entry(block, c);
    uint8_t packing = t->fields[c].packing, fixed[16] = { 0 };
    if (packing == ST_PACK_NONE) return;
    bool null = wanted->null || (c >= columns && t->fields[c].nullable);
    if (t->fields[c].nullable) CHECK(strata_block_null(block, entry, slot) == null);
    if (null) return;
    if (packing == ST_PACK_BYTES) {
        strata_bytes bytes = st_block_bytes(block, entry, slot);
        CHECK(bytes.size == wanted->size);
        CHECK(bytes.size == 0 || memcmp(bytes.data, wanted->bytes, bytes.size) == 0);
        return;
    }
    if (packing == ST_PACK_SIGNED) {
        int64_t value = strata_block_int(block, entry, slot);
        memcpy(fixed, &value, 8);
    } else if (packing == ST_PACK_UNSIGNED) {
        uint64_t value = strata_block_link(block, entry, slot);
        memcpy(fixed, &value, 8);
    } else if (entry != 0) {
        memcpy(fixed, block + strata_entry_offset(entry) + width_of(packing) * slot, width_of(packing));
    }
    CHECK(memcmp(fixed, wanted->fixed, width_of(packing)) == 0);
}

static void take_table(fuzz_input *input, table *t) {
    uint64_t key = 0;
    t->columns = 1 + fuzz_u8(input) % COLUMNS;
    t->rows = 1 + fuzz_u8(input) % ROWS;
    for (uint32_t c = 0; c < t->columns; c++) {
        uint8_t kind = fuzz_u8(input);
        uint8_t packing = kind % (ST_PACK_BYTES + 1);
        bool nullable = (kind & 0x80) != 0 && packing != ST_PACK_UNSIGNED && packing != ST_PACK_NONE;
        t->fields[c] = (st_field){ .packing = packing, .nullable = nullable };
    }
    for (uint32_t row = 0; row < t->rows; row++) {
        uint8_t step = fuzz_u8(input);
        key += step < 200 ? 1 : 1 + (UINT64_C(1) << step % 40);
        t->keys[row] = key;
        for (uint32_t c = 0; c < t->columns; c++) take_cell(input, t->fields[c], &t->cells[row][c]);
    }
}

static void compare(const table *t, strata_bytes block, uint32_t columns) {
    st_layout layout = { t->columns, t->fields };
    CHECK(st_block_valid(block, &layout));
    CHECK(strata_block_rows(block.data) == t->rows);
    for (uint32_t row = 0; row < t->rows; row++) {
        CHECK(strata_block_key(block.data, row) == t->keys[row]);
        CHECK(st_block_row_valid(block, &layout, row));
        for (uint32_t c = 0; c < t->columns; c++) compare_cell(t, block.data, row, c, columns);
    }
}

/* Packs the rows `refs` and compares. `columns` is how many of them the rows were written with. */
static strata_bytes pack(const table *t, const st_row_ref *refs, uint32_t columns) {
    st_layout layout = { t->columns, t->fields };
    st_rows rows = { .refs = refs };
    st_block_size *size = st_block_size_make(&layout);
    st_buffer out = { 0 };
    if (size == NULL) abort();
    st_block_size_reset(size);
    for (uint32_t row = 0; row < t->rows; row++) st_block_size_add(size, &rows, row);
    size_t measured = st_block_size_total(size);
    CHECK(st_block_pack(size, &rows, 0, &out));
    CHECK(out.size == measured);
    strata_bytes block = { fuzz_copy(out.data, out.size), out.size };
    st_buffer_free(&out);
    st_block_size_free(size);
    compare(t, block, columns);
    return block;
}

/* Has one row get the cells of another. */
static void change_in_place(table *t, strata_bytes block, uint32_t slot, uint32_t donor, uint32_t columns) {
    st_layout layout = { t->columns, t->fields };
    static cell old[COLUMNS];
    memcpy(old, t->cells[slot], sizeof old);
    memcpy(t->cells[slot], t->cells[donor], sizeof old);
    uint8_t *pending = pending_row(t, slot, t->columns), *copy = fuzz_copy(block.data, block.size);
    st_row_ref before = { block.data, slot, t->keys[slot] }, after = { pending, 0, t->keys[slot] };
    bool changed = st_block_patch(copy, &layout, &before, &after);
    if (changed) compare(t, (strata_bytes){ copy, block.size }, columns);
    memcpy(t->cells[slot], old, sizeof old);
    free(pending);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static table t;
    fuzz_input input = { data, size };
    st_row_ref refs[ROWS];
    uint8_t *pending[ROWS];
    take_table(&input, &t);
    /* Rows as they were before the last columns were added. */
    uint32_t columns = t.columns - fuzz_u8(&input) % t.columns;
    for (uint32_t row = 0; row < t.rows; row++) {
        for (uint32_t c = columns; c < t.columns; c++) memset(&t.cells[row][c], 0, sizeof(cell));
        pending[row] = pending_row(&t, row, columns);
        refs[row] = (st_row_ref){ pending[row], 0, t.keys[row] };
    }
    strata_bytes first = pack(&t, refs, columns);
    for (uint32_t row = 0; row < t.rows; row++)
        if (fuzz_u8(&input) % 4 != 0) refs[row] = (st_row_ref){ first.data, row, t.keys[row] };
    strata_bytes second = pack(&t, refs, columns);
    for (uint32_t i = 0; i < 4; i++)
        change_in_place(&t, second, fuzz_u8(&input) % t.rows, fuzz_u8(&input) % t.rows, columns);
    for (uint32_t row = 0; row < t.rows; row++) free(pending[row]);
    free((void *)(uintptr_t)first.data);
    free((void *)(uintptr_t)second.data);
    return 0;
}
