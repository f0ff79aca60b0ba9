/* SPDX-License-Identifier: MIT
 *
 * blob.h -- the bytes of overflow values: those that are too long for their row.
 *
 * ON-DISK: the bytes are split into pieces of 256 KiB, kept in the tree of blobs under identity:8 piece:4, both
 * big-endian. The cell has the reference to them: u64 size, u64 identity, little-endian.
 */
#ifndef ST_TABLE_BLOB_H
#define ST_TABLE_BLOB_H

#include "base/buffer.h"
#include "block/overflow.h"
#include "store/handle.h"

enum { ST_BLOB_PIECE = 256 * 1024 };

/** A reference. `identity` is never 0. */
typedef struct st_blob {
    uint64_t size;
    uint64_t identity;
} st_blob;

/** Unpacks a reference, or packs one. */
st_blob st_blob_load(strata_bytes reference);
void st_blob_save(st_blob blob, uint8_t out[ST_REFERENCE]);

/** Stores all bytes of a new one. */
strata_status st_blob_put(st_txn *writer, uint64_t identity, strata_bytes value, strata_error *error);
/** Deletes all pieces of one. */
strata_status st_blob_delete(st_txn *writer, uint64_t identity, strata_error *error);
/** Reads all bytes into `scratch`. Fails: STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_blob_read_all(st_txn *txn, st_blob blob, st_buffer *scratch, strata_bytes *out, strata_error *error);
/** Copies `size` bytes from `offset` on. Fails: STRATA_CORRUPT if a piece is missing or too short. */
strata_status st_blob_read(st_txn *txn, st_blob blob, uint64_t offset, void *out, size_t size, strata_error *error);

#endif
