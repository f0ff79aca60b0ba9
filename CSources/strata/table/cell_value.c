/* SPDX-License-Identifier: MIT
 * cell_value.c -- the value of a cell. */
#include "table/cell_value.h"

#include "base/status.h"
#include "value/mixed.h"

/* ---- Loading ---------------------------------------------------------- */

/* Out of line, so that loading numbers saves no registers. */
__attribute__((noinline)) static void load_bytes(strata_type type, const uint8_t *block, uint32_t entry, uint32_t slot,
                                                 strata_value *out) {
    *out = strata_null();
    out->type = type;
    bool sound = strata_block_bytes(block, entry, slot, &out->as.bytes);
    /* A damaged cell is marked like a reference, which it is too short for. */
    if (entry != 0 && (!sound || strata_block_large(block, entry, slot))) st_mark_overflow(out);
}

void st_value_load(strata_type type, bool nullable, const uint8_t *block, uint32_t entry, uint32_t slot,
                   strata_value *out) {
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
    case STRATA_DATA: load_bytes(type, block, entry, slot, out); return;
    case STRATA_MIXED: load_bytes(STRATA_DATA, block, entry, slot, out); return;
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

/* ---- Opening ---------------------------------------------------------- */

static bool damaged(strata_value *out) {
    *out = strata_null();
    return false;
}

bool st_value_open(strata_type type, const strata_value *loaded, strata_value *out) {
    if (!st_is_overflow(loaded)) {
        *out = *loaded;
        if (type != STRATA_MIXED || loaded->type == STRATA_NULL) return true;
        return st_mixed_unpack(loaded->as.bytes, out) || damaged(out);
    }
    if (loaded->as.bytes.size != ST_REFERENCE) return damaged(out);
    uint64_t size = st_reference_size(loaded->as.bytes);
    *out = *loaded; /* marked as the interface marks it, too */
    if (type == STRATA_MIXED && !st_mixed_of_reference(size, &out->type, &size)) return damaged(out);
    if (size > STRATA_MAX_VALUE) return damaged(out);
    out->as.bytes = (strata_bytes){ NULL, (size_t)size };
    return true;
}

bool st_value_open_at(const strata_view *view, const st_column *column, uint64_t object, const strata_value *loaded,
                      strata_value *out, st_blob *blob) {
    bool overflow = st_is_overflow(loaded);
    strata_bytes reference = loaded->as.bytes;
    *blob = (st_blob){ 0, 0 };
    if (!st_value_open(column->type, loaded, out)) return false;
    if (!overflow) return true;
    if (!st_reference_open(view, column, object, reference, blob)) return damaged(out);
    blob->size = out->as.bytes.size; /* without the type of a mixed value */
    return true;
}

/* ---- Cells ------------------------------------------------------------ */

strata_status st_cell_damaged(const st_table *table, uint32_t column, uint64_t object, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "%s.%s of object %llu is damaged", table->name,
                   table->columns[column].name, (unsigned long long)object);
}

strata_status st_cell_read(const strata_view *view, const st_table *table, uint32_t column, const st_row_ref *row,
                           strata_value *out, st_blob *blob, strata_error *error) {
    const st_column *found = &table->columns[column];
    uint32_t entry = strata_block_entry(row->block, column);
    st_value_load(found->type, table->fields[column].nullable, row->block, entry, row->slot, out);
    if (st_value_open_at(view, found, row->key, out, out, blob)) return STRATA_OK;
    return st_cell_damaged(table, column, row->key, error);
}

strata_status st_cell_value(strata_view *view, const st_table *table, uint32_t column, const st_row_ref *row,
                            st_buffer *scratch, strata_value *out, strata_error *error) {
    st_blob blob;
    strata_status status = st_cell_read(view, table, column, row, out, &blob, error);
    if (status != STRATA_OK || blob.identity == 0) return status;
    return st_blob_read_all(view->txn, blob, scratch, &out->as.bytes, error);
}
