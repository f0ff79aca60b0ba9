/* SPDX-License-Identifier: MIT
 * list_edit.c -- changing lists. */
#include <string.h>

#include "base/status.h"
#include "table/list_parts.h"

/* A part this long is cut in two, to keep inserting into it cheap; blocks are cut further when stored. */
enum { LONGEST_PART = 2048 };

static strata_status begin_change(strata_row *row, uint32_t column, const st_column **out_column, st_list_edit **out,
                                  strata_error *error) {
    *out = NULL;
    *out_column = NULL;
    strata_status status = st_writes_ready(st_row_view(row), error);
    if (status == STRATA_OK) status = st_list_column(row, column, out_column, error);
    return status == STRATA_OK ? st_list_edit_begin(row, column, out, error) : status;
}

/* Cuts a part that has grown long into two. */
static bool cut_part(st_list_edit *edit, size_t at) {
    st_part *right = st_list_part_insert(edit, at + 1);
    if (right == NULL) return false;
    st_part *left = &edit->parts[at];
    /* What grows at its end stays full; other parts are halved. */
    uint32_t keep = at + 2 == edit->part_count ? left->count - left->count / 4 : left->count / 2;
    if (!st_list_part_reserve(right, left->count - keep)) {
        edit->part_count--; /* it is the last thing that was inserted, and empty */
        memmove(right, right + 1, (edit->part_count - at - 1) * sizeof *right);
        return false;
    }
    right->count = left->count - keep;
    right->changed = true;
    memcpy(right->elements, left->elements + keep, right->count * sizeof *right->elements);
    left->count = keep;
    left->changed = true;
    return true;
}

static strata_status insert_one(strata_view *view, st_list_edit *edit, uint64_t position, uint64_t key,
                                strata_error *error) {
    uint64_t start;
    if (edit->part_count == 0 && st_list_part_insert(edit, 0) == NULL) return st_no_memory(error, "changing a list");
    size_t at = st_list_locate(edit, position, &start);
    st_part *p = &edit->parts[at];
    strata_status status = st_list_part_load(view, edit, p, error);
    if (status != STRATA_OK) return status;
    uint32_t before = p->capacity;
    if (!st_list_part_reserve(p, (size_t)p->count + 1)) return st_no_memory(error, "changing a list");
    view->writes->list_memory += (p->capacity - before) * sizeof *p->elements;
    size_t offset = (size_t)(position - start);
    memmove(p->elements + offset + 1, p->elements + offset, (p->count - offset) * sizeof *p->elements);
    p->elements[offset] = key;
    p->count++;
    p->changed = true;
    edit->count++;
    if (p->count >= LONGEST_PART && !cut_part(edit, at)) return st_no_memory(error, "changing a list");
    return STRATA_OK;
}

strata_status strata_list_insert(strata_row *row, uint32_t column, uint64_t position, const uint64_t *keys,
                                 uint64_t count, strata_error *error) {
    const st_column *found;
    st_list_edit *edit;
    strata_status status = begin_change(row, column, &found, &edit, error);
    if (status != STRATA_OK) return status;
    strata_view *view = st_row_view(row);
    const st_table *table = &view->catalog->tables[row->table];
    if (position > edit->count) return st_list_out_of_range(row, found, position, edit->count, error);
    for (uint64_t i = 0; i < count && status == STRATA_OK; i++)
        status = st_link_target_check(view, table, found, keys[i], error);
    if (status != STRATA_OK) return status;
    for (uint64_t i = 0; i < count && status == STRATA_OK; i++) {
        status = insert_one(view, edit, position + i, keys[i], error);
        if (status == STRATA_OK) status = st_links_log(view, found, keys[i], row->key, true, error);
    }
    if (status == STRATA_OK) return st_writes_trim(view, error);
    view->writes->failed = true;
    return status;
}

strata_status strata_list_set(strata_row *row, uint32_t column, uint64_t position, uint64_t key,
                              strata_error *error) {
    const st_column *found;
    st_list_edit *edit;
    strata_status status = begin_change(row, column, &found, &edit, error);
    if (status != STRATA_OK) return status;
    strata_view *view = st_row_view(row);
    if (position >= edit->count) return st_list_out_of_range(row, found, position, edit->count, error);
    status = st_link_target_check(view, &view->catalog->tables[row->table], found, key, error);
    if (status != STRATA_OK) return status;
    uint64_t start;
    st_part *p = &edit->parts[st_list_locate(edit, position, &start)];
    status = st_list_part_load(view, edit, p, error);
    if (status != STRATA_OK) return status;
    uint64_t *element = &p->elements[position - start];
    if (*element == key) return STRATA_OK;
    status = st_links_log(view, found, key, row->key, true, error);
    if (status == STRATA_OK) status = st_links_log(view, found, *element, row->key, false, error);
    *element = key;
    p->changed = true;
    return status == STRATA_OK ? st_writes_trim(view, error) : status;
}

/* Removes up to `count` elements at `position` that lie in one part; `*out` is how many they were. */
static strata_status remove_some(strata_view *view, const st_column *column, uint64_t origin, st_list_edit *edit,
                                 uint64_t position, uint64_t count, uint64_t *out, strata_error *error) {
    uint64_t start;
    size_t at = st_list_locate(edit, position, &start);
    st_part *p = &edit->parts[at];
    *out = 0;
    strata_status status = st_list_part_load(view, edit, p, error);
    if (status != STRATA_OK) return status;
    size_t offset = (size_t)(position - start);
    size_t some = p->count - offset < count ? p->count - offset : (size_t)count;
    for (size_t i = 0; i < some && status == STRATA_OK; i++)
        status = st_links_log(view, column, p->elements[offset + i], origin, false, error);
    if (status != STRATA_OK) return status;
    memmove(p->elements + offset, p->elements + offset + some, (p->count - offset - some) * sizeof *p->elements);
    p->count -= (uint32_t)some;
    p->changed = true;
    edit->count -= some;
    *out = some;
    if (p->count == 0 && !st_list_part_remove(edit, at)) return st_no_memory(error, "changing a list");
    return STRATA_OK;
}

strata_status strata_list_remove(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                 strata_error *error) {
    const st_column *found;
    st_list_edit *edit;
    strata_status status = begin_change(row, column, &found, &edit, error);
    if (status != STRATA_OK) return status;
    if (position > edit->count || count > edit->count - position)
        return st_list_out_of_range(row, found, position > edit->count ? position : position + count - 1, edit->count,
                                    error);
    strata_view *view = st_row_view(row);
    while (count > 0 && status == STRATA_OK) {
        uint64_t removed;
        status = remove_some(view, found, row->key, edit, position, count, &removed, error);
        count -= removed;
    }
    if (status == STRATA_OK) return st_writes_trim(view, error);
    view->writes->failed = true;
    return status;
}

strata_status st_list_remove_all(strata_row *row, uint32_t column, uint64_t key, strata_error *error) {
    uint64_t position = 0;
    for (;;) {
        strata_status status = strata_list_find(row, column, key, position, &position, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        status = strata_list_remove(row, column, position, 1, error);
        if (status != STRATA_OK) return status;
    }
}
