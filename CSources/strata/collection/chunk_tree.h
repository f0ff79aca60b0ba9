/* SPDX-License-Identifier: MIT
 *
 * chunk_tree.h -- the tree of collections: the chunks of long collections.
 *
 * A long collection is a sequence of chunks, so that no change rewrites more than a few pages of it. Each chunk is
 * stored as one block. Its directory has the numbers of the blocks in the order of the collection.
 *
 * ON-DISK; keys are big-endian, values little-endian:
 *
 *   identity:8              the directory: u8 format = 1, u8 0, u16 0, u32 next block, then per block in the
 *                           order of the collection u32 block, u32 count
 *   identity:8 block:4      one chunk: a block as in strata_row.h, whose row keys count from 1; its columns are
 *                           those of element_column.h
 */
#ifndef ST_COLLECTION_CHUNK_TREE_H
#define ST_COLLECTION_CHUNK_TREE_H

#include "collection/element_column.h"
#include "store/handle.h"

enum { ST_LARGEST_BLOCK = 4096 /* elements of a chunk, when we store it */ };

/** One chunk, as the directory has it: the number of its block, and its elements. */
typedef struct st_stored_chunk {
    uint32_t block;
    uint32_t count;
} st_stored_chunk;

/** The key of a directory. The keys of its blocks begin with it. */
strata_bytes st_directory_key(uint8_t out[8], uint64_t identity);
/** Fails with STRATA_CORRUPT, naming the collection. */
strata_status st_collection_damaged(uint64_t identity, strata_error *error);

/** The block of a chunk, checked. Fails: STRATA_CORRUPT. */
strata_status st_collection_block(st_txn *txn, uint64_t identity, const st_column *column, st_stored_chunk chunk,
                                  const uint8_t **out, strata_error *error);
strata_status st_collection_block_put(st_txn *writer, uint64_t identity, uint32_t block, strata_bytes value,
                                      strata_error *error);
strata_status st_collection_block_delete(st_txn *writer, uint64_t identity, uint32_t block, strata_error *error);
/** Deletes the directory and all blocks. */
strata_status st_collection_blocks_delete(st_txn *writer, uint64_t identity, strata_error *error);

#endif
