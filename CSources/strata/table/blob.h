/* SPDX-License-Identifier: MIT
 *
 * blob.h -- the bytes of overflow values: those that are too long for their row.
 *
 * ON-DISK: the bytes are split into pieces of 4,080 bytes, kept in the tree of blobs under identity:8 piece:4, both
 * big-endian. The cell has a reference to them: see reference.h.
 *
 * A piece fills a page of 4 KiB, beside LMDB's head of the page. So a change in the middle or at the end writes a page
 * or two, a transaction that changes a piece again overwrites the page that it wrote before, and no piece ever needs
 * pages that lie side by side, which a file with holes may not have.
 */
#ifndef ST_TABLE_BLOB_H
#define ST_TABLE_BLOB_H

#include "base/buffer.h"
#include "block/overflow.h"
#include "store/handle.h"

enum { ST_BLOB_PIECE = 4080 };

/** What a reference says. `identity` is never 0. */
typedef struct st_blob {
    uint64_t size;
    uint64_t identity;
} st_blob;

/** How many pieces so many bytes have. */
static inline uint32_t st_blob_pieces(uint64_t size) { return (uint32_t)((size + ST_BLOB_PIECE - 1) / ST_BLOB_PIECE); }

/** Which piece of which blob lies under a key of the tree of blobs. False if no key of a piece looks so. */
bool st_blob_piece(strata_bytes key, uint64_t *out_identity, uint32_t *out_piece);

/** Writes bytes into the blob from `offset` on, which is at most its size. Where they end behind its end, it grows: the
 * caller changes the size in its reference. Of a blob whose size is 0 nothing is read. Fails: STRATA_CORRUPT. */
strata_status st_blob_write(st_txn *writer, st_blob blob, uint64_t offset, strata_bytes bytes, strata_error *error);
/** Shortens the piece that would be the last one of `size` bytes, which are fewer than the blob has. The pieces behind
 * it stay. */
strata_status st_blob_shorten(st_txn *writer, st_blob blob, uint64_t size, strata_error *error);
/** Deletes the pieces from number `from` on. */
strata_status st_blob_cut(st_txn *writer, uint64_t identity, uint32_t from, strata_error *error);
/** Reads all bytes into `scratch`. Fails: STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_blob_read_all(st_txn *txn, st_blob blob, st_buffer *scratch, strata_bytes *out, strata_error *error);
/** Copies `size` bytes from `offset` on. Fails: STRATA_CORRUPT if a piece is missing or has a wrong size. */
strata_status st_blob_read(st_txn *txn, st_blob blob, uint64_t offset, void *out, size_t size, strata_error *error);

#endif
