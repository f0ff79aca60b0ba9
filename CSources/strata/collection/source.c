/* SPDX-License-Identifier: MIT
 * source.c -- where the elements of a collection are read. */
#include "collection/source.h"

strata_status st_source_stored(strata_view *view, const st_column *column, const st_row_ref *row, st_source *out,
                               strata_error *error) {
    out->view = view;
    out->column = column;
    out->object = row->key;
    out->edit = NULL;
    strata_status status = st_collection_cell_read(view, column, row, &out->cell, error);
    out->count = status == STRATA_OK ? out->cell.count : 0;
    return status;
}

void st_source_edited(strata_view *view, const st_column *column, uint64_t object, st_edit *edit, st_source *out) {
    out->view = view;
    out->column = column;
    out->object = object;
    out->edit = edit;
    out->count = edit->count;
}

/* ---- Elements --------------------------------------------------------- */

static strata_status stored_values(const st_source *s, uint32_t block_column, uint64_t position, uint64_t count,
                                   strata_value *out, strata_error *error) {
    st_directory *directory;
    strata_status status = st_directory_get(s->view, &s->cell, &directory, error);
    if (status != STRATA_OK) return status;
    for (uint32_t at = st_directory_find(directory, position); count > 0; at++) {
        const uint8_t *block;
        status = st_directory_block(s->view, directory, s->column, at, &block, error);
        if (status != STRATA_OK) return status;
        uint32_t slot = (uint32_t)(position - directory->starts[at]), some = directory->chunks[at].count - slot;
        if (some > count) some = (uint32_t)count;
        st_elements_load(s->column, block, block_column, slot, some, out);
        out += some;
        position += some;
        count -= some;
    }
    return STRATA_OK;
}

static strata_status edited_values(const st_source *s, uint32_t block_column, uint64_t position, uint64_t count,
                                   strata_value *out, strata_error *error) {
    while (count > 0) {
        uint64_t start;
        st_chunk *chunk = &s->edit->chunks[st_edit_locate(s->edit, position, &start)];
        uint32_t slot = (uint32_t)(position - start), some = chunk->count - slot;
        if (some > count) some = (uint32_t)count;
        strata_status status =
            st_chunk_values(s->view, s->column, s->edit, chunk, block_column, slot, some, out, error);
        if (status != STRATA_OK) return status;
        out += some;
        position += some;
        count -= some;
    }
    return STRATA_OK;
}

strata_status st_source_values(const st_source *s, uint32_t block_column, uint64_t position, uint64_t count,
                               strata_value *out, strata_error *error) {
    if (count == 0) return STRATA_OK;
    if (s->edit != NULL) return edited_values(s, block_column, position, count, out, error);
    if (s->cell.identity != 0) return stored_values(s, block_column, position, count, out, error);
    return st_collection_cell_values(s->column, &s->cell, block_column, position, count, out, error);
}

strata_status st_source_links(const st_source *s, uint64_t position, uint64_t count, uint64_t *out,
                              strata_error *error) {
    strata_value values[ST_SOURCE_BATCH];
    strata_status status = st_source_values(s, st_last_column(s), position, count, values, error);
    for (uint64_t i = 0; i < count && status == STRATA_OK; i++)
        out[i] = values[i].type == STRATA_LINK ? values[i].as.link : 0;
    return status;
}
