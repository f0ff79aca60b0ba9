/* SPDX-License-Identifier: MIT
 *
 * blob_spares.h -- pieces of blobs that no row needs, until the end of the write.
 *
 * LMDB cannot always use a page again that the same transaction wrote and freed: not in the first write of a file, and
 * not while an old snapshot holds the pages that were free before. So what becomes too long, or is given up, in a write
 * is deleted only when the write ends; until then other values are written over it. However often values are replaced,
 * the file has room for about the longest of them. Whoever reads the tree of blobs before that, entry by entry, finds
 * them there, and leaves them out.
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

typedef struct st_identity_stack {
    uint64_t *items;
    size_t count, capacity;
} st_identity_stack;

/** Zero-initialised it is empty. */
typedef struct st_blob_spares {
    st_blob_spare *blobs;
    size_t count, capacity;
    st_hash_table by_identity; /* positions in `blobs` */
    st_identity_stack unused;  /* of those that need no piece: no stored row has them, so they can be used again */
    st_identity_stack waiting; /* of those that need no piece: a stored row may have them until the next flush */
} st_blob_spares;

/** Notes that a blob needs so many pieces only; 0: none. False if there is no memory. */
bool st_blob_spares_cut(st_blob_spares *spares, uint64_t identity, uint32_t needed);
/** Notes that a blob was written with so many pieces, of which some may have been spare. */
void st_blob_spares_used(st_blob_spares *spares, uint64_t identity, uint32_t pieces);
/** Notes that a blob needs no piece. Its identity can be used again; if `stored`, from the next flush on. False if
 * there is no memory. */
bool st_blob_spares_drop(st_blob_spares *spares, uint64_t identity, bool stored);
/** Whether a piece is spare: no row needs it, if all rows are stored. */
bool st_blob_spares_has(const st_blob_spares *spares, uint64_t identity, uint32_t piece);
/** An identity that can be used again, or 0. */
uint64_t st_blob_spares_take(st_blob_spares *spares);
/** Rows were flushed: what waited can be used again. False if there is no memory. */
bool st_blob_spares_flushed(st_blob_spares *spares);
/** Deletes what is spare, at the end of the write. */
strata_status st_blob_spares_delete(st_blob_spares *spares, st_txn *writer, strata_error *error);
void st_blob_spares_free(st_blob_spares *spares);

#endif
