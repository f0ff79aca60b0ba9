/* SPDX-License-Identifier: MIT
 *
 * blob_spares.h -- pieces of blobs that no row needs, until the flush deletes them.
 *
 * LMDB cannot always use a page again that the same transaction wrote and freed. So what becomes too long, or is given
 * up, in a write is not deleted at once: the next value is written over it. However often a value is replaced, the file
 * has room for the longest of them once.
 */
#ifndef ST_WRITE_BLOB_SPARES_H
#define ST_WRITE_BLOB_SPARES_H

#include "store/handle.h"
#include "write/hash_table.h"

/** The pieces of a blob from number `needed` on are spare, if it has them. */
typedef struct st_blob_spare {
    uint64_t identity;
    uint32_t needed;
} st_blob_spare;

/** Zero-initialised it is empty. */
typedef struct st_blob_spares {
    st_blob_spare *blobs;
    size_t count, capacity;
    st_hash_table by_identity; /* positions in `blobs` */
    uint64_t *unused;          /* identities that a value of this write had, and no stored row has */
    size_t unused_count, unused_capacity;
} st_blob_spares;

/** Notes that a blob needs so many pieces only; 0: none. False if there is no memory. */
bool st_blob_spares_cut(st_blob_spares *spares, uint64_t identity, uint32_t needed);
/** Notes that a blob was written with so many pieces, of which some may have been spare. */
void st_blob_spares_used(st_blob_spares *spares, uint64_t identity, uint32_t pieces);
/** Lets an identity be used again, whose blob needs no piece. False if there is no memory. */
bool st_blob_spares_add_unused(st_blob_spares *spares, uint64_t identity);
/** An identity that can be used again, or 0. */
uint64_t st_blob_spares_take_unused(st_blob_spares *spares);
/** Deletes what is spare. Part of the flush. */
strata_status st_blob_spares_flush(st_blob_spares *spares, st_txn *writer, strata_error *error);
void st_blob_spares_free(st_blob_spares *spares);

#endif
