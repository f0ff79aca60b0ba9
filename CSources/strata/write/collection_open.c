/* SPDX-License-Identifier: MIT
 * collection_open.c -- opening the collection of a row, to read or to change it. */
#include "write/collection_open.h"

#include <stdlib.h>

#include "base/status.h"

void st_recent_remember(strata_view *view, const strata_row *row, uint32_t column, const st_source *source) {
    if (view->caches.recent == NULL) view->caches.recent = malloc(sizeof *view->caches.recent);
    if (view->caches.recent == NULL) return;
    *view->caches.recent = (struct st_recent){ *source, row->epoch, row->block, row->slot, column };
}

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

/* ---- To read it ------------------------------------------------------- */

/* Why the row of a collection is not ready: because of the view, or of the file. */
static strata_status cannot_read(const strata_view *view, strata_status status, strata_error *error) {
    strata_status of_view = st_view_readable(view, error);
    if (of_view != STRATA_OK) return of_view;
    return st_fail(error, status, 0, "a collection cannot be read: %s", strata_status_name(status));
}

strata_status st_source_open_kind(strata_row *row, uint32_t column, strata_collection kind, st_source *out,
                                  strata_error *error) {
    const st_column *found;
    strata_view *view = st_row_view(row);
    if (view == NULL) return st_view_check(view, error);
    if (kind == STRATA_SINGLE && st_is_recent(view, row, column)) {
        *out = view->caches.recent->source;
        if (out->edit != NULL) out->count = out->edit->count;
        return STRATA_OK;
    }
    out->count = 0;
    strata_status status = strata_row_ready(row);
    if (status < 0) return cannot_read(view, status, error);
    if (status != STRATA_OK) return status;
    status = st_collection_column(row, column, kind, &found, error);
    if (status != STRATA_OK) return status;
    const st_pending *pending = view->writes == NULL ? NULL : st_writes_entry(view->writes, row->table, row->key);
    st_edit *edit = pending == NULL ? NULL : st_edit_find(pending->edits, column);
    if (edit != NULL) {
        st_source_edited(view, found, row->key, edit, out);
        return STRATA_OK;
    }
    st_row_ref at = { row->block, row->slot, row->key };
    status = st_source_stored(view, found, &at, out, error);
    if (status == STRATA_OK && out->cell.identity != 0) st_recent_remember(view, row, column, out);
    return status;
}

/* ---- To change it ----------------------------------------------------- */

strata_status st_edit_begin(strata_row *row, uint32_t column, st_edit **out, strata_error *error) {
    strata_view *view = st_row_view(row);
    st_pending *pending;
    *out = NULL;
    strata_status status = st_writes_edit(view, row->table, row->key, &pending, error);
    if (status != STRATA_OK) return status;
    st_row_ref at = { pending->block, 0, pending->key };
    st_row_point(row, view, row->table, &at);
    *out = st_edit_find(pending->edits, column);
    if (*out != NULL) return STRATA_OK;
    st_recent_forget(view);
    st_edit *edit = st_edit_make(column, &view->writes->memory.arena, &view->writes->memory.chunks);
    if (edit == NULL) return st_no_memory(error, "changing a collection");
    status = st_edit_load(view, &view->catalog->tables[row->table].columns[column], &at, edit, error);
    if (status != STRATA_OK) {
        st_edits_free(edit);
        return status;
    }
    edit->next = pending->edits;
    pending->edits = edit;
    *out = edit;
    return STRATA_OK;
}
