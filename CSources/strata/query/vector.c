/* SPDX-License-Identifier: MIT
 * vector.c -- finds one column in a block. */
#include "query/vector.h"

static bool width_fits(st_packing packing, uint32_t width) {
    switch (packing) {
    case ST_PACK_SIGNED:
    case ST_PACK_UNSIGNED: return width == 1 || width == 2 || width == 4 || width == 8;
    case ST_PACK_BYTES: return width == 2 || width == 4;
    case ST_PACK_FLOAT:
    case ST_PACK_DOUBLE:
    case ST_PACK_16:
    case ST_PACK_12: return width == st_packing_size(packing);
    case ST_PACK_NONE: break;
    }
    return false;
}

bool st_vector_open(const uint8_t *block, size_t size, st_field field, uint32_t column, st_vector *out) {
    uint32_t entry = strata_block_entry(block, column), rows = strata_block_rows(block);
    *out = (st_vector){ .block = block, .size = size, .rows = rows, .packing = (st_packing)field.packing,
                        .nullable = field.nullable };
    if (entry == 0) return true;
    uint32_t flags = strata_entry_flags(entry);
    size_t offset = strata_entry_offset(entry), bitmap = (rows + 7) / 8;
    size_t cells = field.packing == ST_PACK_BYTES ? (size_t)rows + 1 : rows;
    out->width = strata_entry_width(entry);
    if (!width_fits(out->packing, out->width) || offset + cells * out->width > size || offset < 2 * bitmap) {
        return false;
    }
    out->values = block + offset;
    const uint8_t *before = out->values;
    if ((flags & STRATA_ENTRY_NULLS) != 0) before = out->nulls = before - bitmap;
    if ((flags & STRATA_ENTRY_LARGE) != 0) out->large = before - bitmap;
    return true;
}
