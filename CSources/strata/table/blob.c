/* SPDX-License-Identifier: MIT
 * blob.c -- the bytes of overflow values. */
#include "table/blob.h"

#include "base/bits.h"
#include "base/buffer.h"
#include "base/status.h"
#include "store/tree.h"

static strata_bytes piece_key(uint8_t out[12], uint64_t identity, uint64_t piece) {
    st_store_big64(out, identity);
    st_store_big32(out + 8, (uint32_t)piece);
    return (strata_bytes){ out, 12 };
}

bool st_blob_piece(strata_bytes key, uint64_t *out_identity, uint32_t *out_piece) {
    bool is_piece = key.size == 12;
    *out_identity = is_piece ? st_load_big64(key.data) : 0;
    *out_piece = is_piece ? st_load_big32((const uint8_t *)key.data + 8) : 0;
    return is_piece;
}

/* The size that a piece has. One of another size is that of another value. */
static size_t piece_size(st_blob blob, uint64_t piece) {
    uint64_t begin = piece * ST_BLOB_PIECE, rest = blob.size > begin ? blob.size - begin : 0;
    return rest < ST_BLOB_PIECE ? (size_t)rest : ST_BLOB_PIECE;
}

strata_status st_blob_write(st_txn *writer, st_blob blob, uint64_t offset, strata_bytes bytes, strata_error *error) {
    uint8_t key[12], merged[ST_BLOB_PIECE];
    const uint8_t *from = bytes.data;
    for (size_t left = bytes.size; left > 0;) {
        uint64_t piece = offset / ST_BLOB_PIECE, begin = piece * ST_BLOB_PIECE, old = 0;
        size_t skip = (size_t)(offset - begin), count = ST_BLOB_PIECE - skip < left ? ST_BLOB_PIECE - skip : left;
        if (blob.size > begin) old = blob.size - begin < ST_BLOB_PIECE ? blob.size - begin : ST_BLOB_PIECE;
        strata_bytes whole = { from, count };
        strata_status status = STRATA_OK;
        if (skip != 0 || count < old) { /* some of the old bytes stay */
            size_t size = skip + count > old ? skip + count : (size_t)old;
            status = st_blob_read(writer, blob, begin, merged, (size_t)old, error);
            memcpy(merged + skip, from, count);
            whole = (strata_bytes){ merged, size };
        }
        if (status == STRATA_OK)
            status = st_tree_put(writer, ST_BLOBS, piece_key(key, blob.identity, piece), whole, error);
        if (status != STRATA_OK) return status;
        from += count;
        offset += count;
        left -= count;
    }
    return STRATA_OK;
}

strata_status st_blob_shorten(st_txn *writer, st_blob blob, uint64_t size, strata_error *error) {
    uint8_t key[12], bytes[ST_BLOB_PIECE];
    uint64_t piece = size / ST_BLOB_PIECE;
    size_t rest = (size_t)(size % ST_BLOB_PIECE);
    if (rest == 0) return STRATA_OK;
    strata_status status = st_blob_read(writer, blob, piece * ST_BLOB_PIECE, bytes, rest, error);
    if (status != STRATA_OK) return status;
    return st_tree_put(writer, ST_BLOBS, piece_key(key, blob.identity, piece), (strata_bytes){ bytes, rest }, error);
}

strata_status st_blob_cut(st_txn *writer, uint64_t identity, uint32_t from, strata_error *error) {
    uint8_t key[12];
    for (uint64_t piece = from;; piece++) {
        strata_status status = st_tree_delete(writer, ST_BLOBS, piece_key(key, identity, piece), error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
    }
}

strata_status st_blob_read(st_txn *txn, st_blob blob, uint64_t offset, void *out, size_t size, strata_error *error) {
    uint8_t key[12], *to = out;
    while (size > 0) {
        uint64_t piece = offset / ST_BLOB_PIECE;
        size_t skip = (size_t)(offset % ST_BLOB_PIECE);
        strata_bytes bytes;
        strata_status status = st_tree_get(txn, ST_BLOBS, piece_key(key, blob.identity, piece), &bytes, error);
        if (status < 0) return status;
        if (status == STRATA_NOT_FOUND || bytes.size != piece_size(blob, piece) || bytes.size <= skip)
            return st_fail(error, STRATA_CORRUPT, 0, "piece %llu of the large value %llu is missing or damaged",
                           (unsigned long long)piece, (unsigned long long)blob.identity);
        size_t count = bytes.size - skip < size ? bytes.size - skip : size;
        memcpy(to, (const uint8_t *)bytes.data + skip, count);
        to += count;
        offset += count;
        size -= count;
    }
    return STRATA_OK;
}

strata_status st_blob_read_all(st_txn *txn, st_blob blob, st_buffer *scratch, strata_bytes *out, strata_error *error) {
    scratch->size = 0;
    if (!st_buffer_reserve(scratch, (size_t)blob.size)) return st_no_memory(error, "reading a large value");
    *out = (strata_bytes){ scratch->data, (size_t)blob.size };
    return st_blob_read(txn, blob, 0, scratch->data, out->size, error);
}
