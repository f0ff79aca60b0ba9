/* SPDX-License-Identifier: MIT
 *
 * blob.h -- values too large for a row.
 *
 * ON-DISK: a value is cut into chunks of 256 KiB, kept in the tree of blobs under identity:8 chunk:4, both
 * big-endian. The cell holds its reference: u64 size, u64 identity, little-endian.
 */
#ifndef ST_TABLE_BLOB_H
#define ST_TABLE_BLOB_H

#include "base/buffer.h"
#include "block/block.h"
#include "store/handle.h"

enum { ST_BLOB_CHUNK = 256 * 1024 };

typedef struct st_blob {
    uint64_t size;
    uint64_t identity;
} st_blob;

/** Reads a reference out of a large cell, or packs one. */
st_blob st_blob_load(strata_bytes reference);
void st_blob_save(st_blob blob, uint8_t out[ST_REFERENCE]);

strata_status st_blob_put(st_txn *writer, uint64_t identity, strata_bytes value, strata_error *error);
strata_status st_blob_delete(st_txn *writer, uint64_t identity, strata_error *error);
/** Reads all bytes into `scratch`. Fails: STRATA_CORRUPT, STRATA_NO_MEMORY. */
strata_status st_blob_read_all(st_txn *txn, st_blob blob, st_buffer *scratch, strata_bytes *out, strata_error *error);
/** Copies `size` bytes from `offset` on. Fails: STRATA_CORRUPT if a chunk is missing or has another size. */
strata_status st_blob_read(st_txn *txn, st_blob blob, uint64_t offset, void *out, size_t size, strata_error *error);

#endif
