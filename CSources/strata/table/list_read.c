/* SPDX-License-Identifier: MIT
 * list_read.c -- reading lists, as stored or as changed. */
#include "base/status.h"
#include "table/list_parts.h"

strata_status st_list_column(const strata_row *row, uint32_t column, const st_column **out,
                                  strata_error *error) {
    const strata_view *view = st_row_view(row);
    const st_column *found = st_view_column(view, row->table, column, error);
    *out = found;
    if (found == NULL) return STRATA_MISUSE;
    if (found->collection == STRATA_LIST) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "%s.%s is not a list", view->catalog->tables[row->table].name,
                   found->name);
}

strata_status st_list_out_of_range(const strata_row *row, const st_column *column, uint64_t position, uint64_t count,
                                  strata_error *error) {
    return st_fail(error, STRATA_RANGE, 0, "position %llu is outside of %s.%s of object %llu, which has %llu elements",
                   (unsigned long long)position, st_row_view(row)->catalog->tables[row->table].name, column->name,
                   (unsigned long long)row->key, (unsigned long long)count);
}

/* A list being read: changed, or as it stands in its cell. */
typedef struct source {
    strata_view *view;
    st_list_edit *edit; /* NULL: as stored */
    st_list_cell cell;
    uint64_t count;
} source;

static strata_status open_source(strata_row *row, uint32_t column, source *out, strata_error *error) {
    const st_column *found;
    *out = (source){ .view = st_row_view(row) };
    strata_status status = (strata_status)strata_row_ready(row);
    if (status < 0) return st_fail(error, status, 0, "a list cannot be read: %s", strata_status_name(status));
    if (status != STRATA_OK) return status;
    status = st_list_column(row, column, &found, error);
    if (status != STRATA_OK) return status;
    const st_pending *pending =
        out->view->writes == NULL ? NULL : st_writes_find(out->view->writes, row->table, row->key);
    out->edit = pending == NULL ? NULL : st_list_edit_find(pending, column);
    if (out->edit != NULL) {
        out->count = out->edit->count;
        return STRATA_OK;
    }
    st_row_ref at = { row->block, row->slot, row->key };
    status = st_list_cell_read(&at, column, &out->cell, error);
    out->count = out->cell.count;
    return status;
}

static strata_status copy_stored(const source *s, uint64_t position, uint64_t count, uint64_t *out,
                                 strata_error *error) {
    const uint8_t *parts;
    uint32_t part_count, next, entry;
    strata_status status = st_list_directory(s->view->txn, &s->cell, &parts, &part_count, &next, error);
    uint64_t start = 0;
    for (uint32_t i = 0; i < part_count && count > 0 && status == STRATA_OK; i++) {
        st_list_part stored = st_list_part_at(parts, i);
        if (position < start + stored.count) {
            const uint8_t *block;
            status = st_list_block(s->view->txn, s->cell.identity, stored, &block, &entry, error);
            if (status != STRATA_OK) return status;
            for (; count > 0 && position < start + stored.count; position++, count--)
                *out++ = strata_block_link(block, entry, (uint32_t)(position - start));
        }
        start += stored.count;
    }
    return status;
}

static strata_status copy_elements(source *s, uint64_t position, uint64_t count, uint64_t *out, strata_error *error) {
    if (count == 0) return STRATA_OK;
    if (s->edit != NULL) return st_list_edit_copy(s->view, s->edit, position, count, out, error);
    if (s->cell.identity != 0) return copy_stored(s, position, count, out, error);
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *element = s->cell.elements + (size_t)(position + i) * s->cell.width;
        out[i] = strata_load_unsigned(element, s->cell.width);
    }
    return STRATA_OK;
}

strata_status strata_list_size(strata_row *row, uint32_t column, uint64_t *out, strata_error *error) {
    source s;
    strata_status status = open_source(row, column, &s, error);
    *out = status == STRATA_OK ? s.count : 0;
    return status;
}

strata_status strata_list_get(strata_row *row, uint32_t column, uint64_t position, uint64_t count, uint64_t *out_keys,
                              strata_error *error) {
    source s;
    strata_status status = open_source(row, column, &s, error);
    if (status != STRATA_OK) return status;
    if (position > s.count || count > s.count - position)
        return st_list_out_of_range(row, &s.view->catalog->tables[row->table].columns[column],
                            position > s.count ? position : position + count - 1, s.count, error);
    return copy_elements(&s, position, count, out_keys, error);
}

enum { READ_BATCH = 512 };

strata_status strata_list_find(strata_row *row, uint32_t column, uint64_t key, uint64_t from, uint64_t *out_position,
                               strata_error *error) {
    source s;
    uint64_t batch[READ_BATCH];
    *out_position = 0;
    strata_status status = open_source(row, column, &s, error);
    while (status == STRATA_OK && from < s.count) {
        uint64_t count = s.count - from < READ_BATCH ? s.count - from : READ_BATCH;
        status = copy_elements(&s, from, count, batch, error);
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++, from++) {
            if (batch[i] != key) continue;
            *out_position = from;
            return STRATA_OK;
        }
    }
    return status == STRATA_OK ? STRATA_NOT_FOUND : status;
}

strata_status st_list_count_of(strata_row *row, uint32_t column, uint64_t key, uint64_t *out, strata_error *error) {
    uint64_t position = 0;
    *out = 0;
    for (;;) {
        strata_status status = strata_list_find(row, column, key, position, &position, error);
        if (status != STRATA_OK) return status == STRATA_NOT_FOUND ? STRATA_OK : status;
        ++*out;
        position++;
    }
}

strata_status st_list_unlink(strata_view *view, uint32_t table, uint32_t column, st_pending *pending,
                             strata_error *error) {
    const st_column *found = &view->catalog->tables[table].columns[column];
    strata_row row;
    source s;
    uint64_t batch[READ_BATCH];
    st_row_ref at = { pending->block, 0, pending->key };
    st_row_point(&row, view, table, &at);
    strata_status status = open_source(&row, column, &s, error);
    for (uint64_t from = 0; status == STRATA_OK && from < s.count; from += READ_BATCH) {
        uint64_t count = s.count - from < READ_BATCH ? s.count - from : READ_BATCH;
        status = copy_elements(&s, from, count, batch, error);
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++)
            status = st_links_log(view, found, batch[i], pending->key, false, error);
    }
    return status;
}
