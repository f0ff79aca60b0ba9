/* SPDX-License-Identifier: MIT
 * collection.c -- reading collections. */
#include "object/collection.h"

#include "base/status.h"
#include "collection/source_search.h"
#include "write/collection_open.h"
#include "write/value_check.h"

strata_status st_collection_in_range(const strata_row *row, const st_column *column, uint64_t position, uint64_t count,
                                     uint64_t size, strata_error *error) {
    if (position <= size && count <= size - position) return STRATA_OK;
    return st_fail(error, STRATA_RANGE, 0, "position %llu is outside of %s.%s of object %llu, which has %llu elements",
                   (unsigned long long)(position > size ? position : position + count - 1),
                   st_row_view(row)->catalog->tables[row->table].name, column->name, (unsigned long long)row->key,
                   (unsigned long long)size);
}

strata_status strata_collection_size(strata_row *row, uint32_t column, uint64_t *out, strata_error *error) {
    st_source s;
    strata_status status = st_source_open(row, column, &s, error);
    *out = status == STRATA_OK ? s.count : 0;
    return status;
}

/* Shows an element, as st_element_show() does; most have nothing to hide. */
static inline bool show(const st_column *column, strata_value *element) {
    bool plain = column->type != STRATA_MIXED && !st_is_overflow(element);
    return plain || st_element_show(column, element, element);
}

/* Reads one element of the collection that was opened last, if that is long and not changed: the fast path of a walk
 * from element to element. False if it is another one, or reading fails. */
static inline bool get_recent(strata_row *row, uint32_t column, uint64_t position, strata_value *out) {
    strata_view *view = st_row_view(row);
    if (!st_is_recent(view, row, column)) return false;
    const st_source *s = &view->caches.recent->source;
    if (s->edit != NULL || position >= s->count) return false;
    const uint8_t *block;
    st_directory *directory;
    if (st_directory_get(view, &s->cell, &directory, NULL) != STRATA_OK) return false;
    uint32_t chunk = st_directory_find(directory, position);
    if (st_directory_block(view, directory, s->column, chunk, &block, NULL) != STRATA_OK) return false;
    st_element_load(s->column, block, st_last_column(s), (uint32_t)(position - directory->starts[chunk]), out);
    return !st_element_has_bytes(s->column) || show(s->column, out);
}

strata_status strata_collection_get(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                    strata_value *out, strata_error *error) {
    st_source s;
    if (count == 1 && row->head != NULL && get_recent(row, column, position, out)) return STRATA_OK;
    strata_status status = st_source_open(row, column, &s, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, s.column, position, count, s.count, error);
    if (status == STRATA_OK) status = st_source_values(&s, st_last_column(&s), position, count, out, error);
    if (status != STRATA_OK || !st_element_has_bytes(s.column)) return status;
    for (uint64_t i = 0; i < count; i++)
        if (!show(s.column, &out[i])) return st_element_damaged(s.column, error);
    return STRATA_OK;
}

strata_status strata_collection_read(strata_row *row, uint32_t column, uint64_t position, size_t offset, void *buffer,
                                     size_t size, size_t *out_size, strata_error *error) {
    st_source s;
    strata_value element;
    *out_size = 0;
    strata_status status = st_source_open(row, column, &s, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, s.column, position, 1, s.count, error);
    if (status == STRATA_OK) status = st_source_values(&s, st_last_column(&s), position, 1, &element, error);
    if (status != STRATA_OK || element.type == STRATA_NULL) return status;
    if (!st_element_has_bytes(s.column))
        return st_fail(error, STRATA_MISUSE, 0, "%s holds neither strings nor data", s.column->name);
    size_t whole = st_element_size(s.column, &element);
    if (offset >= whole) return STRATA_OK;
    if (size > whole - offset) size = whole - offset;
    status = st_element_read(s.view, s.column, s.object, &element, offset, buffer, size, error);
    if (status == STRATA_OK) *out_size = size;
    return status;
}

strata_status strata_collection_find(strata_row *row, uint32_t column, const strata_value *value, uint64_t from,
                                     uint64_t *out_position, strata_error *error) {
    st_source s;
    *out_position = 0;
    strata_status status = st_source_open(row, column, &s, error);
    if (status != STRATA_OK) return status;
    status = st_element_check(&s.view->catalog->tables[row->table], s.column, value, error);
    return status == STRATA_OK ? st_source_find(&s, value, from, out_position, error) : status;
}
