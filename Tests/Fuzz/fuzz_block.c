/* SPDX-License-Identifier: MIT
 * fuzz_block.c
 *
 * Promise: bytes that st_block_plausible() takes for a block of some layout can be read through strata_row.h, every
 * cell of every row, without leaving them. If st_block_valid() takes them for one, rows are also found by their keys, and no
 * cell is damaged. Bytes that these refuse, whatever they are, do no harm to them. */
#include "fuzz.h"

#include "block/block.h"
#include "block/block_check.h"
#include "block/vector.h"

enum { COLUMNS = 24 };

static void read_cell(const uint8_t *block, size_t size, bool valid, st_packing packing, uint32_t column,
                      uint32_t slot) {
    uint32_t entry = strata_block_entry(block, column);
    volatile uint64_t sink = 0;
    uint8_t fixed[16];
    switch (packing) {
    case ST_PACK_NONE: return;
    case ST_PACK_SIGNED: sink = (uint64_t)strata_block_int(block, entry, slot); break;
    case ST_PACK_UNSIGNED: sink = strata_block_link(block, entry, slot); break;
    case ST_PACK_FLOAT: sink = (uint64_t)(strata_block_float(block, entry, slot) > 0); break;
    case ST_PACK_DOUBLE: sink = (uint64_t)(strata_block_double(block, entry, slot) > 0); break;
    case ST_PACK_16:
    case ST_PACK_12:
        if (entry != 0) {
            size_t width = packing == ST_PACK_16 ? 16 : 12;
            memcpy(fixed, block + strata_entry_offset(entry) + width * slot, width);
            sink = fixed[0];
        }
        break;
    case ST_PACK_BYTES: {
        strata_bytes bytes = st_block_bytes(block, entry, slot);
        const uint8_t *p = bytes.data;
        CHECK(bytes.size == 0 || (p >= block && p + bytes.size <= block + size));
        CHECK(!valid || entry == 0 || p != NULL);
        for (size_t i = 0; i < bytes.size; i++) sink += p[i];
        if (valid && entry != 0 && strata_block_large(block, entry, slot)) CHECK(bytes.size == ST_REFERENCE);
        break;
    }
    }
    (void)sink;
}

/* Reads every cell, and says what the keys are. */
static void read_block(const uint8_t *block, size_t size, bool valid, const st_layout *layout) {
    uint32_t rows = strata_block_rows(block), slot;
    for (uint32_t row = 0; row < rows; row++) {
        uint64_t key = strata_block_key(block, row);
        if (valid) CHECK(st_block_find(block, key, &slot) && slot == row);
        else (void)st_block_find(block, key, &slot);
        if (valid) CHECK(row == 0 || strata_block_key(block, row - 1) < key);
        for (uint32_t column = 0; column < layout->count; column++) {
            (void)strata_block_null(block, strata_block_entry(block, column), row);
            read_cell(block, size, valid, (st_packing)layout->fields[column].packing, column, row);
        }
    }
    for (uint32_t column = 0; column < layout->count; column++) {
        st_vector vector;
        if (layout->fields[column].packing != ST_PACK_NONE)
            CHECK(st_vector_open(block, size, layout->fields[column], column, &vector));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = { data, size };
    st_field fields[COLUMNS];
    st_layout layout = { fuzz_u8(&input) % COLUMNS, fields };
    for (uint32_t i = 0; i < layout.count; i++) {
        uint8_t kind = fuzz_u8(&input);
        fields[i] = (st_field){ .packing = kind % (ST_PACK_BYTES + 1), .nullable = (kind & 0x80) != 0 };
    }
    uint8_t *block = fuzz_copy(input.data, input.size);
    strata_bytes bytes = { block, input.size };
    bool plausible = st_block_plausible(bytes, &layout), valid = st_block_valid(bytes, &layout);
    CHECK(plausible || !valid);
    if (plausible) read_block(block, input.size, valid, &layout);
    free(block);
    return 0;
}
