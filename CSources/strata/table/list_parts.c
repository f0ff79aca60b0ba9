/* SPDX-License-Identifier: MIT
 * list_parts.c -- the parts of a list that is being changed. */
#include "table/list_parts.h"

#include <stdlib.h>

#include "base/status.h"

static void free_edit(st_list_edit *edit) {
    for (size_t i = 0; i < edit->part_count; i++) free(edit->parts[i].elements);
    free(edit->parts);
    free(edit->removed);
    free(edit);
}

void st_list_edits_free(st_list_edit *edits) {
    while (edits != NULL) {
        st_list_edit *next = edits->next;
        free_edit(edits);
        edits = next;
    }
}

st_list_edit *st_list_edit_find(const st_pending *pending, uint32_t column) {
    st_list_edit *edit = pending->lists;
    while (edit != NULL && edit->column != column) edit = edit->next;
    return edit;
}

/* ---- Parts ----------------------------------------------------------------- */

st_part *st_list_part_insert(st_list_edit *edit, size_t at) {
    if (!st_array_grow((void **)&edit->parts, &edit->part_capacity, edit->part_count, sizeof *edit->parts))
        return NULL;
    memmove(&edit->parts[at + 1], &edit->parts[at], (edit->part_count - at) * sizeof *edit->parts);
    edit->part_count++;
    edit->hint = 0;
    edit->hint_start = 0;
    edit->parts[at] = (st_part){ 0 };
    return &edit->parts[at];
}

bool st_list_part_remove(st_list_edit *edit, size_t at) {
    st_part *gone = &edit->parts[at];
    if (gone->block != 0) {
        if (!st_array_grow((void **)&edit->removed, &edit->removed_capacity, edit->removed_count,
                           sizeof *edit->removed))
            return false;
        edit->removed[edit->removed_count++] = gone->block;
    }
    free(gone->elements);
    edit->part_count--;
    memmove(gone, gone + 1, (edit->part_count - at) * sizeof *gone);
    edit->hint = 0;
    edit->hint_start = 0;
    return true;
}

bool st_list_part_reserve(st_part *p, size_t count) {
    if (count <= p->capacity) return true;
    size_t capacity = p->capacity < 8 ? 8 : 2 * (size_t)p->capacity;
    if (capacity < count) capacity = count;
    uint64_t *elements = realloc(p->elements, capacity * sizeof *elements);
    if (elements == NULL) return false;
    p->elements = elements;
    p->capacity = (uint32_t)capacity;
    return true;
}

strata_status st_list_part_load(strata_view *view, st_list_edit *edit, st_part *p, strata_error *error) {
    if (p->elements != NULL || p->count == 0) return STRATA_OK;
    const uint8_t *block;
    uint32_t entry;
    st_list_part stored = { p->block, p->count };
    strata_status status = st_list_block(view->txn, edit->identity, stored, &block, &entry, error);
    if (status != STRATA_OK) return status;
    if (!st_list_part_reserve(p, p->count)) return st_no_memory(error, "changing a list");
    for (uint32_t i = 0; i < p->count; i++) p->elements[i] = strata_block_link(block, entry, i);
    view->writes->list_memory += p->capacity * sizeof *p->elements;
    return STRATA_OK;
}

size_t st_list_locate(st_list_edit *edit, uint64_t position, uint64_t *start) {
    size_t at = 0;
    *start = 0;
    if (edit->hint < edit->part_count && edit->hint_start <= position) {
        at = edit->hint;
        *start = edit->hint_start;
    }
    while (at + 1 < edit->part_count && position >= *start + edit->parts[at].count) *start += edit->parts[at++].count;
    edit->hint = at;
    edit->hint_start = *start;
    return at;
}

strata_status st_list_edit_copy(strata_view *view, st_list_edit *edit, uint64_t position, uint64_t count, uint64_t *out,
                                strata_error *error) {
    while (count > 0) {
        uint64_t start;
        st_part *p = &edit->parts[st_list_locate(edit, position, &start)];
        strata_status status = st_list_part_load(view, edit, p, error);
        if (status != STRATA_OK) return status;
        size_t offset = (size_t)(position - start);
        size_t some = p->count - offset < count ? p->count - offset : (size_t)count;
        memcpy(out, p->elements + offset, some * sizeof *out);
        out += some;
        position += some;
        count -= some;
    }
    return STRATA_OK;
}

/* ---- Beginning an edit ----------------------------------------------------- */

static strata_status load_cell(strata_view *view, st_list_edit *edit, const st_pending *pending,
                               strata_error *error) {
    st_row_ref row = { pending->block, 0, pending->key };
    st_list_cell cell;
    strata_status status = st_list_cell_read(&row, edit->column, &cell, error);
    if (status != STRATA_OK || cell.count == 0) return status;
    edit->count = cell.count;
    edit->identity = cell.identity;
    if (cell.identity == 0) {
        st_part *p = st_list_part_insert(edit, 0);
        if (p == NULL || !st_list_part_reserve(p, (size_t)cell.count)) return st_no_memory(error, "changing a list");
        p->count = (uint32_t)cell.count;
        for (uint32_t i = 0; i < p->count; i++)
            p->elements[i] = strata_load_unsigned(cell.elements + (size_t)i * cell.width, cell.width);
        return STRATA_OK;
    }
    const uint8_t *parts;
    uint32_t count;
    status = st_list_directory(view->txn, &cell, &parts, &count, &edit->next_block, error);
    for (uint32_t i = 0; i < count && status == STRATA_OK; i++) {
        st_list_part stored = st_list_part_at(parts, i);
        st_part *p = st_list_part_insert(edit, edit->part_count);
        if (p == NULL) return st_no_memory(error, "changing a list");
        p->block = stored.block;
        p->count = stored.count;
    }
    return status;
}

strata_status st_list_edit_begin(strata_row *row, uint32_t column, st_list_edit **out, strata_error *error) {
    strata_view *view = st_row_view(row);
    st_pending *pending;
    *out = NULL;
    strata_status status = st_writes_edit(view, row->table, row->key, &pending, error);
    if (status != STRATA_OK) return status;
    st_row_ref at = { pending->block, 0, pending->key };
    st_row_point(row, view, row->table, &at);
    *out = st_list_edit_find(pending, column);
    if (*out != NULL) return STRATA_OK;
    st_list_edit *edit = calloc(1, sizeof *edit);
    if (edit == NULL) return st_no_memory(error, "changing a list");
    edit->column = column;
    edit->next_block = 1;
    status = load_cell(view, edit, pending, error);
    if (status != STRATA_OK) {
        free_edit(edit);
        return status;
    }
    edit->next = pending->lists;
    pending->lists = edit;
    *out = edit;
    return STRATA_OK;
}
