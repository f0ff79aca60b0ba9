/* SPDX-License-Identifier: MIT
 *
 * block_span.h -- cells on their way into a block: spans of stored cells, and single values.
 *
 * A span is the cells of one column in rows that are next to each other in one block. Rows of blocks are measured and
 * packed a span at a time. A pending row is a span of one.
 */
#ifndef ST_BLOCK_BLOCK_SPAN_H
#define ST_BLOCK_BLOCK_SPAN_H

#include "base/bits.h"
#include "block/block.h"
#include "block/layout.h"

/* ---- Spans ------------------------------------------------------------ */

typedef struct st_span {
    const uint8_t *block;
    uint32_t entry; /* of the column */
    uint32_t slot, count;
} st_span;

/** How many rows, from the first one on, are next to each other in one block. */
static inline uint32_t st_span_length(const st_row_ref *rows, size_t count) {
    size_t length = 1;
    while (length < count && rows[length].block == rows->block && rows[length].slot == rows->slot + length) length++;
    return (uint32_t)length;
}

static inline st_span st_span_of(const st_row_ref *row, uint32_t count, uint32_t column) {
    return (st_span){ row->block, strata_block_entry(row->block, column), row->slot, count };
}

/** Where the cells of the span begin; for bytes, where their positions begin. */
static inline const uint8_t *st_span_vector(const st_span *span) {
    return span->block + strata_entry_offset(span->entry) + (size_t)span->slot * strata_entry_width(span->entry);
}

/** How many rows are checked for nulls at once. */
enum { ST_NULLS_STEP = 56 };

/** A bit for each of `count` rows, at most ST_NULLS_STEP, from row `from` of the span on: is it null? The bits are
 * loaded as one word, whose end may reach into the vector after the bitmap. So this is for stored blocks only, not for
 * the pending one of a span of one row. */
static inline uint64_t st_span_null_bits(const st_span *span, uint32_t from, uint32_t count) {
    uint64_t mask = (UINT64_C(1) << count) - 1;
    if (span->entry == 0) return mask;
    if ((strata_entry_flags(span->entry) & STRATA_ENTRY_NULLS) == 0) return 0;
    size_t bit = span->slot + from, bitmap = (strata_block_rows(span->block) + 7) / 8;
    return strata_load64(span->block + strata_entry_offset(span->entry) - bitmap + bit / 8) >> bit % 8 & mask;
}

static inline uint32_t st_span_null_step(const st_span *span, uint32_t from) {
    return span->count - from < ST_NULLS_STEP ? span->count - from : ST_NULLS_STEP;
}

/** How many cells of the span are null, in a nullable column. */
static inline uint32_t st_span_nulls(const st_span *span) {
    uint32_t nulls = 0;
    if (span->count == 1) return strata_block_null(span->block, span->entry, span->slot);
    if (span->entry == 0) return span->count;
    if ((strata_entry_flags(span->entry) & STRATA_ENTRY_NULLS) == 0) return 0;
    for (uint32_t i = 0, step; i < span->count; i += step) {
        step = st_span_null_step(span, i);
        nulls += (uint32_t)__builtin_popcountll(st_span_null_bits(span, i, step));
    }
    return nulls;
}

/* ---- Values ----------------------------------------------------------- */

/** A single value on its way into a block. */
typedef struct st_cell {
    bool null, large;
    uint64_t number;     /* for signed and unsigned packing */
    const uint8_t *data; /* for the others */
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
        out.data = value->as.fixed; /* all members of the union have the same address */
        break;
    case ST_PACK_NONE: break;
    }
    return out;
}

#endif
