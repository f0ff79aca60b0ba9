/* SPDX-License-Identifier: MIT
 *
 * row_tree.h -- the tree of rows: the blocks of all tables.
 *
 * ON-DISK: the key of a block is table:2 bound:6, both big-endian. Its bound is the largest object key that belongs to
 * it; in the last block of a table it is ST_KEY_MAX. So the block of an object is the first entry whose key is not less
 * than that of the object.
 */
#ifndef ST_TABLE_ROW_TREE_H
#define ST_TABLE_ROW_TREE_H

#include "base/bits.h"
#include "block/block.h"
#include "block/layout.h"

/** A block of the tree. */
typedef struct st_stored_block {
    const uint8_t *data;
    size_t size;
    uint64_t bound;
} st_stored_block;

/** The key of the tree that a table has for an object key. */
static inline strata_bytes st_row_tree_key(uint8_t out[8], uint32_t table, uint64_t key) {
    st_store_big16(out, (uint16_t)table);
    st_store_key(out + 2, key);
    return (strata_bytes){ out, 8 };
}

/** Reads an entry of the tree: STRATA_OK, or STRATA_NOT_FOUND if it is not of that table. Fails with STRATA_CORRUPT
 * unless the block is plausible and has no keys beyond its bound. */
strata_status st_row_tree_entry(uint32_t table, const st_layout *layout, strata_bytes key, strata_bytes value,
                                st_stored_block *out, strata_error *error);

#endif
