/* SPDX-License-Identifier: MIT
 * row_tree.c -- the tree of rows. */
#include "table/row_tree.h"

#include "base/status.h"
#include "block/block_check.h"

strata_status st_row_tree_entry(uint32_t table, const st_layout *layout, strata_bytes key, strata_bytes value,
                                st_stored_block *out, strata_error *error) {
    if (key.size != 8) return st_fail(error, STRATA_CORRUPT, 0, "a key of %zu bytes in the tree of rows", key.size);
    if (st_load_big16(key.data) != table) return STRATA_NOT_FOUND;
    uint64_t bound = st_load_key((const uint8_t *)key.data + 2);
    if (!st_block_plausible(value, layout) || strata_block_first(value.data) > bound)
        return st_fail(error, STRATA_CORRUPT, 0, "the block of table %u up to object %llu is damaged", table,
                       (unsigned long long)bound);
    *out = (st_stored_block){ value.data, value.size, bound };
    return STRATA_OK;
}
