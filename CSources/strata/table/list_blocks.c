/* SPDX-License-Identifier: MIT
 * list_blocks.c -- lists as stored. */
#include "table/list_blocks.h"

#include <stdlib.h>

#include "base/status.h"
#include "table/blob.h"

enum { DIRECTORY_FORMAT = 1, DIRECTORY_HEADER = 8, BLOCK_HEADER = STRATA_BLOCK_HEADER + 4 };

/* ---- Cells ------------------------------------------------------------ */

strata_status st_list_cell_read(const st_row_ref *row, uint32_t column, st_list_cell *out, strata_error *error) {
    uint32_t entry = strata_block_entry(row->block, column);
    strata_bytes bytes = strata_block_bytes(row->block, entry, row->slot);
    *out = (st_list_cell){ 0 };
    if (bytes.size == 0) return STRATA_OK;
    const uint8_t *p = bytes.data;
    if (strata_block_large(row->block, entry, row->slot)) {
        st_blob reference = st_blob_load(bytes);
        out->count = reference.size;
        out->identity = reference.identity;
        if (out->count != 0 && out->identity != 0) return STRATA_OK;
        return st_fail(error, STRATA_CORRUPT, 0, "a list of object %llu is damaged", (unsigned long long)row->key);
    }
    out->width = p[0];
    out->elements = p + 1;
    if (p[0] == 1 || p[0] == 2 || p[0] == 4 || p[0] == 8) out->count = (bytes.size - 1) / p[0];
    if (out->count * out->width + 1 != bytes.size)
        return st_fail(error, STRATA_CORRUPT, 0, "a list of object %llu is damaged", (unsigned long long)row->key);
    return STRATA_OK;
}

static uint32_t width_of(const uint64_t *elements, uint64_t count) {
    uint64_t bits = 0;
    for (uint64_t i = 0; i < count; i++) bits |= elements[i];
    return st_width_unsigned(bits);
}

size_t st_list_cell_pack(const uint64_t *elements, uint64_t count, uint8_t *out) {
    if (count == 0 || count >= ST_INLINE_LIST) return 0;
    uint32_t width = width_of(elements, count);
    if (1 + count * width > ST_INLINE_LIST) return 0;
    out[0] = (uint8_t)width;
    for (uint64_t i = 0; i < count; i++) st_store_width(out + 1 + i * width, width, elements[i]);
    return (size_t)(1 + count * width);
}

/* ---- Directories ------------------------------------------------------ */

static strata_bytes directory_key(uint8_t out[8], uint64_t identity) {
    st_store_big64(out, identity);
    return (strata_bytes){ out, 8 };
}

static strata_status damaged(uint64_t identity, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "the list %llu is damaged", (unsigned long long)identity);
}

strata_status st_list_directory(st_txn *txn, const st_list_cell *cell, const uint8_t **out_parts, uint32_t *out_count,
                                uint32_t *out_next, strata_error *error) {
    uint8_t key[8];
    strata_bytes value;
    *out_parts = NULL;
    *out_count = *out_next = 0;
    strata_status status =
        st_tree_get(txn, ST_COLLECTIONS, directory_key(key, cell->identity), &value, error);
    if (status < 0) return status;
    const uint8_t *p = value.data;
    if (status == STRATA_NOT_FOUND || value.size < DIRECTORY_HEADER || value.size % 8 != 0 ||
        p[0] != DIRECTORY_FORMAT)
        return damaged(cell->identity, error);
    uint32_t count = (uint32_t)(value.size / 8 - 1);
    uint32_t next = strata_load32(p + 4);
    uint64_t elements = 0;
    for (uint32_t i = 0; i < count; i++) {
        st_list_part part = st_list_part_at(p + DIRECTORY_HEADER, i);
        if (part.count == 0 || part.count > UINT16_MAX || part.block == 0 || part.block >= next)
            return damaged(cell->identity, error);
        elements += part.count;
    }
    if (elements != cell->count) return damaged(cell->identity, error);
    *out_parts = p + DIRECTORY_HEADER;
    *out_count = count;
    *out_next = next;
    return STRATA_OK;
}

strata_status st_list_directory_put(st_txn *writer, uint64_t identity, const st_list_part *parts, uint32_t count,
                                    uint32_t next, strata_error *error) {
    uint8_t key[8];
    st_buffer value = { 0 };
    if (!st_buffer_reserve(&value, DIRECTORY_HEADER + 8 * (size_t)count))
        return st_no_memory(error, "storing a list");
    memset(value.data, 0, DIRECTORY_HEADER);
    value.data[0] = DIRECTORY_FORMAT;
    st_store32(value.data + 4, next);
    for (uint32_t i = 0; i < count; i++) {
        st_store32(value.data + DIRECTORY_HEADER + 8 * (size_t)i, parts[i].block);
        st_store32(value.data + DIRECTORY_HEADER + 8 * (size_t)i + 4, parts[i].count);
    }
    value.size = DIRECTORY_HEADER + 8 * (size_t)count;
    strata_status status = st_tree_put(writer, ST_COLLECTIONS, directory_key(key, identity),
                                       (strata_bytes){ value.data, value.size }, error);
    st_buffer_free(&value);
    return status;
}

/* ---- Blocks ----------------------------------------------------------- */

uint32_t st_list_block_capacity(const strata_store *store) { return (st_store_block_size(store) - BLOCK_HEADER - 8) / 8; }

static strata_bytes block_key(uint8_t out[12], uint64_t identity, uint32_t block) {
    st_store_big64(out, identity);
    st_store_big32(out + 8, block);
    return (strata_bytes){ out, 12 };
}

strata_status st_list_block(st_txn *txn, uint64_t identity, st_list_part part, const uint8_t **out_block,
                            uint32_t *out_entry, strata_error *error) {
    static const st_field field = { ST_PACK_UNSIGNED, false, true };
    static const st_layout layout = { 1, &field };
    uint8_t key[12];
    strata_bytes value;
    *out_block = NULL;
    *out_entry = 0;
    strata_status status = st_tree_get(txn, ST_COLLECTIONS, block_key(key, identity, part.block), &value, error);
    if (status < 0) return status;
    if (status == STRATA_NOT_FOUND || !st_block_valid(value, &layout) ||
        strata_block_rows(value.data) != part.count || strata_block_entry(value.data, 0) == 0)
        return damaged(identity, error);
    *out_block = value.data;
    *out_entry = strata_block_entry(value.data, 0);
    return STRATA_OK;
}

strata_status st_list_block_put(st_txn *writer, uint64_t identity, uint32_t block, const uint64_t *elements,
                                uint32_t count, strata_error *error) {
    uint32_t width = width_of(elements, count);
    size_t size = BLOCK_HEADER + (size_t)width * count + (width < 8 ? 8 - width : 0);
    uint8_t *value = calloc(1, size), key[12];
    if (value == NULL) return st_no_memory(error, "storing a list");
    value[0] = STRATA_BLOCK_FORMAT;
    st_store16(value + 2, (uint16_t)count);
    st_store16(value + 4, 1);
    st_store64(value + 8, 1);
    st_store32(value + STRATA_BLOCK_HEADER, BLOCK_HEADER | width << 16);
    for (uint32_t i = 0; i < count; i++) st_store_width(value + BLOCK_HEADER + (size_t)i * width, width, elements[i]);
    strata_status status =
        st_tree_put(writer, ST_COLLECTIONS, block_key(key, identity, block), (strata_bytes){ value, size }, error);
    free(value);
    return status;
}

strata_status st_list_block_delete(st_txn *writer, uint64_t identity, uint32_t block, strata_error *error) {
    uint8_t key[12];
    strata_status status = st_tree_delete(writer, ST_COLLECTIONS, block_key(key, identity, block), error);
    return status == STRATA_NOT_FOUND ? damaged(identity, error) : status;
}

strata_status st_list_blocks_delete(st_txn *writer, uint64_t identity, strata_error *error) {
    uint8_t from[8];
    for (;;) {
        strata_bytes key, value;
        uint8_t copy[12];
        strata_status status =
            st_tree_seek(writer, ST_COLLECTIONS, directory_key(from, identity), &key, &value, error);
        if (status < 0) return status;
        if (status == STRATA_NOT_FOUND || key.size > sizeof copy || memcmp(key.data, from, 8) != 0) return STRATA_OK;
        memcpy(copy, key.data, key.size);
        status = st_tree_delete(writer, ST_COLLECTIONS, (strata_bytes){ copy, key.size }, error);
        if (status != STRATA_OK) return status;
    }
}
