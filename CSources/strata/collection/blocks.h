/* SPDX-License-Identifier: MIT
 *
 * blocks.h -- collections as stored.
 *
 * ON-DISK. A short collection lies in the cell of its row as one or two sequences of codec/sequence.h. A longer one is
 * a sequence of blocks, so that no change rewrites more than a few pages of it; the cell then is a large one and holds
 * u64 count, u64 identity. In the tree of collections stand, big-endian:
 *
 *   identity:8              the directory: u8 format = 1, u8 0, u16 0, u32 next block, then per block in the
 *                           order of the collection u32 block, u32 count
 *   identity:8 block:4      the elements: a block of strata_row.h whose row keys count from 1. Its columns: the
 *                           elements; of a map, its keys and its values
 *
 * Elements of a column of any values stand there as their encoding, as data. Bytes beyond ST_INLINE_VALUE are stored
 * elsewhere, as those of a cell. A set is in the order of st_element_order(), a map in that of the bytes of its keys.
 */
#ifndef ST_COLLECTION_BLOCKS_H
#define ST_COLLECTION_BLOCKS_H

#include "block/sequence.h"
#include "table/view.h"

enum {
    ST_SHORT_CELL = 256,  /* bytes of the longest cell of a short collection */
    ST_LARGEST_BLOCK = 4096 /* elements of a block that we store */
};

/* ---- Columns of elements ---------------------------------------------- *
 * Column 0 of a map are its keys; the last column are the elements.
 */

static inline uint32_t st_element_columns(const st_column *column) { return column->collection == STRATA_MAP ? 2 : 1; }

/** The type of an element as it is stored. */
static inline strata_type st_element_type(const st_column *column) {
    return column->type == STRATA_MIXED ? STRATA_DATA : column->type;
}
/** How a column of elements is packed. */
st_field st_element_field(const st_column *column, uint32_t part_column);

/** True if the elements of a column are numbers that are never null: words in memory, as strata_value has them. */
static inline bool st_element_is_number(const st_column *column, uint32_t part_column) {
    const uint32_t numbers = 1u << STRATA_BOOL | 1u << STRATA_INT | 1u << STRATA_FLOAT | 1u << STRATA_DOUBLE |
                             1u << STRATA_DATE | 1u << STRATA_LINK;
    bool key = column->collection == STRATA_MAP && part_column == 0;
    bool nullable = (column->flags & STRATA_COLUMN_NULLABLE) != 0 && column->type != STRATA_LINK;
    return !key && !nullable && (numbers >> column->type & 1) != 0;
}
/** The value that such a number is. */
static inline strata_value st_element_of_number(strata_type type, uint64_t number) {
    strata_value value = strata_null();
    if (type == STRATA_BOOL) value.as.boolean = number != 0;
    else value.as.link = number; /* every member of the union begins where it does */
    value.type = type == STRATA_LINK && number == 0 ? STRATA_NULL : type;
    return value;
}

/** Reads elements of a block, as st_element_load() does each. */
void st_elements_load(const st_column *column, const uint8_t *block, uint32_t part_column, uint32_t slot,
                      uint32_t count, strata_value *out);
/** Reads one element of a block. Bytes stored elsewhere are marked as such; see st_value_is_elsewhere(). */
void st_element_load(const st_column *column, const uint8_t *block, uint32_t part_column, uint32_t slot,
                     strata_value *out);

/* ---- Cells ------------------------------------------------------------ */

/** A collection as found in its cell. Lifetime: that of the cell. */
typedef struct st_collection_cell {
    uint64_t count;
    strata_bytes sequences[2]; /* of a short one: its columns */
    uint64_t identity;         /* of a long one, otherwise 0 */
} st_collection_cell;

/** Reads a cell. Fails: STRATA_CORRUPT. */
strata_status st_collection_cell_read(const st_column *column, const st_row_ref *row, uint32_t number,
                                      st_collection_cell *out, strata_error *error);
/** Reads elements of a short collection. Fails: STRATA_CORRUPT. */
strata_status st_collection_cell_values(const st_column *column, const st_collection_cell *cell, uint32_t part_column,
                                        uint64_t from, uint64_t count, strata_value *out, strata_error *error);
/** Packs a short collection; `out` has ST_SHORT_CELL bytes. Returns its size, or SIZE_MAX if it is not short. */
size_t st_collection_cell_pack(const st_column *column, const strata_value *const *columns, uint64_t count,
                               uint8_t *out);

/* ---- Directories ------------------------------------------------------ */

/** One block of a long collection. */
typedef struct st_stored_part {
    uint32_t block;
    uint32_t count;
} st_stored_part;

/** A directory, read and checked. A view keeps the one it looked at last. */
struct st_directory {
    uint64_t identity, epoch; /* of which collection, in which tree epoch */
    uint64_t count;
    uint32_t next_block, part_count;
    size_t capacity;
    st_stored_part *parts;
    const uint8_t **data;     /* the block of each part, once looked at */
    uint64_t *starts;         /* the position of the first element of each part, and the count */
    uint32_t *guide;          /* the part with every (1 << guide_shift)th element, and the last part; */
    uint32_t guide_shift;     /* made when an element is looked for: UINT32_MAX until then */
};

/** The directory of a long collection. Lifetime: until another one is asked for, or trees change. */
strata_status st_directory_get(strata_view *view, const st_collection_cell *cell, struct st_directory **out,
                               strata_error *error);
/** The part with the element at a position, which exists. */
uint32_t st_directory_find(struct st_directory *directory, uint64_t position);
/** The block of a part, checked. */
strata_status st_directory_block(strata_view *view, const struct st_directory *directory, const st_column *column,
                                 uint32_t part, const uint8_t **out, strata_error *error);
void st_directory_free(struct st_directory *directory);

/** Begins a directory of about so many parts, in an empty buffer. False if there is no memory. */
bool st_directory_begin(st_buffer *directory, size_t parts);
/** Adds a part. False if there is no memory. */
static inline bool st_directory_add(st_buffer *directory, st_stored_part part) {
    if (directory->capacity - directory->size < sizeof part && !st_buffer_reserve(directory, sizeof part)) return false;
    memcpy(directory->data + directory->size, &part, sizeof part);
    directory->size += sizeof part;
    return true;
}
strata_status st_directory_put(st_txn *writer, uint64_t identity, st_buffer *directory, uint32_t next_block,
                               strata_error *error);

/* ---- Blocks ----------------------------------------------------------- */

/** The block of a part, checked. */
strata_status st_collection_block(st_txn *txn, uint64_t identity, const st_column *column, st_stored_part part,
                                  const uint8_t **out, strata_error *error);
strata_status st_collection_block_put(st_txn *writer, uint64_t identity, uint32_t block, strata_bytes value,
                                      strata_error *error);
strata_status st_collection_block_delete(st_txn *writer, uint64_t identity, uint32_t block, strata_error *error);
/** Deletes the directory and all blocks. */
strata_status st_collection_blocks_delete(st_txn *writer, uint64_t identity, strata_error *error);

#endif
