/* SPDX-License-Identifier: MIT
 * collection_change.c -- changing collections. */
#include "object/collection_change.h"

#include "base/status.h"
#include "object/collection.h"
#include "write/collection_open.h"
#include "write/element_write.h"
#include "write/flush.h"
#include "write/link_check.h"
#include "write/value_check.h"
#include "write/write_set.h"

strata_status st_change_begin(strata_row *row, uint32_t column, strata_collection kind, st_change *out,
                              strata_error *error) {
    strata_view *view = st_row_view(row);
    strata_status status = st_writes_ready(view, error);
    if (status != STRATA_OK) return status;
    bool recent = st_is_recent(view, row, column) && view->caches.recent->source.edit != NULL;
    out->view = view;
    out->origin = row->key;
    if (recent && (kind == STRATA_SINGLE || view->caches.recent->source.column->collection == kind)) {
        out->column = view->caches.recent->source.column;
        out->table = &view->catalog->tables[row->table];
        out->edit = view->caches.recent->source.edit;
        return STRATA_OK;
    }
    status = st_collection_column(row, column, kind, &out->column, error);
    if (status != STRATA_OK) return status;
    out->table = &view->catalog->tables[row->table];
    status = st_edit_begin(row, column, &out->edit, error);
    if (status != STRATA_OK) return status;
    st_source source;
    st_source_edited(view, out->column, out->origin, out->edit, &source);
    st_recent_remember(view, row, column, &source);
    return STRATA_OK;
}

strata_status st_change_end(strata_view *view, strata_status status, strata_error *error) {
    if (status == STRATA_OK) return st_writes_trim(view, error);
    st_writes_fail(view->writes, status, error);
    return status;
}

strata_status st_change_check(const st_change *c, const strata_value *values, uint64_t count, strata_error *error) {
    for (uint64_t i = 0; i < count; i++) {
        strata_status status = st_element_check(c->table, c->column, &values[i], error);
        if (status == STRATA_OK && values[i].type == STRATA_NESTED && c->column->collection == STRATA_SET)
            status = st_fail(error, STRATA_TYPE, 0, "%s.%s is a set and cannot hold a list or map", c->table->name,
                             c->column->name);
        if (status == STRATA_OK) status = st_link_targets_check(c->view, c->table, c->column, &values[i], error);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

/* Logs what was done to elements, for whoever wants a record of the commit. */
static void note(const st_change *c, strata_delta_kind kind, uint64_t position, uint64_t count) {
    st_change_log *log = &c->view->writes->log;
    if (!log->on) return;
    uint32_t table = (uint32_t)(c->table - c->view->catalog->tables);
    st_change_log_note(log, kind, table, c->origin, c->edit->column, position, count);
}

/* ---- Inserting -------------------------------------------------------- */

/* The chunk to insert into at `position`, loaded, with room for at least one element. */
static strata_status chunk_for_insert(const st_change *c, uint64_t position, size_t *out, uint64_t *start,
                                      strata_error *error) {
    st_edit *edit = c->edit;
    if (edit->chunk_count == 0 && st_edit_insert(edit, 0) == NULL) return st_no_memory(error, "changing a collection");
    *out = st_edit_locate(edit, position, start);
    if (edit->chunks[*out].count >= ST_LONGEST_CHUNK && position == edit->count) { /* appending fills chunks */
        *out = edit->chunk_count;
        *start = position;
        return st_edit_insert(edit, *out) == NULL ? st_no_memory(error, "changing a collection") : STRATA_OK;
    }
    strata_status status = st_chunk_load(c->view, c->column, edit, &edit->chunks[*out], error);
    while (status == STRATA_OK && edit->chunks[*out].count >= ST_LONGEST_CHUNK) {
        if (!st_edit_split(c->column, edit, *out)) return st_no_memory(error, "changing a collection");
        *out = st_edit_locate(edit, position, start);
    }
    return status;
}

strata_status st_change_insert(const st_change *c, uint64_t position, const strata_value *const *columns,
                               uint64_t count, strata_error *error) {
    note(c, STRATA_DELTA_INSERT, position, count);
    for (uint64_t done = 0; done < count;) {
        size_t at = 0;
        uint64_t start = 0;
        strata_status status = chunk_for_insert(c, position + done, &at, &start, error);
        if (status != STRATA_OK) return status;
        st_chunk *chunk = &c->edit->chunks[at];
        size_t some = ST_LONGEST_CHUNK - chunk->count, offset = (size_t)(position + done - start);
        if (some > count - done) some = (size_t)(count - done);
        if (!st_chunk_reserve(c->column, chunk, chunk->count + some, c->edit->memory))
            return st_no_memory(error, "changing a collection");
        for (uint32_t k = 0; k < st_element_columns(c->column); k++) {
            size_t width = st_element_width(c->column, k);
            uint8_t *to = chunk->loaded->values[k] + offset * width;
            memmove(to + some * width, to, (chunk->count - offset) * width);
            st_chunk_put(c->column, chunk, k, (uint32_t)offset, (uint32_t)some, columns[k] + done);
        }
        chunk->count += (uint32_t)some;
        chunk->loaded->changed = true;
        c->edit->count += some;
        st_edit_resized(c->edit, at, (int64_t)some);
        done += some;
    }
    const strata_value *elements = columns[st_element_columns(c->column) - 1];
    for (uint64_t i = 0; st_element_links(c->column) && i < count; i++) {
        strata_status status = st_element_log(c->view, c->column, &elements[i], c->origin, true, error);
        if (status != STRATA_OK) return status;
    }
    return STRATA_OK;
}

/* ---- Replacing -------------------------------------------------------- */

strata_status st_change_replace(const st_change *c, uint64_t position, const strata_value *element,
                                strata_error *error) {
    uint64_t start;
    note(c, STRATA_DELTA_SET, position, 1);
    size_t at = st_edit_locate(c->edit, position, &start);
    st_chunk *chunk = &c->edit->chunks[at];
    strata_status status = st_chunk_load(c->view, c->column, c->edit, chunk, error);
    if (status != STRATA_OK) return status;
    strata_value old;
    uint32_t last = st_element_columns(c->column) - 1, slot = (uint32_t)(position - start);
    st_chunk_get(c->column, chunk, last, slot, 1, &old);
    if (element->type == STRATA_LINK && old.type == STRATA_LINK && element->as.link == old.as.link) return STRATA_OK;
    status = st_element_log(c->view, c->column, element, c->origin, true, error);
    if (status == STRATA_OK) status = st_element_drop(c->view, c->column, &old, c->origin, error);
    st_chunk_put(c->column, chunk, last, slot, 1, element);
    chunk->loaded->changed = true;
    return status;
}

strata_status st_change_set(const st_change *c, uint64_t position, const strata_value *value, strata_error *error) {
    strata_value element;
    strata_status status = st_elements_copy(c->view, c->column, c->origin, value, 1, &element, error);
    return status == STRATA_OK ? st_change_replace(c, position, &element, error) : status;
}

/* ---- Removing --------------------------------------------------------- */

/* Gives up the links and overflow values of elements. */
static strata_status drop_elements(const st_change *c, st_chunk *chunk, uint32_t offset, uint32_t count,
                                   strata_error *error) {
    strata_status status = STRATA_OK;
    uint32_t last = st_element_columns(c->column) - 1;
    if (!st_element_has_bytes(c->column) && !st_element_links(c->column)) return STRATA_OK;
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) {
        strata_value element;
        status = st_chunk_values(c->view, c->column, c->edit, chunk, last, offset + i, 1, &element, error);
        if (status == STRATA_OK) status = st_element_drop(c->view, c->column, &element, c->origin, error);
    }
    return status;
}

strata_status st_change_remove(const st_change *c, uint64_t position, uint64_t count, uint64_t *out,
                               strata_error *error) {
    uint64_t start;
    size_t at = st_edit_locate(c->edit, position, &start);
    st_chunk *chunk = &c->edit->chunks[at];
    uint32_t offset = (uint32_t)(position - start), some = chunk->count - offset;
    if (some > count) some = (uint32_t)count;
    *out = some;
    note(c, STRATA_DELTA_REMOVE, position, some);
    strata_status status = drop_elements(c, chunk, offset, some, error);
    if (status != STRATA_OK) return status;
    c->edit->count -= some;
    if (some == chunk->count) /* loaded or not */
        return st_edit_remove(c->edit, at) ? STRATA_OK : st_no_memory(error, "changing a collection");
    status = st_chunk_load(c->view, c->column, c->edit, chunk, error);
    if (status != STRATA_OK) return status;
    for (uint32_t k = 0; k < st_element_columns(c->column); k++) {
        size_t width = st_element_width(c->column, k);
        uint8_t *to = chunk->loaded->values[k] + offset * width;
        memmove(to, to + some * width, (chunk->count - offset - some) * width);
    }
    chunk->count -= some;
    chunk->loaded->changed = true;
    st_edit_resized(c->edit, at, -(int64_t)some);
    return STRATA_OK;
}

strata_status strata_collection_remove(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                       strata_error *error) {
    st_change c;
    strata_status status = st_change_begin(row, column, STRATA_SINGLE, &c, error);
    if (status == STRATA_OK) status = st_collection_in_range(row, c.column, position, count, c.edit->count, error);
    if (status != STRATA_OK) return status;
    while (count > 0 && status == STRATA_OK) {
        uint64_t removed;
        status = st_change_remove(&c, position, count, &removed, error);
        count -= removed;
    }
    return st_change_end(c.view, status, error);
}

