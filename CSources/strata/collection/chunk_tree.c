/* SPDX-License-Identifier: MIT
 * chunk_tree.c -- the chunks of long collections. */
#include "collection/chunk_tree.h"

#include "base/bits.h"
#include "base/status.h"
#include "block/block_check.h"
#include "store/tree.h"
#include "store/trees.h"

strata_bytes st_directory_key(uint8_t out[8], uint64_t identity) {
    st_store_big64(out, identity);
    return (strata_bytes){ out, 8 };
}

strata_status st_collection_damaged(uint64_t identity, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "the collection %llu is damaged", (unsigned long long)identity);
}

static strata_bytes block_key(uint8_t out[12], uint64_t identity, uint32_t block) {
    st_store_big64(out, identity);
    st_store_big32(out + 8, block);
    return (strata_bytes){ out, 12 };
}

strata_status st_collection_block(st_txn *txn, uint64_t identity, const st_column *column, st_stored_chunk chunk,
                                  const uint8_t **out, strata_error *error) {
    st_field fields[2] = { st_element_field(column, 0), st_element_field(column, 1) };
    st_layout layout = { st_element_columns(column), fields };
    uint8_t key[12];
    strata_bytes value;
    *out = NULL;
    strata_status status = st_tree_get(txn, ST_COLLECTIONS, block_key(key, identity, chunk.block), &value, error);
    if (status < 0) return status;
    if (status == STRATA_NOT_FOUND || !st_block_valid(value, &layout) || strata_block_rows(value.data) != chunk.count)
        return st_collection_damaged(identity, error);
    *out = value.data;
    return STRATA_OK;
}

strata_status st_collection_block_put(st_txn *writer, uint64_t identity, uint32_t block, strata_bytes value,
                                      strata_error *error) {
    uint8_t key[12];
    return st_tree_put(writer, ST_COLLECTIONS, block_key(key, identity, block), value, error);
}

strata_status st_collection_block_delete(st_txn *writer, uint64_t identity, uint32_t block, strata_error *error) {
    uint8_t key[12];
    strata_status status = st_tree_delete(writer, ST_COLLECTIONS, block_key(key, identity, block), error);
    return status == STRATA_NOT_FOUND ? st_collection_damaged(identity, error) : status;
}

strata_status st_collection_blocks_delete(st_txn *writer, uint64_t identity, strata_error *error) {
    uint8_t from[8];
    for (;;) {
        strata_bytes key, value;
        uint8_t copy[12];
        strata_status status =
            st_tree_seek(writer, ST_COLLECTIONS, st_directory_key(from, identity), &key, &value, error);
        if (status < 0) return status;
        if (status == STRATA_NOT_FOUND || key.size > sizeof copy || memcmp(key.data, from, 8) != 0) return STRATA_OK;
        memcpy(copy, key.data, key.size);
        status = st_tree_delete(writer, ST_COLLECTIONS, (strata_bytes){ copy, key.size }, error);
        if (status != STRATA_OK) return status;
    }
}
