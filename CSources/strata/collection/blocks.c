/* SPDX-License-Identifier: MIT
 * blocks.c -- collections as stored. */
#include "collection/blocks.h"

#include <stdlib.h>

#include "base/status.h"
#include "block/block_check.h"
#include "block/block_numbers.h"
#include "store/tree.h"
#include "table/blob.h"

enum { DIRECTORY_FORMAT = 1, DIRECTORY_HEADER = 8, GUIDES = 4 /* entries of the guide for each part, at most */ };

/* ---- Columns of elements ---------------------------------------------- */

static bool is_key(const st_column *column, uint32_t part_column) {
    return column->collection == STRATA_MAP && part_column == 0;
}

st_field st_element_field(const st_column *column, uint32_t part_column) {
    if (is_key(column, part_column)) return st_field_of(STRATA_STRING, STRATA_SINGLE, 0);
    return st_field_of(column->type, STRATA_SINGLE, column->flags);
}

static void load_bytes(strata_type type, const uint8_t *block, uint32_t entry, uint32_t slot, strata_value *out) {
    *out = strata_null();
    out->type = type;
    out->as.bytes = strata_block_bytes(block, entry, slot);
    if (entry != 0 && strata_block_large(block, entry, slot)) out->table = ST_ELSEWHERE;
}

void st_element_load(const st_column *column, const uint8_t *block, uint32_t part_column, uint32_t slot,
                     strata_value *out) {
    uint32_t entry = strata_block_entry(block, part_column);
    if (is_key(column, part_column)) {
        load_bytes(STRATA_STRING, block, entry, slot, out);
        return;
    }
    strata_type type = column->type;
    bool nullable = (column->flags & STRATA_COLUMN_NULLABLE) != 0 && type != STRATA_LINK;
    if (nullable && strata_block_null(block, entry, slot)) {
        *out = strata_null();
        return;
    }
    switch (type) {
    case STRATA_INT: *out = strata_int(strata_block_int(block, entry, slot)); return;
    case STRATA_BOOL: *out = strata_bool(strata_block_int(block, entry, slot) != 0); return;
    case STRATA_LINK: *out = strata_link(strata_block_link(block, entry, slot)); return;
    case STRATA_FLOAT: *out = strata_float(strata_block_float(block, entry, slot)); return;
    case STRATA_DOUBLE:
    case STRATA_DATE:
        *out = strata_double(strata_block_double(block, entry, slot));
        out->type = type;
        return;
    case STRATA_STRING:
    case STRATA_DATA:
    case STRATA_MIXED: load_bytes(st_element_type(column), block, entry, slot, out); return;
    case STRATA_UUID:
    case STRATA_OBJECT_ID:
    case STRATA_DECIMAL: {
        size_t size = type == STRATA_OBJECT_ID ? 12 : 16;
        *out = strata_null();
        out->type = type;
        if (entry != 0) memcpy(out->as.fixed, block + strata_entry_offset(entry) + size * (size_t)slot, size);
        return;
    }
    case STRATA_NULL:
    case STRATA_NESTED: break;
    }
    *out = strata_null();
}

void st_elements_load(const st_column *column, const uint8_t *block, uint32_t part_column, uint32_t slot,
                      uint32_t count, strata_value *out) {
    enum { SOME = 64 };
    uint64_t numbers[SOME];
    if (count < 4 || !st_element_is_number(column, part_column)) {
        for (uint32_t i = 0; i < count; i++) st_element_load(column, block, part_column, slot + i, &out[i]);
        return;
    }
    st_packing packing = (st_packing)st_element_field(column, part_column).packing;
    for (uint32_t done = 0; done < count;) {
        uint32_t some = count - done < SOME ? count - done : SOME;
        st_numbers_load(packing, block, part_column, slot + done, some, numbers);
        for (uint32_t i = 0; i < some; i++) out[done + i] = st_element_of_number(column->type, numbers[i]);
        done += some;
    }
}

/* ---- Cells ------------------------------------------------------------ */

static strata_status damaged_cell(const st_column *column, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "the %s %s of an object is damaged",
                   st_collection_name(column->collection), column->name);
}

strata_status st_collection_cell_read(const st_column *column, const st_row_ref *row, uint32_t number,
                                      st_collection_cell *out, strata_error *error) {
    uint32_t entry = strata_block_entry(row->block, number);
    strata_bytes bytes = strata_block_bytes(row->block, entry, row->slot);
    *out = (st_collection_cell){ 0 };
    if (bytes.size == 0) return STRATA_OK;
    if (strata_block_large(row->block, entry, row->slot)) {
        if (bytes.size != ST_REFERENCE) return damaged_cell(column, error);
        st_blob reference = st_blob_load(bytes);
        out->count = reference.size;
        out->identity = reference.identity;
        return out->count != 0 && out->identity != 0 ? STRATA_OK : damaged_cell(column, error);
    }
    const uint8_t *p = bytes.data;
    out->sequences[0] = bytes;
    if (column->collection == STRATA_MAP) {
        size_t keys = p[0];
        if (keys >= bytes.size) return damaged_cell(column, error);
        out->sequences[0] = (strata_bytes){ p + 1, keys };
        out->sequences[1] = (strata_bytes){ p + 1 + keys, bytes.size - 1 - keys };
        st_packing values = (st_packing)st_element_field(column, 1).packing;
        out->count = st_sequence_count(ST_PACK_BYTES, out->sequences[0]);
        if (st_sequence_count(values, out->sequences[1]) != out->count) return damaged_cell(column, error);
    } else {
        out->count = st_sequence_count((st_packing)st_element_field(column, 0).packing, bytes);
    }
    return out->count == SIZE_MAX ? damaged_cell(column, error) : STRATA_OK;
}

strata_status st_collection_cell_values(const st_column *column, const st_collection_cell *cell, uint32_t part_column,
                                        uint64_t from, uint64_t count, strata_value *out, strata_error *error) {
    st_packing packing = (st_packing)st_element_field(column, part_column).packing;
    strata_type type = is_key(column, part_column) ? STRATA_STRING : st_element_type(column);
    if (st_sequence_read(type, packing, cell->sequences[part_column], (size_t)from, (size_t)count, out))
        return STRATA_OK;
    return damaged_cell(column, error);
}

static size_t pack_column(const st_column *column, uint32_t part_column, const strata_value *values, uint64_t count,
                          uint8_t *out, size_t limit) {
    for (uint64_t i = 0; i < count; i++) {
        if (st_value_is_elsewhere(&values[i])) return SIZE_MAX; /* only blocks can say so */
    }
    return st_sequence_pack((st_packing)st_element_field(column, part_column).packing, values, (size_t)count, out,
                            limit);
}

size_t st_collection_cell_pack(const st_column *column, const strata_value *const *columns, uint64_t count,
                               uint8_t *out) {
    if (count == 0) return 0;
    if (count > ST_SEQUENCE_MAX) return SIZE_MAX;
    if (column->collection != STRATA_MAP) return pack_column(column, 0, columns[0], count, out, ST_SHORT_CELL);
    size_t keys = pack_column(column, 0, columns[0], count, out + 1, UINT8_MAX);
    if (keys == SIZE_MAX) return SIZE_MAX;
    out[0] = (uint8_t)keys;
    size_t values = pack_column(column, 1, columns[1], count, out + 1 + keys, ST_SHORT_CELL - 1 - keys);
    return values == SIZE_MAX ? SIZE_MAX : 1 + keys + values;
}

/* ---- Directories ------------------------------------------------------ */

static strata_bytes directory_key(uint8_t out[8], uint64_t identity) {
    st_store_big64(out, identity);
    return (strata_bytes){ out, 8 };
}

static strata_status damaged(uint64_t identity, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "the collection %llu is damaged", (unsigned long long)identity);
}

/* Room for the parts, for what is known of each, and for the guide, in one piece. */
static bool reserve_parts(struct st_directory *d, size_t count) {
    if (count <= d->capacity) return true;
    size_t capacity = count + count / 4;
    size_t each = sizeof *d->parts + sizeof *d->data + sizeof *d->starts + GUIDES * sizeof *d->guide;
    uint64_t *room = malloc((capacity + 1) * each);
    if (room == NULL) return false;
    free(d->starts);
    d->starts = room;
    d->data = (const uint8_t **)(void *)(d->starts + capacity + 1);
    d->parts = (st_stored_part *)(void *)(d->data + capacity + 1);
    d->guide = (uint32_t *)(void *)(d->parts + capacity + 1);
    d->capacity = capacity;
    return true;
}

static strata_status load(st_txn *txn, const st_collection_cell *cell, struct st_directory *d, strata_error *error) {
    uint8_t key[8];
    strata_bytes value;
    strata_status status = st_tree_get(txn, ST_COLLECTIONS, directory_key(key, cell->identity), &value, error);
    if (status < 0) return status;
    const uint8_t *p = value.data;
    if (status == STRATA_NOT_FOUND || value.size < 2 * DIRECTORY_HEADER || value.size % 8 != 0 ||
        value.size / 8 - 1 > UINT32_MAX || p[0] != DIRECTORY_FORMAT)
        return damaged(cell->identity, error);
    d->part_count = (uint32_t)(value.size / 8 - 1);
    d->next_block = strata_load32(p + 4);
    if (d->next_block == 0) return damaged(cell->identity, error);
    if (!reserve_parts(d, d->part_count)) return st_no_memory(error, "reading a collection");
    uint64_t count = 0;
    bool good = true;
    memcpy(d->parts, p + DIRECTORY_HEADER, d->part_count * sizeof *d->parts);
    memset(d->data, 0, d->part_count * sizeof *d->data);
    for (uint32_t i = 0; i < d->part_count; i++) {
        st_stored_part part = d->parts[i];
        d->starts[i] = count;
        good = good && part.count - 1 < UINT16_MAX && part.block - 1 < d->next_block - 1;
        count += part.count;
    }
    d->starts[d->part_count] = d->count = count;
    d->guide_shift = UINT32_MAX;
    return good && count == cell->count ? STRATA_OK : damaged(cell->identity, error);
}

strata_status st_directory_get(strata_view *view, const st_collection_cell *cell, struct st_directory **out,
                               strata_error *error) {
    struct st_directory *d = view->directory;
    *out = NULL;
    if (d == NULL) {
        d = view->directory = calloc(1, sizeof *d);
        if (d == NULL) return st_no_memory(error, "reading a collection");
    }
    if (d->identity != cell->identity || d->epoch != view->tree_epoch) {
        d->identity = 0;
        strata_status status = load(view->txn, cell, d, error);
        if (status != STRATA_OK) return status;
        d->identity = cell->identity;
        d->epoch = view->tree_epoch;
    }
    *out = d;
    return d->count == cell->count ? STRATA_OK : damaged(cell->identity, error);
}

static void make_guide(struct st_directory *d) {
    uint32_t shift = 0;
    while (d->count >> shift >= (GUIDES - 1) * (uint64_t)d->part_count) shift++;
    uint64_t entries = (d->count >> shift) + 1;
    for (uint32_t i = 0, part = 0; i < entries; i++) {
        while (d->starts[part + 1] <= (uint64_t)i << shift && part + 1 < d->part_count) part++;
        d->guide[i] = part;
    }
    d->guide[entries] = d->part_count - 1;
    d->guide_shift = shift;
}

uint32_t st_directory_find(struct st_directory *d, uint64_t position) {
    if (d->guide_shift == UINT32_MAX) make_guide(d);
    const uint32_t *guide = &d->guide[position >> d->guide_shift];
    uint32_t low = guide[0], high = guide[1];
    while (low < high) { /* most often there are two at most */
        uint32_t middle = low + (high - low + 1) / 2;
        bool right = d->starts[middle] <= position;
        low = right ? middle : low;
        high = right ? high : middle - 1;
    }
    return low;
}

strata_status st_directory_block(strata_view *view, const struct st_directory *directory, const st_column *column,
                                 uint32_t part, const uint8_t **out, strata_error *error) {
    *out = directory->data[part];
    if (*out != NULL) return STRATA_OK;
    strata_status status =
        st_collection_block(view->txn, directory->identity, column, directory->parts[part], out, error);
    if (status == STRATA_OK) directory->data[part] = *out;
    return status;
}

void st_directory_free(struct st_directory *directory) {
    if (directory == NULL) return;
    free(directory->starts);
    free(directory);
}

bool st_directory_begin(st_buffer *directory, size_t parts) {
    if (!st_buffer_reserve(directory, DIRECTORY_HEADER + parts * sizeof(st_stored_part))) return false;
    memset(directory->data, 0, DIRECTORY_HEADER);
    directory->data[0] = DIRECTORY_FORMAT;
    directory->size = DIRECTORY_HEADER;
    return true;
}

strata_status st_directory_put(st_txn *writer, uint64_t identity, st_buffer *directory, uint32_t next_block,
                               strata_error *error) {
    uint8_t key[8];
    st_store32(directory->data + 4, next_block);
    return st_tree_put(writer, ST_COLLECTIONS, directory_key(key, identity),
                       (strata_bytes){ directory->data, directory->size }, error);
}

/* ---- Blocks ----------------------------------------------------------- */

static strata_bytes block_key(uint8_t out[12], uint64_t identity, uint32_t block) {
    st_store_big64(out, identity);
    st_store_big32(out + 8, block);
    return (strata_bytes){ out, 12 };
}

strata_status st_collection_block(st_txn *txn, uint64_t identity, const st_column *column, st_stored_part part,
                                  const uint8_t **out, strata_error *error) {
    st_field fields[2] = { st_element_field(column, 0), st_element_field(column, 1) };
    st_layout layout = { st_element_columns(column), fields };
    uint8_t key[12];
    strata_bytes value;
    *out = NULL;
    strata_status status = st_tree_get(txn, ST_COLLECTIONS, block_key(key, identity, part.block), &value, error);
    if (status < 0) return status;
    if (status == STRATA_NOT_FOUND || !st_block_valid(value, &layout) || strata_block_rows(value.data) != part.count)
        return damaged(identity, error);
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
    return status == STRATA_NOT_FOUND ? damaged(identity, error) : status;
}

strata_status st_collection_blocks_delete(st_txn *writer, uint64_t identity, strata_error *error) {
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
