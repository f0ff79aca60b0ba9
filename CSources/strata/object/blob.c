/* SPDX-License-Identifier: MIT
 * blob.c -- strings and data, a part at a time.
 *
 * An overflow value is changed where it is stored. A value that stands in its row, or is going to, is put together and
 * set as a whole: it is short. Columns with an index are refused, so no entry of an index is to be derived from the
 * bytes that are written over. */
#include "strata_blob.h"

#include "base/status.h"
#include "table/cell_value.h"
#include "value/mixed.h"
#include "write/cell_set.h"
#include "write/flush.h"
#include "write/overflow_store.h"
#include "write/value_check.h"

/* ---- Reading ---------------------------------------------------------- */

strata_status strata_blob_size(strata_row *row, uint32_t column, uint64_t *out_size, strata_error *error) {
    strata_value value;
    size_t none;
    *out_size = 0;
    strata_status status = strata_blob_read(row, column, 0, NULL, 0, &none, error); /* checks the column */
    if (status == STRATA_OK) status = strata_row_get(row, column, &value, error);
    if (status == STRATA_OK && value.type != STRATA_NULL) *out_size = value.as.bytes.size;
    return status;
}

strata_status strata_blob_read(strata_row *row, uint32_t column, uint64_t offset, void *buffer, size_t size,
                               size_t *out_size, strata_error *error) {
    strata_view *view = st_row_view(row);
    *out_size = 0;
    strata_status status = st_view_readable(view, error);
    if (status != STRATA_OK) return status;
    const st_column *found = st_view_column(view, row->table, column, error);
    if (found == NULL) return STRATA_MISUSE;
    if (found->type == STRATA_MIXED || (found->collection == STRATA_SINGLE && found->type != STRATA_STRING &&
                                        found->type != STRATA_DATA))
        return st_fail(error, STRATA_MISUSE, 0, "%s holds neither strings nor data only", found->name);
    status = strata_row_ready(row);
    if (status != STRATA_OK || offset > SIZE_MAX) return status;
    return strata_row_read(row, column, (size_t)offset, buffer, size, out_size, error);
}

/* ---- Changing --------------------------------------------------------- */

/* A cell that is being changed. */
typedef struct blob_change {
    strata_view *view;
    strata_row *row;
    const st_table *table;
    uint32_t column;
    st_pending *pending;
    strata_value value; /* of an overflow value only the size */
    st_blob blob;       /* identity 0: the value stands in the row */
    uint64_t size;
} blob_change;

static strata_status check_column(const st_table *table, uint32_t number, strata_error *error) {
    const st_column *column = &table->columns[number];
    if (column->collection != STRATA_SINGLE || (column->type != STRATA_STRING && column->type != STRATA_DATA))
        return st_fail(error, STRATA_MISUSE, 0, "%s.%s is neither a string nor data; set it as a whole", table->name,
                       column->name);
    if (st_table_is_indexed(table, number))
        return st_fail(error, STRATA_MISUSE, 0,
                       "%s.%s has an index, whose entries depend on the whole value; set it as a whole, or take the "
                       "index away", table->name, column->name);
    return STRATA_OK;
}

/* Begins a change. STRATA_OK or STRATA_NOT_FOUND. */
static strata_status begin_change(strata_row *row, uint32_t column, blob_change *c, strata_error *error) {
    *c = (blob_change){ .view = st_row_view(row), .row = row, .column = column };
    strata_status status = st_writes_ready(c->view, error);
    if (status != STRATA_OK) return status;
    if (st_view_column(c->view, row->table, column, error) == NULL) return STRATA_MISUSE;
    c->table = &c->view->catalog->tables[row->table];
    status = check_column(c->table, column, error);
    if (status == STRATA_OK) status = st_writes_edit(c->view, row->table, row->key, &c->pending, error);
    if (status != STRATA_OK) return status;
    st_row_ref at = { c->pending->block, 0, row->key };
    status = st_cell_read(c->view, c->table, column, &at, &c->value, &c->blob, error);
    if (status == STRATA_OK && c->value.type != STRATA_NULL) c->size = c->value.as.bytes.size;
    return status;
}

static strata_status read_value(const blob_change *c, uint64_t offset, void *out, size_t size, strata_error *error) {
    if (c->blob.identity != 0) return st_blob_read(c->view->txn, c->blob, offset, out, size, error);
    if (size != 0) memcpy(out, (const uint8_t *)c->value.as.bytes.data + offset, size);
    return STRATA_OK;
}

/* A string may be cut in front of its first and behind its last character, and between two of them. */
static strata_status check_bound(const blob_change *c, uint64_t offset, strata_error *error) {
    uint8_t byte;
    const st_column *column = &c->table->columns[c->column];
    if (column->type != STRATA_STRING || offset >= c->size) return STRATA_OK;
    strata_status status = read_value(c, offset, &byte, 1, error);
    if (status != STRATA_OK || (byte & 0xC0) != 0x80) return status;
    return st_fail(error, STRATA_TYPE, 0, "offset %llu of %s.%s of object %llu is inside of a character; change whole "
                   "characters", (unsigned long long)offset, c->table->name, column->name,
                   (unsigned long long)c->row->key);
}

static strata_status check_offset(const blob_change *c, uint64_t offset, strata_error *error) {
    if (offset <= c->size) return STRATA_OK;
    return st_fail(error, STRATA_RANGE, 0, "offset %llu is outside of %s.%s of object %llu, which has %llu bytes",
                   (unsigned long long)offset, c->table->name, c->table->columns[c->column].name,
                   (unsigned long long)c->row->key, (unsigned long long)c->size);
}

static strata_status end_change(const blob_change *c, strata_status status, strata_error *error) {
    if (status != STRATA_OK) return status;
    st_row_ref at = { c->pending->block, 0, c->row->key };
    st_row_point(c->row, c->view, c->row->table, &at);
    st_change_log_note(&c->view->writes->log, STRATA_DELTA_ASSIGN, c->row->table, c->row->key, c->column, 0, 0);
    return st_writes_trim(c->view, error);
}

/* Notes the size that the overflow value has after it was changed where it is stored. */
static strata_status resize(blob_change *c, uint64_t size, strata_status status, strata_error *error) {
    uint8_t reference[ST_REFERENCE];
    st_reference_make(c->view, &c->table->columns[c->column], c->row->key, (st_blob){ size, c->blob.identity },
                      reference);
    st_view_trees_moved(c->view);
    if (status == STRATA_OK)
        status = st_cell_set_bytes(c->view, c->table, c->pending, c->column,
                                   (strata_bytes){ reference, ST_REFERENCE }, true, error);
    if (status != STRATA_OK) st_writes_fail(c->view->writes, status, error);
    return status;
}

static strata_status set_whole(const blob_change *c, const void *bytes, uint64_t size, strata_error *error) {
    strata_value value = strata_data(bytes, (size_t)size);
    value.type = c->table->columns[c->column].type;
    return st_cell_set(c->view, c->table, c->pending, c->column, &value, error);
}

/* Puts the beginning of a value, the bytes and the end of it together. */
static strata_status write_whole(const blob_change *c, uint64_t offset, strata_bytes bytes, uint64_t size,
                                 strata_error *error) {
    st_buffer whole = { 0 };
    if (!st_buffer_reserve(&whole, (size_t)size + 1)) return st_no_memory(error, "changing a value");
    strata_status status = read_value(c, 0, whole.data, (size_t)c->size, error);
    if (bytes.size != 0) memcpy(whole.data + offset, bytes.data, bytes.size);
    if (status == STRATA_OK) status = set_whole(c, whole.data, size, error);
    st_buffer_free(&whole);
    return status;
}

static strata_status write_stored(blob_change *c, uint64_t offset, strata_bytes bytes, uint64_t size,
                                  strata_error *error) {
    uint8_t copy[ST_INLINE_VALUE];
    if (bytes.size != 0 && bytes.size <= sizeof copy) { /* they may be lent by the tree that is about to change */
        memcpy(copy, bytes.data, bytes.size);
        bytes.data = copy;
    }
    st_view_trees_will_move(c->view);
    strata_status status = st_blob_write(c->view->txn, c->blob, offset, bytes, error);
    st_blob_spares_used(&c->view->writes->identities.blobs, c->blob.identity, st_blob_pieces(size));
    return resize(c, size, status, error);
}

static strata_status write_bytes(blob_change *c, uint64_t offset, strata_bytes bytes, strata_error *error) {
    const st_column *column = &c->table->columns[c->column];
    strata_value piece = strata_data(bytes.data, bytes.size);
    piece.type = column->type;
    strata_status status = st_value_check(c->table, column, &piece, error);
    if (status == STRATA_OK) status = check_offset(c, offset, error);
    if (status != STRATA_OK) return status;
    uint64_t end = offset + bytes.size, size = end > c->size ? end : c->size;
    if (size > STRATA_MAX_VALUE)
        return st_fail(error, STRATA_TOO_LARGE, 0,
                       "%s.%s of object %llu would have %llu bytes; the limit is %d bytes (16 MiB): go on in another "
                       "object", c->table->name, column->name, (unsigned long long)c->row->key,
                       (unsigned long long)size, STRATA_MAX_VALUE);
    status = check_bound(c, offset, error);
    if (status == STRATA_OK && bytes.size != 0) status = check_bound(c, end, error);
    if (status != STRATA_OK) return status;
    if (c->blob.identity != 0) return write_stored(c, offset, bytes, size, error);
    return write_whole(c, offset, bytes, size, error);
}

strata_status strata_blob_write(strata_row *row, uint32_t column, uint64_t offset, const void *bytes, size_t size,
                                strata_error *error) {
    blob_change c;
    strata_status status = begin_change(row, column, &c, error);
    if (status == STRATA_OK) status = write_bytes(&c, offset, (strata_bytes){ bytes, size }, error);
    return end_change(&c, status, error);
}

strata_status strata_blob_append(strata_row *row, uint32_t column, const void *bytes, size_t size,
                                 strata_error *error) {
    blob_change c;
    strata_status status = begin_change(row, column, &c, error);
    if (status == STRATA_OK) status = write_bytes(&c, c.size, (strata_bytes){ bytes, size }, error);
    return end_change(&c, status, error);
}

static strata_status truncate_value(blob_change *c, uint64_t size, strata_error *error) {
    uint8_t start[ST_INLINE_VALUE];
    strata_status status = check_offset(c, size, error);
    if (status == STRATA_OK) status = check_bound(c, size, error);
    if (status != STRATA_OK || (size == c->size && c->value.type != STRATA_NULL)) return status;
    if (size <= ST_INLINE_VALUE) {
        status = read_value(c, 0, start, (size_t)size, error);
        return status == STRATA_OK ? set_whole(c, start, size, error) : status;
    }
    st_view_trees_will_move(c->view);
    status = st_blob_shorten(c->view->txn, c->blob, size, error);
    if (status == STRATA_OK &&
        !st_blob_spares_cut(&c->view->writes->identities.blobs, c->blob.identity, st_blob_pieces(size)))
        status = st_no_memory(error, "cutting a value");
    return resize(c, size, status, error);
}

strata_status strata_blob_truncate(strata_row *row, uint32_t column, uint64_t size, strata_error *error) {
    blob_change c;
    strata_status status = begin_change(row, column, &c, error);
    if (status == STRATA_OK) status = truncate_value(&c, size, error);
    return end_change(&c, status, error);
}
