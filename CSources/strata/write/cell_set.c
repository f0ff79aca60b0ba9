/* SPDX-License-Identifier: MIT
 * cell_set.c -- single values of rows: checking, reading, changing. */
#include "base/status.h"
#include "base/utf8.h"
#include "value/mixed.h"
#include "table/blob.h"
#include "write/identity.h"
#include "write/write_set.h"

/* ---- Checking --------------------------------------------------------- */

static strata_status check_mixed(const st_table *table, const st_column *column, const strata_value *value,
                                 strata_error *error) {
    const char *flaw = st_mixed_flaw(value, UINT32_MAX); /* whether links lead anywhere is looked at elsewhere */
    if (flaw == NULL) return STRATA_OK;
    return st_fail(error, STRATA_TYPE, 0, "%s.%s cannot hold a value that %s", table->name, column->name, flaw);
}

strata_status st_value_check(const st_table *table, const st_column *column, const strata_value *value,
                             strata_error *error) {
    if (column->collection == STRATA_SINGLE) return st_element_check(table, column, value, error);
    if (value->type == STRATA_NULL) return STRATA_OK;
    return st_fail(error, STRATA_TYPE, 0, "%s.%s is a %s; it is changed by the functions for collections", table->name,
                   column->name, st_collection_name(column->collection));
}

strata_status st_element_check(const st_table *table, const st_column *column, const strata_value *value,
                               strata_error *error) {
    if (value->type == STRATA_NULL) {
        bool sequence = column->collection == STRATA_LIST || column->collection == STRATA_SET;
        if ((column->flags & STRATA_COLUMN_NULLABLE) != 0 || (column->type == STRATA_LINK && !sequence))
            return STRATA_OK;
        return st_fail(error, STRATA_TYPE, 0, "%s.%s is required and cannot be null", table->name, column->name);
    }
    if (value->type != column->type && column->type != STRATA_MIXED)
        return st_fail(error, STRATA_TYPE, 0, "%s.%s is of type %s and cannot hold a value of type %s", table->name,
                       column->name, st_type_name(column->type), st_type_name(value->type));
    bool mixed = column->type == STRATA_MIXED;
    if (value->type != STRATA_STRING && value->type != STRATA_DATA && value->type != STRATA_NESTED)
        return mixed ? check_mixed(table, column, value, error) : STRATA_OK;
    strata_bytes bytes = value->as.bytes;
    if (bytes.size > STRATA_MAX_VALUE)
        return st_fail(error, STRATA_TOO_LARGE, 0,
                       "a value of %zu bytes for %s.%s; the limit is %d bytes (16 MiB): split it, or keep it in a file",
                       bytes.size, table->name, column->name, STRATA_MAX_VALUE);
    if (bytes.size != 0 && bytes.data == NULL)
        return st_fail(error, STRATA_MISUSE, 0, "bytes without an address for %s.%s", table->name, column->name);
    if (mixed) return check_mixed(table, column, value, error);
    if (value->type == STRATA_STRING && !st_utf8_valid(bytes.data, bytes.size))
        return st_fail(error, STRATA_TYPE, 0, "a string for %s.%s is not valid UTF-8; store it as data", table->name,
                       column->name);
    return STRATA_OK;
}

/* ---- Reading ---------------------------------------------------------- */

static strata_status damaged(const st_table *table, uint32_t column, const st_row_ref *row, strata_error *error) {
    return st_fail(error, STRATA_CORRUPT, 0, "%s.%s of object %llu is damaged", table->name,
                   table->columns[column].name, (unsigned long long)row->key);
}

/* A value of a mixed column; `*blob` is set if its bytes are elsewhere. False if the cell is damaged. */
static bool mixed_value(const st_row_ref *row, uint32_t entry, strata_value *out, st_blob *blob) {
    strata_bytes cell = strata_block_bytes(row->block, entry, row->slot);
    if (!strata_block_large(row->block, entry, row->slot)) return st_mixed_unpack(cell, out);
    *blob = st_blob_load(cell);
    *out = strata_null();
    strata_type type;
    if (!st_mixed_of_reference(blob->size, &type, &blob->size) || blob->identity == 0) return false;
    out->type = type;
    out->as.bytes = (strata_bytes){ NULL, (size_t)blob->size };
    return true;
}

/* The value without the bytes of a large one, whose `*blob` then has an identity. */
static strata_status cell_value(const st_table *table, uint32_t column, const st_row_ref *row, strata_value *out,
                                st_blob *blob, strata_error *error) {
    strata_type type = table->columns[column].type;
    uint32_t entry = strata_block_entry(row->block, column);
    *out = strata_null();
    *blob = (st_blob){ 0, 0 };
    if (table->fields[column].nullable && strata_block_null(row->block, entry, row->slot)) return STRATA_OK;
    out->type = type;
    switch (type) {
    case STRATA_BOOL: out->as.boolean = strata_block_int(row->block, entry, row->slot) != 0; break;
    case STRATA_INT: out->as.integer = strata_block_int(row->block, entry, row->slot); break;
    case STRATA_FLOAT: out->as.single = strata_block_float(row->block, entry, row->slot); break;
    case STRATA_DOUBLE:
    case STRATA_DATE: out->as.real = strata_block_double(row->block, entry, row->slot); break;
    case STRATA_LINK:
        *out = strata_link(strata_block_link(row->block, entry, row->slot));
        break;
    case STRATA_UUID:
    case STRATA_DECIMAL:
    case STRATA_OBJECT_ID: {
        size_t size = type == STRATA_OBJECT_ID ? 12 : 16;
        if (entry != 0)
            memcpy(out->as.fixed, row->block + strata_entry_offset(entry) + size * (size_t)row->slot, size);
        break;
    }
    case STRATA_STRING:
    case STRATA_DATA:
        out->as.bytes = strata_block_bytes(row->block, entry, row->slot);
        if (!strata_block_large(row->block, entry, row->slot)) break;
        *blob = st_blob_load(out->as.bytes);
        if (blob->size > STRATA_MAX_VALUE || blob->identity == 0)
            return st_fail(error, STRATA_CORRUPT, 0, "%s.%s of object %llu claims %llu bytes", table->name,
                           table->columns[column].name, (unsigned long long)row->key,
                           (unsigned long long)blob->size);
        out->as.bytes = (strata_bytes){ NULL, (size_t)blob->size };
        break;
    case STRATA_MIXED:
        if (!mixed_value(row, entry, out, blob)) return damaged(table, column, row, error);
        break;
    case STRATA_NESTED:
    case STRATA_NULL: break;
    }
    return STRATA_OK;
}

strata_status st_cell_value(strata_view *view, const st_table *table, uint32_t column, const st_row_ref *row,
                            st_buffer *scratch, strata_value *out, strata_error *error) {
    st_blob blob;
    strata_status status = cell_value(table, column, row, out, &blob, error);
    if (status != STRATA_OK || blob.identity == 0) return status;
    scratch->size = 0;
    if (!st_buffer_reserve(scratch, (size_t)blob.size)) return st_no_memory(error, "reading a large value");
    out->as.bytes.data = scratch->data;
    return st_blob_read(view->txn, blob, 0, scratch->data, (size_t)blob.size, error);
}

strata_status strata_row_get(const strata_row *row, uint32_t column, strata_value *out, strata_error *error) {
    const strata_view *view = st_row_view(row);
    *out = strata_null();
    const st_column *found = st_view_column(view, row->table, column, error);
    if (found == NULL) return STRATA_MISUSE;
    if (row->block == NULL) return STRATA_NOT_FOUND;
    if (found->collection != STRATA_SINGLE)
        return st_fail(error, STRATA_MISUSE, 0, "%s is a %s; read it by the functions for collections", found->name,
                       st_collection_name(found->collection));
    st_row_ref at = { row->block, row->slot, row->key };
    st_blob blob;
    return cell_value(&view->catalog->tables[row->table], column, &at, out, &blob, error);
}

strata_status strata_row_read(const strata_row *row, uint32_t column, size_t offset, void *buffer, size_t size,
                              size_t *out_size, strata_error *error) {
    strata_view *view = st_row_view(row);
    *out_size = 0;
    const st_column *found = st_view_column(view, row->table, column, error);
    if (found == NULL) return STRATA_MISUSE;
    bool bytes = found->type == STRATA_STRING || found->type == STRATA_DATA || found->type == STRATA_MIXED;
    if (found->collection != STRATA_SINGLE || !bytes)
        return st_fail(error, STRATA_MISUSE, 0, "%s holds neither a string nor data", found->name);
    if (row->block == NULL) return STRATA_NOT_FOUND;
    st_row_ref at = { row->block, row->slot, row->key };
    strata_value value;
    st_blob blob;
    strata_status status = cell_value(&view->catalog->tables[row->table], column, &at, &value, &blob, error);
    if (status != STRATA_OK) return status;
    if (value.type != STRATA_STRING && value.type != STRATA_DATA && value.type != STRATA_NESTED) return STRATA_OK;
    if (offset >= value.as.bytes.size) return STRATA_OK;
    size_t left = value.as.bytes.size - offset;
    if (size > left) size = left;
    if (blob.identity != 0) status = st_blob_read(view->txn, blob, offset, buffer, size, error);
    else if (size != 0) memcpy(buffer, (const uint8_t *)value.as.bytes.data + offset, size);
    if (status == STRATA_OK) *out_size = size;
    return status;
}

/* ---- Changing --------------------------------------------------------- */

strata_status st_bytes_store(strata_view *view, strata_bytes bytes, st_blob *out, strata_error *error) {
    out->size = bytes.size;
    strata_status status = st_identity_take(view, &out->identity, error);
    if (status == STRATA_OK) status = st_blob_put(view->txn, out->identity, bytes, error);
    st_view_trees_moved(view);
    if (status != STRATA_OK) view->writes->failed = true;
    return status;
}

/* The bytes to keep in the row: the value's own, or a reference to where it has just been put. */
static strata_status place_bytes(strata_view *view, strata_bytes value, uint8_t reference[ST_REFERENCE],
                                 strata_bytes *out, bool *large, strata_error *error) {
    st_blob blob;
    *large = value.size > ST_INLINE_VALUE;
    *out = value;
    if (!*large) return STRATA_OK;
    strata_status status = st_bytes_store(view, value, &blob, error);
    if (status != STRATA_OK) return status;
    st_blob_save(blob, reference);
    *out = (strata_bytes){ reference, ST_REFERENCE };
    return STRATA_OK;
}

/* The same for a value of a mixed column, packed into `cell`. */
static strata_status place_mixed(strata_view *view, const strata_value *value, uint8_t cell[ST_INLINE_VALUE],
                                 strata_bytes *out, bool *large, strata_error *error) {
    size_t size = st_mixed_size(value);
    *large = size > ST_INLINE_VALUE;
    *out = (strata_bytes){ cell, *large ? ST_REFERENCE : size };
    if (!*large) {
        st_mixed_pack(value, cell);
        return STRATA_OK;
    }
    strata_bytes bytes = value->as.bytes;
    if (bytes.size <= ST_INLINE_VALUE) { /* short enough to be lent by the tree that is about to change */
        memcpy(cell, bytes.data, bytes.size);
        bytes.data = cell;
    }
    st_blob blob;
    strata_status status = st_bytes_store(view, bytes, &blob, error);
    if (status != STRATA_OK) return status;
    blob.size = st_mixed_reference(value->type, blob.size);
    st_blob_save(blob, cell);
    return STRATA_OK;
}

static strata_status set_bytes(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                               const strata_value *value, strata_error *error) {
    uint8_t cell[ST_INLINE_VALUE];
    bool large = false;
    strata_bytes bytes = { NULL, 0 };
    strata_status status = STRATA_OK;
    if (value->type != STRATA_NULL && table->columns[column].type == STRATA_MIXED)
        status = place_mixed(view, value, cell, &bytes, &large, error);
    else if (value->type != STRATA_NULL)
        status = place_bytes(view, value->as.bytes, cell, &bytes, &large, error);
    if (status != STRATA_OK) return status;
    st_row_ref row = { pending->block, 0, pending->key };
    status = st_cell_drop(view, table, &row, column, error);
    if (status == STRATA_OK) status = st_pending_set_bytes(view, table, pending, column, bytes, large, error);
    /* The old value is given up already, or the new one belongs to nobody. */
    if (status != STRATA_OK) view->writes->failed = true;
    return status;
}

strata_status st_cell_drop(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                           strata_error *error) {
    uint32_t entry = strata_block_entry(row->block, column);
    if (table->fields[column].packing != ST_PACK_BYTES || !strata_block_large(row->block, entry, row->slot))
        return STRATA_OK;
    uint64_t identity = st_blob_load(strata_block_bytes(row->block, entry, row->slot)).identity;
    bool list = table->columns[column].collection != STRATA_SINGLE;
    return st_identity_drop(view->writes, identity, list, error);
}

strata_status st_pending_set(strata_view *view, const st_table *table, st_pending *pending, uint32_t column,
                             const strata_value *value, strata_error *error) {
    strata_type type = table->columns[column].type;
    bool nullable = table->fields[column].nullable;
    uint8_t *cell = pending->block + strata_entry_offset(strata_block_entry(pending->block, column));
    int64_t number = 0;
    if (value->type == STRATA_NULL && type != STRATA_LINK) {
        if (table->fields[column].packing != ST_PACK_BYTES) {
            cell[-1] = 1;
            return STRATA_OK;
        }
        strata_status status = set_bytes(view, table, pending, column, value, error);
        if (status == STRATA_OK)
            pending->block[strata_entry_offset(strata_block_entry(pending->block, column)) - 1] = 1;
        return status;
    }
    if (table->fields[column].packing == ST_PACK_BYTES) return set_bytes(view, table, pending, column, value, error);
    if (nullable) cell[-1] = 0;
    switch (type) {
    case STRATA_BOOL: number = value->as.boolean; memcpy(cell, &number, 8); break;
    case STRATA_INT: memcpy(cell, &value->as.integer, 8); break;
    case STRATA_FLOAT: memcpy(cell, &value->as.single, 4); break;
    case STRATA_DOUBLE:
    case STRATA_DATE: memcpy(cell, &value->as.real, 8); break;
    case STRATA_UUID:
    case STRATA_DECIMAL: memcpy(cell, value->as.fixed, 16); break;
    case STRATA_OBJECT_ID: memcpy(cell, value->as.fixed, 12); break;
    case STRATA_LINK: st_store64(cell, value->type == STRATA_NULL ? 0 : value->as.link); break;
    case STRATA_STRING:
    case STRATA_DATA:
    case STRATA_MIXED:
    case STRATA_NESTED:
    case STRATA_NULL: break;
    }
    return STRATA_OK;
}

/* Logs the change of a to-one link; the target must exist. */
static strata_status relink(strata_view *view, const st_column *column, const st_pending *pending, uint32_t number,
                            const strata_value *value, strata_error *error) {
    uint64_t before = strata_block_link(pending->block, strata_block_entry(pending->block, number), 0);
    uint64_t after = value->type == STRATA_NULL ? 0 : value->as.link;
    if (before == after) return STRATA_OK;
    strata_status status = STRATA_OK;
    if (after != 0) status = st_links_log(view, column, after, pending->key, true, error);
    if (status == STRATA_OK && before != 0) status = st_links_log(view, column, before, pending->key, false, error);
    return status;
}

strata_status st_mixed_release(strata_view *view, const st_table *table, const st_row_ref *row, uint32_t column,
                               strata_error *error) {
    strata_value value;
    st_blob blob;
    strata_status status = cell_value(table, column, row, &value, &blob, error);
    if (status != STRATA_OK || (value.type != STRATA_LINK && value.type != STRATA_NESTED)) return status;
    status = st_cell_value(view, table, column, row, &view->writes->scratch, &value, error);
    if (status != STRATA_OK) return status;
    return st_links_log_value(view, &table->columns[column], &value, row->key, false, error);
}

/* The number that a single cell holds for a value; false if it holds another thing, or an index needs the rest of the
 * row, too. */
static bool plain_number(const st_table *table, uint32_t column, const strata_value *value, uint64_t *out) {
    *out = 0;
    switch (value->type) {
    case STRATA_BOOL: *out = value->as.boolean; break;
    case STRATA_INT: *out = (uint64_t)value->as.integer; break;
    case STRATA_DOUBLE:
    case STRATA_DATE: memcpy(out, &value->as.real, 8); break;
    case STRATA_FLOAT: memcpy(out, &value->as.single, 4); break;
    default: return false;
    }
    for (uint32_t i = 0; i < table->index_count; i++) {
        const st_index *index = &table->indexes[i];
        for (uint32_t j = 0; index->column_count > 1 && j < index->column_count; j++)
            if (index->columns[j] == column) return false;
    }
    return table->columns[column].type != STRATA_MIXED;
}

/* Changes the cell in a pending copy of the row. */
static strata_status set_pending(strata_view *view, strata_row *row, const st_table *table, uint32_t number,
                                 const strata_value *value, strata_error *error) {
    const st_column *column = &table->columns[number];
    st_pending *pending;
    strata_status status = st_writes_edit(view, row->table, row->key, &pending, error);
    if (status != STRATA_OK) return status;
    st_row_ref at = { pending->block, 0, pending->key };
    if (column->type == STRATA_LINK) status = relink(view, column, pending, number, value, error);
    if (column->type == STRATA_MIXED) {
        status = st_mixed_release(view, table, &at, number, error);
        if (status == STRATA_OK) status = st_links_log_value(view, column, value, pending->key, true, error);
        if (status != STRATA_OK) view->writes->failed = true; /* what is logged no longer agrees with the row */
    }
    if (status == STRATA_OK) status = st_pending_set(view, table, pending, number, value, error);
    if (status != STRATA_OK) return status;
    at.block = pending->block; /* it may have moved */
    st_row_point(row, view, row->table, &at);
    return STRATA_OK;
}

strata_status strata_row_set(strata_row *row, uint32_t column, const strata_value *value, strata_error *error) {
    strata_view *view = st_row_view(row);
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    const st_column *found = st_view_column(view, row->table, column, error);
    if (found == NULL) return STRATA_MISUSE;
    const st_table *table = &view->catalog->tables[row->table];
    status = st_value_check(table, found, value, error);
    if (status != STRATA_OK) return status;
    if (found->collection != STRATA_SINGLE)
        return st_fail(error, STRATA_MISUSE, 0, "%s.%s is a %s; it is changed by the functions for collections",
                       table->name, found->name, st_collection_name(found->collection));
    if ((found->flags & STRATA_COLUMN_PRIMARY) != 0)
        return st_fail(error, STRATA_MISUSE, 0, "%s.%s is the primary key and never changes; create another object",
                       table->name, found->name);
    status = st_link_targets_check(view, table, found, value, error);
    if (status != STRATA_OK) return status;
    uint64_t number;
    bool noted = false;
    if (plain_number(table, column, value, &number)) status = st_writes_note(view, row, column, number, &noted, error);
    if (status == STRATA_OK && !noted) status = set_pending(view, row, table, column, value, error);
    return status == STRATA_OK ? st_writes_trim(view, error) : status;
}
