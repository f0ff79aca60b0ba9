/* SPDX-License-Identifier: MIT
 * list_store.c -- storing lists that were changed. */
#include "base/status.h"
#include "table/blob.h"
#include "table/identity.h"
#include "table/list_parts.h"

/* Stores one part as blocks of at most `capacity` elements each, the first under its old number. */
static strata_status store_part(strata_view *view, st_list_edit *edit, st_part *p, bool last, st_buffer *directory,
                                strata_error *error) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < p->count; i++) bits |= p->elements[i];
    uint32_t capacity = st_list_block_capacity(view->store) * 8 / st_width_unsigned(bits);
    uint32_t blocks = (p->count + capacity - 1) / capacity;
    uint32_t each = last ? capacity : (p->count + blocks - 1) / blocks; /* what is appended to fills its blocks */
    uint32_t block = p->block != 0 ? p->block : edit->next_block++;
    for (uint32_t at = 0; at < p->count; at += each) {
        uint32_t some = p->count - at < each ? p->count - at : each;
        strata_status status = st_list_block_put(view->txn, edit->identity, block, p->elements + at, some, error);
        if (status != STRATA_OK) return status;
        st_list_part stored = { block, some };
        if (!st_buffer_append(directory, &stored, sizeof stored)) return st_no_memory(error, "storing a list");
        if (at + some < p->count) block = edit->next_block++;
    }
    return STRATA_OK;
}

static strata_status store_long(strata_view *view, const st_table *table, st_pending *pending, st_list_edit *edit,
                                strata_error *error) {
    st_buffer directory = { 0 };
    strata_status status = STRATA_OK;
    if (edit->identity == 0) status = st_identity_take(view, &edit->identity, error);
    for (size_t i = 0; i < edit->removed_count && status == STRATA_OK; i++)
        status = st_list_block_delete(view->txn, edit->identity, edit->removed[i], error);
    for (size_t i = 0; i < edit->part_count && status == STRATA_OK; i++) {
        st_part *p = &edit->parts[i];
        st_list_part stored = { p->block, p->count };
        if (p->changed || p->block == 0)
            status = store_part(view, edit, p, i + 1 == edit->part_count, &directory, error);
        else if (!st_buffer_append(&directory, &stored, sizeof stored))
            status = st_no_memory(error, "storing a list");
    }
    if (status == STRATA_OK)
        status = st_list_directory_put(view->txn, edit->identity, (const st_list_part *)(void *)directory.data,
                                       (uint32_t)(directory.size / sizeof(st_list_part)), edit->next_block, error);
    st_buffer_free(&directory);
    if (status != STRATA_OK) return status;
    uint8_t reference[ST_REFERENCE];
    st_blob_save((st_blob){ edit->count, edit->identity }, reference);
    return st_pending_set_bytes(view, table, pending, edit->column, (strata_bytes){ reference, ST_REFERENCE }, true,
                                error);
}

static strata_status store_edit(strata_view *view, const st_table *table, st_pending *pending, st_list_edit *edit,
                                strata_error *error) {
    uint64_t elements[ST_INLINE_LIST];
    uint8_t cell[ST_INLINE_LIST];
    size_t size = 0;
    if (edit->count < ST_INLINE_LIST) {
        strata_status status = st_list_edit_copy(view, edit, 0, edit->count, elements, error);
        if (status != STRATA_OK) return status;
        size = st_list_cell_pack(elements, edit->count, cell);
    }
    if (size == 0 && edit->count > 0) return store_long(view, table, pending, edit, error);
    strata_status status = st_cell_drop(view, table, pending, edit->column, error);
    if (status != STRATA_OK) return status;
    return st_pending_set_bytes(view, table, pending, edit->column, (strata_bytes){ cell, size }, false, error);
}

strata_status st_list_edits_flush(strata_view *view, const st_table *table, st_pending *pending,
                                  strata_error *error) {
    strata_status status = STRATA_OK;
    for (st_list_edit *edit = pending->lists; edit != NULL && status == STRATA_OK; edit = edit->next)
        status = store_edit(view, table, pending, edit, error);
    st_list_edits_free(pending->lists);
    pending->lists = NULL;
    return status;
}
