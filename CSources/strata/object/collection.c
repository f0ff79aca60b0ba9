/* SPDX-License-Identifier: MIT
 * collection.c -- reading collections, as stored or as changed. */
#include "collection/source.h"

#include <stdlib.h>

#include "base/status.h"
#include "table/blob.h"
#include "collection/edit.h"
#include "write/identity.h"

strata_status st_collection_column(const strata_row *row, uint32_t column, strata_collection kind,
                                   const st_column **out, strata_error *error) {
    const strata_view *view = st_row_view(row);
    const st_column *found = st_view_column(view, row->table, column, error);
    *out = found;
    if (found == NULL) return STRATA_MISUSE;
    bool any = kind == STRATA_SINGLE;
    if (any ? found->collection != STRATA_SINGLE : found->collection == kind) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "%s.%s is not a %s but a %s", view->catalog->tables[row->table].name,
                   found->name, kind == STRATA_SINGLE ? "collection" : st_collection_name(kind),
                   st_collection_name(found->collection));
}

strata_status st_collection_in_range(const strata_row *row, const st_column *column, uint64_t position, uint64_t count,
                                     uint64_t size, strata_error *error) {
    if (position <= size && count <= size - position) return STRATA_OK;
    return st_fail(error, STRATA_RANGE, 0, "position %llu is outside of %s.%s of object %llu, which has %llu elements",
                   (unsigned long long)(position > size ? position : position + count - 1),
                   st_row_view(row)->catalog->tables[row->table].name, column->name, (unsigned long long)row->key,
                   (unsigned long long)size);
}

/* ---- Opening ---------------------------------------------------------- */

strata_status st_source_stored(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                               st_source *out, strata_error *error) {
    out->view = view;
    out->column = column;
    out->edit = NULL;
    strata_status status = st_collection_cell_read(column, row, number, &out->cell, error);
    out->count = status == STRATA_OK ? out->cell.count : 0;
    return status;
}

void st_source_edited(strata_view *view, const st_column *column, st_edit *edit, st_source *out) {
    out->view = view;
    out->column = column;
    out->edit = edit;
    out->count = edit->count;
}

void st_remember(strata_view *view, const strata_row *row, uint32_t column, const st_source *source) {
    if (view->recent == NULL) view->recent = malloc(sizeof *view->recent);
    if (view->recent == NULL) return;
    *view->recent = (struct st_recent){ *source, row->epoch, row->block, row->slot, column };
}

static strata_status open_column(strata_row *row, uint32_t column, strata_collection kind, st_source *out,
                                 strata_error *error) {
    const st_column *found;
    strata_view *view = st_row_view(row);
    if (kind == STRATA_SINGLE && st_is_recent(view, row, column)) {
        *out = view->recent->source;
        if (out->edit != NULL) out->count = out->edit->count;
        return STRATA_OK;
    }
    out->count = 0;
    strata_status status = (strata_status)strata_row_ready(row);
    if (status < 0) return st_fail(error, status, 0, "a collection cannot be read: %s", strata_status_name(status));
    if (status != STRATA_OK) return status;
    status = st_collection_column(row, column, kind, &found, error);
    if (status != STRATA_OK) return status;
    const st_pending *pending = view->writes == NULL ? NULL : st_writes_entry(view->writes, row->table, row->key);
    st_edit *edit = pending == NULL ? NULL : st_edit_find(pending->edits, column);
    if (edit != NULL) {
        st_source_edited(view, found, edit, out);
        return STRATA_OK;
    }
    st_row_ref at = { row->block, row->slot, row->key };
    status = st_source_stored(view, found, column, &at, out, error);
    if (status == STRATA_OK && out->cell.identity != 0) st_remember(view, row, column, out);
    return status;
}

strata_status st_source_open(strata_row *row, uint32_t column, st_source *out, strata_error *error) {
    return open_column(row, column, STRATA_SINGLE, out, error);
}

/* ---- Elements --------------------------------------------------------- */

static strata_status stored_values(const st_source *s, uint32_t part_column, uint64_t position, uint64_t count,
                                   strata_value *out, strata_error *error) {
    struct st_directory *directory;
    strata_status status = st_directory_get(s->view, &s->cell, &directory, error);
    if (status != STRATA_OK) return status;
    for (uint32_t at = st_directory_find(directory, position); count > 0; at++) {
        const uint8_t *block;
        status = st_directory_block(s->view, directory, s->column, at, &block, error);
        if (status != STRATA_OK) return status;
        uint32_t slot = (uint32_t)(position - directory->starts[at]), some = directory->parts[at].count - slot;
        if (some > count) some = (uint32_t)count;
        st_elements_load(s->column, block, part_column, slot, some, out);
        out += some;
        position += some;
        count -= some;
    }
    return STRATA_OK;
}

static strata_status edited_values(const st_source *s, uint32_t part_column, uint64_t position, uint64_t count,
                                   strata_value *out, strata_error *error) {
    while (count > 0) {
        uint64_t start;
        st_part *part = &s->edit->parts[st_edit_locate(s->edit, position, &start)];
        uint32_t slot = (uint32_t)(position - start), some = part->count - slot;
        if (some > count) some = (uint32_t)count;
        strata_status status =
            st_part_values(s->view, s->column, s->edit, part, part_column, slot, some, out, error);
        if (status != STRATA_OK) return status;
        out += some;
        position += some;
        count -= some;
    }
    return STRATA_OK;
}

strata_status st_source_values(const st_source *s, uint32_t part_column, uint64_t position, uint64_t count,
                               strata_value *out, strata_error *error) {
    if (count == 0) return STRATA_OK;
    if (s->edit != NULL) return edited_values(s, part_column, position, count, out, error);
    if (s->cell.identity != 0) return stored_values(s, part_column, position, count, out, error);
    return st_collection_cell_values(s->column, &s->cell, part_column, position, count, out, error);
}

strata_status st_source_links(const st_source *s, uint64_t position, uint64_t count, uint64_t *out,
                              strata_error *error) {
    strata_value values[ST_SOURCE_BATCH];
    strata_status status = st_source_values(s, st_last_column(s), position, count, values, error);
    for (uint64_t i = 0; i < count && status == STRATA_OK; i++)
        out[i] = values[i].type == STRATA_LINK ? values[i].as.link : 0;
    return status;
}

/* ---- The public readers ----------------------------------------------- */

strata_status strata_collection_size(strata_row *row, uint32_t column, uint64_t *out, strata_error *error) {
    st_source s;
    strata_status status = st_source_open(row, column, &s, error);
    *out = status == STRATA_OK ? s.count : 0;
    return status;
}

/* One element of the stored collection that was opened last, as a walk from element to element reads it. False if it is
 * not that simple, or fails. */
static inline bool get_recent(strata_row *row, uint32_t column, uint64_t position, strata_value *out) {
    strata_view *view = st_row_view(row);
    if (!st_is_recent(view, row, column)) return false;
    const st_source *s = &view->recent->source;
    if (s->edit != NULL || position >= s->count) return false;
    const uint8_t *block;
    struct st_directory *directory;
    if (st_directory_get(view, &s->cell, &directory, NULL) != STRATA_OK) return false;
    uint32_t part = st_directory_find(directory, position);
    if (st_directory_block(view, directory, s->column, part, &block, NULL) != STRATA_OK) return false;
    st_element_load(s->column, block, st_last_column(s), (uint32_t)(position - directory->starts[part]), out);
    if (st_element_has_bytes(s->column)) st_element_show(s->column, out, out);
    return true;
}

strata_status strata_collection_get(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                    strata_value *out, strata_error *error) {
    st_source s;
    if (count == 1 && get_recent(row, column, position, out)) return STRATA_OK;
    strata_status status = st_source_open(row, column, &s, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, s.column, position, count, s.count, error);
    if (status == STRATA_OK) status = st_source_values(&s, st_last_column(&s), position, count, out, error);
    if (status != STRATA_OK || !st_element_has_bytes(s.column)) return status;
    for (uint64_t i = 0; i < count; i++) st_element_show(s.column, &out[i], &out[i]);
    return status;
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
    status = st_element_read(s.view, s.column, &element, offset, buffer, size, error);
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

strata_status strata_map_find(strata_row *row, uint32_t column, strata_bytes key, uint64_t *out_position,
                              strata_error *error) {
    st_source s;
    strata_value wanted = strata_string(key.data, key.size);
    *out_position = 0;
    strata_status status = open_column(row, column, STRATA_MAP, &s, error);
    return status == STRATA_OK ? st_source_search(&s, &wanted, out_position, error) : status;
}

strata_status strata_map_keys(strata_row *row, uint32_t column, uint64_t position, uint64_t count, strata_bytes *out,
                              strata_error *error) {
    st_source s;
    strata_value batch[ST_SOURCE_BATCH];
    strata_status status = open_column(row, column, STRATA_MAP, &s, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, s.column, position, count, s.count, error);
    for (uint64_t done = 0; done < count && status == STRATA_OK; done += ST_SOURCE_BATCH) {
        uint64_t some = count - done < ST_SOURCE_BATCH ? count - done : ST_SOURCE_BATCH;
        status = st_source_values(&s, 0, position + done, some, batch, error);
        for (uint64_t i = 0; i < some && status == STRATA_OK; i++) out[done + i] = batch[i].as.bytes;
    }
    return status;
}

/* ---- Giving up -------------------------------------------------------- */

static strata_status drop_elements(const st_source *s, uint64_t origin, bool links, strata_error *error) {
    strata_value batch[ST_SOURCE_BATCH];
    strata_status status = STRATA_OK;
    for (uint64_t from = 0; status == STRATA_OK && from < s->count; from += ST_SOURCE_BATCH) {
        uint64_t count = s->count - from < ST_SOURCE_BATCH ? s->count - from : ST_SOURCE_BATCH;
        status = st_source_values(s, st_last_column(s), from, count, batch, error);
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++) {
            if (links || st_value_is_elsewhere(&batch[i]))
                status = st_element_drop(s->view, s->column, &batch[i], origin, error);
        }
    }
    return status;
}

strata_status st_collection_release(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                                    st_edit *edits, strata_error *error) {
    st_source s;
    st_edit *edit = st_edit_find(edits, number);
    if (!st_element_has_bytes(column) && !st_element_links(column)) return STRATA_OK;
    strata_status status = STRATA_OK;
    if (edit != NULL) st_source_edited(view, column, edit, &s);
    else status = st_source_stored(view, column, number, row, &s, error);
    return status == STRATA_OK ? drop_elements(&s, row->key, st_element_links(column), error) : status;
}

strata_status st_stored_cell_forget(strata_view *view, const st_column *column, uint32_t number, const st_row_ref *row,
                                    strata_error *error) {
    st_source s;
    if (column->collection == STRATA_SINGLE) {
        strata_bytes reference = strata_block_bytes(row->block, strata_block_entry(row->block, number), row->slot);
        return st_identity_drop(view->writes, st_blob_load(reference).identity, false, error);
    }
    strata_status status = st_source_stored(view, column, number, row, &s, error);
    if (status != STRATA_OK || s.cell.identity == 0) return status;
    if (st_element_has_bytes(column)) status = drop_elements(&s, row->key, false, error);
    return status == STRATA_OK ? st_identity_drop(view->writes, s.cell.identity, true, error) : status;
}
