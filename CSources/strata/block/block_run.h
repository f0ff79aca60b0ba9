/* SPDX-License-Identifier: MIT
 *
 * block_run.h -- what the files that measure and pack blocks share.
 *
 * Rows of blocks are measured and packed a run at a time: the cells that one column has of rows that stand side by side
 * in one block. A pending row is a run of one.
 */
#ifndef ST_BLOCK_BLOCK_RUN_H
#define ST_BLOCK_BLOCK_RUN_H

#include "block/block.h"

typedef struct st_column_size {
    uint64_t magnitude;   /* the bits that some number has; of negative ones those that they have not */
    uint64_t bytes;
    bool null, large;     /* some row is null, or refers to a value elsewhere */
    bool present;         /* some row is not what an absent column reads as */
} st_column_size;

struct st_block_size {
    st_layout layout;
    uint32_t rows, rows_before;
    uint64_t first_key, last_key;
    st_column_size *before;   /* the columns as they were at `rows_before` */
    st_column_size columns[];
};

/** Bytes of object keys, of positions, and of a column's numbers. */
uint32_t st_block_key_width(const st_block_size *size);
uint32_t st_block_position_width(const st_block_size *size);
uint32_t st_block_number_width(const st_column_size *column, st_packing packing);
/** Where the vectors end and the bytes begin; `*bytes` is how many those are. */
size_t st_block_vectors_end(const st_block_size *size, uint32_t position_width, size_t *bytes);

static inline uint64_t st_rows_key(const st_rows *rows, size_t index) {
    return rows->refs != NULL ? rows->refs[index].key : rows->first + index;
}

/* ---- Runs ------------------------------------------------------------- */

typedef struct st_run {
    const uint8_t *block;
    uint32_t entry; /* of the column */
    uint32_t slot, count;
} st_run;

/** How many rows from an index on stand side by side in one block. */
static inline uint32_t st_run_length(const st_row_ref *rows, size_t count) {
    size_t length = 1;
    while (length < count && rows[length].block == rows->block && rows[length].slot == rows->slot + length) length++;
    return (uint32_t)length;
}

static inline st_run st_run_of(const st_row_ref *row, uint32_t count, uint32_t column) {
    return (st_run){ row->block, strata_block_entry(row->block, column), row->slot, count };
}

/** Where its cells begin, or of bytes their positions. */
static inline const uint8_t *st_run_vector(const st_run *run) {
    return run->block + strata_entry_offset(run->entry) + (size_t)run->slot * strata_entry_width(run->entry);
}

/** Rows whose nulls are looked at together. */
enum { ST_NULLS_STEP = 56 };

/** Bits that say which of up to ST_NULLS_STEP rows from the one of that number on are null. They are loaded as a word,
 * whose end may reach into the vector behind the bitmap: for runs of more than one row, which are of stored blocks. */
static inline uint64_t st_run_null_bits(const st_run *run, uint32_t from, uint32_t count) {
    uint64_t mask = (UINT64_C(1) << count) - 1;
    if (run->entry == 0) return mask;
    if ((strata_entry_flags(run->entry) & STRATA_ENTRY_NULLS) == 0) return 0;
    size_t bit = run->slot + from, bitmap = (strata_block_rows(run->block) + 7) / 8;
    return strata_load64(run->block + strata_entry_offset(run->entry) - bitmap + bit / 8) >> bit % 8 & mask;
}

static inline uint32_t st_run_null_step(const st_run *run, uint32_t from) {
    return run->count - from < ST_NULLS_STEP ? run->count - from : ST_NULLS_STEP;
}

/** How many of a nullable column are null. */
static inline uint32_t st_run_nulls(const st_run *run) {
    uint32_t nulls = 0;
    if (run->count == 1) return strata_block_null(run->block, run->entry, run->slot);
    if (run->entry == 0) return run->count;
    if ((strata_entry_flags(run->entry) & STRATA_ENTRY_NULLS) == 0) return 0;
    for (uint32_t i = 0, step; i < run->count; i += step) {
        step = st_run_null_step(run, i);
        nulls += (uint32_t)__builtin_popcountll(st_run_null_bits(run, i, step));
    }
    return nulls;
}

/* ---- Values ----------------------------------------------------------- */

/** A value on its way into a block. */
typedef struct st_cell {
    bool null, large;
    uint64_t number;     /* of signed and unsigned packing */
    const uint8_t *data; /* of the others */
    size_t size;
} st_cell;

static inline st_cell st_cell_of_value(const strata_value *value, st_field field) {
    st_cell out = { .null = value->type == STRATA_NULL };
    if (out.null) return out;
    switch ((st_packing)field.packing) {
    case ST_PACK_SIGNED:
        out.number = value->type == STRATA_BOOL ? (uint64_t)value->as.boolean : (uint64_t)value->as.integer;
        break;
    case ST_PACK_UNSIGNED: out.number = value->as.link; break;
    case ST_PACK_BYTES:
        out.data = value->as.bytes.data;
        out.size = value->as.bytes.size;
        out.large = st_is_overflow(value);
        break;
    case ST_PACK_FLOAT:
    case ST_PACK_DOUBLE:
    case ST_PACK_16:
    case ST_PACK_12:
        out.size = st_packing_size((st_packing)field.packing);
        out.data = value->as.fixed; /* every member of the union begins where it does */
        break;
    case ST_PACK_NONE: break;
    }
    return out;
}

#endif
