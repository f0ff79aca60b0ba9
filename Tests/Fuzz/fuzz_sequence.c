/* SPDX-License-Identifier: MIT
 *
 * fuzz_sequence.c -- short collections in their cell, and the blocks of long ones.
 *
 * The promise: whatever the bytes, reading them never leaves them. Bytes that are refused are refused by every reader;
 * those that are accepted give values that pack into something that reads the same again.
 *
 * Input: u8 choice of column (type, kind, whether it may be null), u8 choice (bit 0: a block, otherwise a cell), then
 * the bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "fuzz.h"
#include "block/block_check.h"
#include "block/block_numbers.h"
#include "block/block_pack.h"
#include "collection/collection_cell.h"

enum { MOST = 65536 };

static void broken(const char *what) { ctest_fail(__FILE__, __LINE__, what); }

static st_column column_of(uint8_t choice) {
    static const strata_type types[] = { STRATA_BOOL,   STRATA_INT,  STRATA_FLOAT, STRATA_DOUBLE, STRATA_STRING,
                                         STRATA_DATA,   STRATA_DATE, STRATA_UUID,  STRATA_LINK,   STRATA_OBJECT_ID,
                                         STRATA_DECIMAL, STRATA_MIXED };
    enum { TYPES = sizeof types / sizeof types[0] };
    return (st_column){ .name = "column", .type = types[choice % TYPES],
                        .collection = (strata_collection)(STRATA_LIST + choice / TYPES % 3),
                        .flags = choice / TYPES / 3 % 2 != 0 ? STRATA_COLUMN_NULLABLE : 0u };
}

static bool is_bytes(const strata_value *v) { return v->type == STRATA_STRING || v->type == STRATA_DATA; }

/* The same to the last bit, of what is stored of it. */
static bool same(const strata_value *a, const strata_value *b) {
    if (a->type != b->type) return false;
    if (!is_bytes(a)) return memcmp(&a->as, &b->as, sizeof a->as) == 0;
    if (a->as.bytes.size != b->as.bytes.size) return false;
    return a->as.bytes.size == 0 || memcmp(a->as.bytes.data, b->as.bytes.data, a->as.bytes.size) == 0;
}

static void check_inside(const strata_value *values, size_t count, const uint8_t *data, size_t size) {
    for (size_t i = 0; i < count; i++) {
        if (!is_bytes(&values[i]) || values[i].as.bytes.size == 0) continue;
        const uint8_t *p = values[i].as.bytes.data;
        if (p < data || p + values[i].as.bytes.size > data + size) broken("a value lies outside of its bytes");
    }
}

static void check_same(const strata_value *a, const strata_value *b, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++)
        if (!same(&a[i], &b[i])) broken(what);
}

/* ---- Cells ------------------------------------------------------------ */

/* A block of one row with one column, whose cell these bytes are. */
static uint8_t *block_with_cell(const uint8_t *data, size_t size) {
    static const st_field field = { ST_PACK_BYTES, false, true };
    st_layout layout = { 1, &field };
    strata_value cell = strata_data(data, size);
    const strata_value *columns[1] = { &cell };
    st_rows rows = { .columns = columns, .first = 1 };
    st_buffer out = { 0 };
    st_block_size *measure = st_block_size_make(&layout);
    if (measure == NULL) abort();
    st_block_size_add(measure, &rows, 0);
    if (!st_block_pack(measure, &rows, 0, &out)) abort();
    st_block_size_free(measure);
    uint8_t *exact = malloc(out.size); /* so that a sanitizer sees a read behind the end */
    if (exact == NULL) abort();
    memcpy(exact, out.data, out.size);
    st_buffer_free(&out);
    return exact;
}

static void read_all(const st_column *column, const uint8_t *block, st_collection_cell *cell, bool *good,
                     strata_value values[2][ST_SEQUENCE_MAX]) {
    static const strata_view view; /* with a hash key of zeros */
    st_row_ref row = { block, 0, 1 };
    *good = st_collection_cell_read(&view, column, &row, cell, NULL) == STRATA_OK && cell->count <= ST_SEQUENCE_MAX;
    for (uint32_t c = 0; *good && c < st_element_columns(column); c++)
        *good = st_collection_cell_values(column, cell, c, 0, cell->count, values[c], NULL) == STRATA_OK;
}

static void fuzz_cell(const st_column *column, const uint8_t *data, size_t size) {
    static strata_value values[2][ST_SEQUENCE_MAX], again[2][ST_SEQUENCE_MAX];
    uint8_t packed[ST_SHORT_CELL];
    st_collection_cell cell, repacked;
    bool good, good_again;
    if (size > ST_SHORT_CELL) size = ST_SHORT_CELL;
    uint8_t *block = block_with_cell(data, size);
    read_all(column, block, &cell, &good, values);
    for (uint32_t c = 0; good && c < st_element_columns(column); c++) {
        check_inside(values[c], (size_t)cell.count, cell.sequences[c].data, cell.sequences[c].size);
        for (uint64_t i = 0; i < cell.count; i++) {
            strata_value one;
            if (st_collection_cell_values(column, &cell, c, i, 1, &one, NULL) != STRATA_OK) broken("one is refused");
            check_same(&one, &values[c][i], 1, "one is not the same as among all");
        }
        strata_value beyond;
        if (st_collection_cell_values(column, &cell, c, cell.count, 1, &beyond, NULL) == STRATA_OK)
            broken("there are more than were counted");
    }
    const strata_value *columns[2] = { values[0], values[1] };
    size_t packed_size = good ? st_collection_cell_pack(column, columns, cell.count, packed) : SIZE_MAX;
    if (packed_size != SIZE_MAX) {
        uint8_t *other = block_with_cell(packed, packed_size);
        read_all(column, other, &repacked, &good_again, again);
        if (!good_again || repacked.count != cell.count) broken("what was packed again has another count");
        for (uint32_t c = 0; c < st_element_columns(column); c++)
            check_same(values[c], again[c], (size_t)cell.count, "what was packed again has other values");
        free(other);
    }
    free(block);
}

/* ---- Blocks ----------------------------------------------------------- */

static void pack_block(const st_column *column, const st_layout *layout, strata_value *const values[2], uint32_t count,
                       st_buffer *out) {
    const strata_value *columns[2] = { values[0], values[1] };
    st_rows rows = { .columns = columns, .first = 1 };
    st_block_size *measure = st_block_size_make(layout);
    if (measure == NULL) abort();
    for (uint32_t i = 0; i < count; i++) st_block_size_add(measure, &rows, i);
    if (!st_block_pack(measure, &rows, 0, out)) abort();
    if (out->size != st_block_size_total(measure)) broken("a block has another size than it was measured to have");
    st_block_size_free(measure);
    if (st_element_columns(column) != 1 || !st_element_is_number(column, 0)) return;

    /* The way of columns of numbers makes the same block. */
    uint64_t *numbers = malloc(count * sizeof *numbers);
    st_buffer other = { 0 };
    st_packing packing = (st_packing)layout->fields[0].packing;
    if (numbers == NULL) abort();
    st_numbers_load(packing, out->data, 0, 0, count, numbers);
    if (!st_numbers_pack(packing, numbers, count, &other)) abort();
    if (other.size != out->size || memcmp(other.data, out->data, out->size) != 0)
        broken("numbers make another block than values");
    if (st_numbers_size(packing, numbers, count) != out->size) broken("numbers are measured wrongly");
    size_t fitting = st_numbers_fitting(packing, numbers, count, out->size);
    if (fitting != count) broken("fewer numbers fit into a block than are in it");
    free(numbers);
    st_buffer_free(&other);
}

static void fuzz_block(const st_column *column, const uint8_t *data, size_t size) {
    st_field fields[2] = { st_element_field(column, 0), st_element_field(column, 1) };
    st_layout layout = { st_element_columns(column), fields };
    static strata_value values[2][MOST], again[2][MOST];
    strata_value *columns[2] = { values[0], values[1] };
    uint8_t *block = malloc(size + 1);
    if (block == NULL) abort();
    memcpy(block, data, size);
    block = realloc(block, size == 0 ? 1 : size);
    if (st_block_valid((strata_bytes){ block, size }, &layout)) {
        uint32_t count = strata_block_rows(block);
        st_buffer packed = { 0 };
        for (uint32_t c = 0; c < layout.count; c++) {
            st_elements_load(column, block, c, 0, count, values[c]);
            check_inside(values[c], count, block, size);
            for (uint32_t i = 0; i < count; i++) st_element_load(column, block, c, i, &again[c][i]);
            check_same(values[c], again[c], count, "an element alone is not the same as among all");
        }
        pack_block(column, &layout, columns, count, &packed);
        if (!st_block_valid((strata_bytes){ packed.data, packed.size }, &layout)) broken("a packed block is refused");
        for (uint32_t c = 0; c < layout.count; c++) {
            st_elements_load(column, packed.data, c, 0, count, again[c]);
            check_same(values[c], again[c], count, "a packed block has other values");
        }
        st_buffer_free(&packed);
    }
    free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    st_column column = column_of(data[0]);
    if ((data[1] & 1) != 0) fuzz_block(&column, data + 2, size - 2);
    else fuzz_cell(&column, data + 2, size - 2);
    return 0;
}
