/* SPDX-License-Identifier: MIT
 * blob.c -- values too large for a row. */
#include "table/blob.h"

#include "base/bits.h"
#include "base/buffer.h"
#include "base/status.h"
#include "store/tree.h"

static strata_bytes chunk_key(uint8_t out[12], uint64_t identity, uint64_t chunk) {
    st_store_big64(out, identity);
    st_store_big32(out + 8, (uint32_t)chunk);
    return (strata_bytes){ out, 12 };
}

st_blob st_blob_load(strata_bytes reference) {
    const uint8_t *p = reference.data;
    return (st_blob){ strata_load64(p), strata_load64(p + 8) };
}

void st_blob_save(st_blob blob, uint8_t out[ST_REFERENCE]) {
    st_store64(out, blob.size);
    st_store64(out + 8, blob.identity);
}

strata_status st_blob_put(st_txn *writer, uint64_t identity, strata_bytes value, strata_error *error) {
    uint8_t key[12];
    for (size_t at = 0; at < value.size; at += ST_BLOB_CHUNK) {
        size_t size = value.size - at < ST_BLOB_CHUNK ? value.size - at : ST_BLOB_CHUNK;
        strata_bytes chunk = { (const uint8_t *)value.data + at, size };
        strata_status status =
            st_tree_put(writer, ST_BLOBS, chunk_key(key, identity, at / ST_BLOB_CHUNK), chunk, error);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

strata_status st_blob_delete(st_txn *writer, uint64_t identity, strata_error *error) {
    uint8_t key[12];
    for (uint64_t chunk = 0;; chunk++) {
        strata_status status = st_tree_delete(writer, ST_BLOBS, chunk_key(key, identity, chunk), error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
    }
}

strata_status st_blob_read(st_txn *txn, st_blob blob, uint64_t offset, void *out, size_t size, strata_error *error) {
    uint8_t key[12], *to = out;
    while (size > 0) {
        uint64_t chunk = offset / ST_BLOB_CHUNK;
        size_t skip = (size_t)(offset % ST_BLOB_CHUNK);
        strata_bytes bytes;
        strata_status status = st_tree_get(txn, ST_BLOBS, chunk_key(key, blob.identity, chunk), &bytes, error);
        if (status < 0) return status;
        if (status == STRATA_NOT_FOUND || bytes.size > ST_BLOB_CHUNK || bytes.size <= skip)
            return st_fail(error, STRATA_CORRUPT, 0, "chunk %llu of the large value %llu is missing or damaged",
                           (unsigned long long)chunk, (unsigned long long)blob.identity);
        size_t part = bytes.size - skip < size ? bytes.size - skip : size;
        memcpy(to, (const uint8_t *)bytes.data + skip, part);
        to += part;
        offset += part;
        size -= part;
    }
    return STRATA_OK;
}

strata_status st_blob_read_all(st_txn *txn, st_blob blob, st_buffer *scratch, strata_bytes *out, strata_error *error) {
    scratch->size = 0;
    if (!st_buffer_reserve(scratch, (size_t)blob.size)) return st_no_memory(error, "reading a large value");
    *out = (strata_bytes){ scratch->data, (size_t)blob.size };
    return st_blob_read(txn, blob, 0, scratch->data, out->size, error);
}
