/* SPDX-License-Identifier: MIT
 *
 * block_size.h -- the size of a block, before it is packed.
 *
 * Rows are measured as they are added, and the sums say what the block takes: the width of each column's numbers and of
 * the positions, the bitmaps it needs, and which columns are left out because every cell reads as an absent one.
 */
#ifndef ST_BLOCK_BLOCK_SIZE_H
#define ST_BLOCK_BLOCK_SIZE_H

#include "block/block.h"
#include "block/layout.h"

/** Rows to be packed: either rows of blocks, or columns of values, as collections have them. */
typedef struct st_rows {
    const st_row_ref *refs;              /* rows of blocks; NULL for values */
    const strata_value *const *columns;  /* values: one array per column; see st_is_overflow() */
    uint64_t first;                      /* values: the key of the first row; the keys count up from it */
} st_rows;

/** What is known of the cells of one column. */
typedef struct st_column_size {
    uint64_t magnitude;   /* the bits that are set in any number; negative numbers are inverted before */
    uint64_t bytes;       /* the sum of the sizes of strings and the like */
    bool null, large;     /* some cell is null; some cell refers to a value that is stored outside of its row */
    bool present;         /* some cell differs from what the cells of an absent column read as */
} st_column_size;

/** The size of a block as rows are added to it. */
typedef struct st_block_size {
    st_layout layout;
    uint32_t rows, rows_before;
    uint64_t first_key, last_key;
    st_column_size *before;   /* the columns as they were at `rows_before` */
    st_column_size columns[];
} st_block_size;

/** The object key of a row. */
static inline uint64_t st_rows_key(const st_rows *rows, size_t index) {
    return rows->refs != NULL ? rows->refs[index].key : rows->first + index;
}

/** Measures rows for packing. Made for one layout, used for many blocks. NULL if there is no memory. */
st_block_size *st_block_size_make(const st_layout *layout);
void st_block_size_free(st_block_size *size);
/** Starts a new block. */
void st_block_size_reset(st_block_size *size);
/** Adds `count` rows from an index on. Their keys are greater than those of the rows before them. */
void st_block_size_add_rows(st_block_size *size, const st_rows *rows, size_t from, size_t count);
static inline void st_block_size_add(st_block_size *size, const st_rows *rows, size_t index) {
    st_block_size_add_rows(size, rows, index, 1);
}
/** Starts a new block and adds as many of `count` rows, from an index on, as fit into `limit` bytes, but at least one.
 * Returns how many those are. */
size_t st_block_size_fill(st_block_size *size, const st_rows *rows, size_t from, size_t count, size_t limit);
/** The size of a block with the rows added so far. */
size_t st_block_size_total(const st_block_size *size);

/* The widths in bytes of object keys, of positions, and of the numbers of a column. */
uint32_t st_block_key_width(const st_block_size *size);
uint32_t st_block_position_width(const st_block_size *size);
uint32_t st_block_number_width(const st_column_size *column, st_packing packing);
/** Where the vectors end and the bytes begin; `*bytes` is how many bytes there are. */
size_t st_block_vectors_end(const st_block_size *size, uint32_t position_width, size_t *bytes);

#endif
