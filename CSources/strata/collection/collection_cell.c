/* SPDX-License-Identifier: MIT
 * collection_cell.c -- the cell that a row has for a collection. */
#include "collection/collection_cell.h"

#include "base/status.h"
#include "table/reference.h"

static strata_status damaged_cell(const st_column *column, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "the %s %s of an object is damaged",
                   st_collection_name(column->collection), column->name);
}

strata_status st_collection_cell_read(const strata_view *view, const st_column *column, const st_row_ref *row,
                                      st_collection_cell *out, strata_error *error) {
    uint32_t entry = strata_block_entry(row->block, column->number);
    strata_bytes bytes;
    *out = (st_collection_cell){ 0 };
    if (!strata_block_bytes(row->block, entry, row->slot, &bytes)) return damaged_cell(column, error);
    if (bytes.size == 0) return STRATA_OK;
    if (strata_block_large(row->block, entry, row->slot)) {
        st_blob found;
        if (!st_reference_open(view, column, row->key, bytes, &found)) return damaged_cell(column, error);
        out->count = found.size;
        out->identity = found.identity;
        return out->count != 0 ? STRATA_OK : damaged_cell(column, error);
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

strata_status st_collection_cell_values(const st_column *column, const st_collection_cell *cell, uint32_t block_column,
                                        uint64_t from, uint64_t count, strata_value *out, strata_error *error) {
    st_packing packing = (st_packing)st_element_field(column, block_column).packing;
    strata_type type = st_element_is_key(column, block_column) ? STRATA_STRING : st_element_type(column);
    if (st_sequence_read(type, packing, cell->sequences[block_column], (size_t)from, (size_t)count, out))
        return STRATA_OK;
    return damaged_cell(column, error);
}

static size_t pack_column(const st_column *column, uint32_t block_column, const strata_value *values, uint64_t count,
                          uint8_t *out, size_t limit) {
    for (uint64_t i = 0; i < count; i++) {
        if (st_is_overflow(&values[i])) return SIZE_MAX; /* a sequence has no overflow values */
    }
    return st_sequence_pack((st_packing)st_element_field(column, block_column).packing, values, (size_t)count, out,
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
