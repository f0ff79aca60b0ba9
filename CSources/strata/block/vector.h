/* SPDX-License-Identifier: MIT
 *
 * vector.h -- one column of one stored block.
 *
 * A vector is opened on a block that is plausible with the layout of its table (block/block_check.h). Then no read
 * through the vector leaves the block. It is valid as long as the bytes of the block are.
 */
#ifndef ST_BLOCK_VECTOR_H
#define ST_BLOCK_VECTOR_H

#include "base/bits.h"
#include "block/block.h"
#include "block/layout.h"

/* Numbers in a block are not aligned. */
typedef int16_t __attribute__((aligned(1), may_alias)) st_int16_anywhere;
typedef int32_t __attribute__((aligned(1), may_alias)) st_int32_anywhere;
typedef int64_t __attribute__((aligned(1), may_alias)) st_int64_anywhere;
typedef uint16_t __attribute__((aligned(1), may_alias)) st_uint16_anywhere;
typedef uint32_t __attribute__((aligned(1), may_alias)) st_uint32_anywhere;
typedef float __attribute__((aligned(1), may_alias)) st_float_anywhere;
typedef double __attribute__((aligned(1), may_alias)) st_double_anywhere;

typedef struct st_vector {
    const uint8_t *block;
    size_t size;             /* of the block */
    uint32_t table, column;  /* whose cells these are; the table is for the caller to set */
    uint32_t rows;
    uint32_t width;
    const uint8_t *values;   /* NULL: the block has no such column */
    const uint8_t *nulls;    /* bitmaps, or NULL */
    const uint8_t *large;
    st_packing packing;
    bool nullable;
} st_vector;

/** Opens a column of a plausible block. False if it does not lie in the block. */
bool st_vector_open(const uint8_t *block, size_t size, st_field field, uint32_t column, st_vector *out);

/* Read the numbers of some rows: ints, bools and links; and floats, doubles and dates. */
void st_vector_ints(const st_vector *v, uint32_t from, uint32_t count, int64_t *out);
void st_vector_reals(const st_vector *v, uint32_t from, uint32_t count, double *out);

/** Prefetches the memory of this column in the next block. Blocks that were written one after the other mostly follow
 * each other in the file, and have their columns at about the same offsets. If something else is there, the prefetch is
 * useless but harmless. */
void st_vector_prefetch(const st_vector *v);

static inline bool st_bit(const uint8_t *bitmap, uint32_t i) { return bitmap[i / 8] >> i % 8 & 1; }

static inline bool st_vector_null(const st_vector *v, uint32_t slot) {
    if (v->values == NULL) return v->nullable;
    return v->nulls != NULL && st_bit(v->nulls, slot);
}

/** An int, bool or link; a link that is null is 0. */
static inline int64_t st_vector_int(const st_vector *v, uint32_t slot) {
    if (v->values == NULL) return 0;
    const uint8_t *p = v->values + (size_t)slot * v->width;
    return v->packing == ST_PACK_SIGNED ? strata_load_signed(p, v->width) : (int64_t)strata_load_unsigned(p, v->width);
}

static inline double st_vector_real(const st_vector *v, uint32_t slot) {
    if (v->values == NULL) return 0;
    if (v->packing == ST_PACK_FLOAT) {
        float f;
        memcpy(&f, v->values + 4 * (size_t)slot, 4);
        return (double)f;
    }
    double d;
    memcpy(&d, v->values + 8 * (size_t)slot, 8);
    return d;
}

/** The bytes of a cell: of a string, data, mixed value, collection, uuid, decimal or object id. False if they do not
 * lie in the block. */
static inline bool st_vector_bytes(const st_vector *v, uint32_t slot, strata_bytes *out) {
    if (v->packing != ST_PACK_BYTES) {
        static const uint8_t zeros[16];
        const uint8_t *p = v->values == NULL ? zeros : v->values + (size_t)slot * v->width;
        *out = (strata_bytes){ p, v->packing == ST_PACK_16 ? 16 : 12 };
        return true;
    }
    *out = (strata_bytes){ v->block, 0 };
    if (v->values == NULL) return true;
    const uint8_t *p = v->values + (size_t)slot * v->width;
    uint64_t from = strata_load_unsigned(p, v->width), to = strata_load_unsigned(p + v->width, v->width);
    if (from > to || to > v->size) return false;
    *out = (strata_bytes){ v->block + from, (size_t)(to - from) };
    return true;
}

#endif
