/* SPDX-License-Identifier: MIT
 *
 * list_edit.c -- a list that a write transaction is changing.
 *
 * Invariant: `count` is the sum of the parts' counts, and no part is empty.
 */
#include "table/list_edit.h"

#include <stdlib.h>

#include "base/status.h"
#include "table/blob.h"
#include "table/identity.h"

/* A part this long is cut in two, to keep inserting into it cheap; blocks are cut further when stored. */
enum { LONGEST_PART = 2048 };

typedef struct part {
    uint32_t block;    /* where it is stored; 0 = nowhere */
    uint32_t count;
    uint32_t capacity;
    bool changed;
    uint64_t *elements; /* NULL: not loaded */
} part;

struct st_list_edit {
    st_list_edit *next;
    uint32_t column;
    uint64_t count;
    uint64_t identity;  /* of a long list; 0 = stored in the cell, or not at all */
    uint32_t next_block;
    part *parts;
    size_t part_count, part_capacity;
    uint32_t *removed;  /* blocks to delete */
    size_t removed_count, removed_capacity;
    size_t hint;        /* a part, and the position of its first element */
    uint64_t hint_start;
};

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

static st_list_edit *find_edit(const st_pending *pending, uint32_t column) {
    st_list_edit *edit = pending->lists;
    while (edit != NULL && edit->column != column) edit = edit->next;
    return edit;
}

/* ---- Parts ------------------------------------------------------------ */

static part *insert_part(st_list_edit *edit, size_t at) {
    if (!st_array_grow((void **)&edit->parts, &edit->part_capacity, edit->part_count, sizeof *edit->parts))
        return NULL;
    memmove(&edit->parts[at + 1], &edit->parts[at], (edit->part_count - at) * sizeof *edit->parts);
    edit->part_count++;
    edit->hint = 0;
    edit->hint_start = 0;
    edit->parts[at] = (part){ 0 };
    return &edit->parts[at];
}

static bool remove_part(st_list_edit *edit, size_t at) {
    part *gone = &edit->parts[at];
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

static bool reserve(part *p, size_t count) {
    if (count <= p->capacity) return true;
    size_t capacity = p->capacity < 8 ? 8 : 2 * (size_t)p->capacity;
    if (capacity < count) capacity = count;
    uint64_t *elements = realloc(p->elements, capacity * sizeof *elements);
    if (elements == NULL) return false;
    p->elements = elements;
    p->capacity = (uint32_t)capacity;
    return true;
}

/* Loads the elements of a part. */
static strata_status load_part(strata_view *view, st_list_edit *edit, part *p, strata_error *error) {
    if (p->elements != NULL || p->count == 0) return STRATA_OK;
    const uint8_t *block;
    uint32_t entry;
    st_list_part stored = { p->block, p->count };
    strata_status status = st_list_block(view->txn, edit->identity, stored, &block, &entry, error);
    if (status != STRATA_OK) return status;
    if (!reserve(p, p->count)) return st_no_memory(error, "changing a list");
    for (uint32_t i = 0; i < p->count; i++) p->elements[i] = strata_block_link(block, entry, i);
    view->writes->list_memory += p->capacity * sizeof *p->elements;
    return STRATA_OK;
}

/* The part with the element at `position`, or the last part for the end of the list. */
static size_t locate(st_list_edit *edit, uint64_t position, uint64_t *start) {
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

/* ---- Beginning an edit ------------------------------------------------ */

static strata_status load_cell(strata_view *view, st_list_edit *edit, const st_pending *pending,
                               strata_error *error) {
    st_row_ref row = { pending->block, 0, pending->key };
    st_list_cell cell;
    strata_status status = st_list_cell_read(&row, edit->column, &cell, error);
    if (status != STRATA_OK || cell.count == 0) return status;
    edit->count = cell.count;
    edit->identity = cell.identity;
    if (cell.identity == 0) {
        part *p = insert_part(edit, 0);
        if (p == NULL || !reserve(p, (size_t)cell.count)) return st_no_memory(error, "changing a list");
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
        part *p = insert_part(edit, edit->part_count);
        if (p == NULL) return st_no_memory(error, "changing a list");
        p->block = stored.block;
        p->count = stored.count;
    }
    return status;
}

/* The edit of a list, begun if it is not there yet; `*out` is good until another row becomes pending. */
static strata_status begin_edit(strata_row *row, uint32_t column, st_list_edit **out, strata_error *error) {
    strata_view *view = st_row_view(row);
    st_pending *pending;
    *out = NULL;
    strata_status status = st_writes_edit(view, row->table, row->key, &pending, error);
    if (status != STRATA_OK) return status;
    st_row_ref at = { pending->block, 0, pending->key };
    st_row_point(row, view, row->table, &at);
    *out = find_edit(pending, column);
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

/* ---- Changing --------------------------------------------------------- */

static strata_status check_column(const strata_row *row, uint32_t column, const st_column **out,
                                  strata_error *error) {
    const strata_view *view = st_row_view(row);
    const st_column *found = st_view_column(view, row->table, column, error);
    *out = found;
    if (found == NULL) return STRATA_MISUSE;
    if (found->collection == STRATA_LIST) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "%s.%s is not a list", view->catalog->tables[row->table].name,
                   found->name);
}

static strata_status out_of_range(const strata_row *row, const st_column *column, uint64_t position, uint64_t count,
                                  strata_error *error) {
    return st_fail(error, STRATA_RANGE, 0, "position %llu is outside of %s.%s of object %llu, which has %llu elements",
                   (unsigned long long)position, st_row_view(row)->catalog->tables[row->table].name, column->name,
                   (unsigned long long)row->key, (unsigned long long)count);
}

static strata_status begin_change(strata_row *row, uint32_t column, const st_column **out_column, st_list_edit **out,
                                  strata_error *error) {
    *out = NULL;
    *out_column = NULL;
    strata_status status = st_writes_ready(st_row_view(row), error);
    if (status == STRATA_OK) status = check_column(row, column, out_column, error);
    return status == STRATA_OK ? begin_edit(row, column, out, error) : status;
}

/* Cuts a part that has grown long into two. */
static bool cut_part(st_list_edit *edit, size_t at) {
    part *right = insert_part(edit, at + 1);
    if (right == NULL) return false;
    part *left = &edit->parts[at];
    /* What grows at its end stays full; other parts are halved. */
    uint32_t keep = at + 2 == edit->part_count ? left->count - left->count / 4 : left->count / 2;
    if (!reserve(right, left->count - keep)) {
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
    if (edit->part_count == 0 && insert_part(edit, 0) == NULL) return st_no_memory(error, "changing a list");
    size_t at = locate(edit, position, &start);
    part *p = &edit->parts[at];
    strata_status status = load_part(view, edit, p, error);
    if (status != STRATA_OK) return status;
    uint32_t before = p->capacity;
    if (!reserve(p, (size_t)p->count + 1)) return st_no_memory(error, "changing a list");
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
    if (position > edit->count) return out_of_range(row, found, position, edit->count, error);
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
    if (position >= edit->count) return out_of_range(row, found, position, edit->count, error);
    status = st_link_target_check(view, &view->catalog->tables[row->table], found, key, error);
    if (status != STRATA_OK) return status;
    uint64_t start;
    part *p = &edit->parts[locate(edit, position, &start)];
    status = load_part(view, edit, p, error);
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
    size_t at = locate(edit, position, &start);
    part *p = &edit->parts[at];
    *out = 0;
    strata_status status = load_part(view, edit, p, error);
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
    if (p->count == 0 && !remove_part(edit, at)) return st_no_memory(error, "changing a list");
    return STRATA_OK;
}

strata_status strata_list_remove(strata_row *row, uint32_t column, uint64_t position, uint64_t count,
                                 strata_error *error) {
    const st_column *found;
    st_list_edit *edit;
    strata_status status = begin_change(row, column, &found, &edit, error);
    if (status != STRATA_OK) return status;
    if (position > edit->count || count > edit->count - position)
        return out_of_range(row, found, position > edit->count ? position : position + count - 1, edit->count, error);
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

/* ---- Reading ---------------------------------------------------------- */

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
    status = check_column(row, column, &found, error);
    if (status != STRATA_OK) return status;
    const st_pending *pending =
        out->view->writes == NULL ? NULL : st_writes_find(out->view->writes, row->table, row->key);
    out->edit = pending == NULL ? NULL : find_edit(pending, column);
    if (out->edit != NULL) {
        out->count = out->edit->count;
        return STRATA_OK;
    }
    st_row_ref at = { row->block, row->slot, row->key };
    status = st_list_cell_read(&at, column, &out->cell, error);
    out->count = out->cell.count;
    return status;
}

/* Copies elements of a changed list. */
static strata_status copy_edited(source *s, uint64_t position, uint64_t count, uint64_t *out, strata_error *error) {
    while (count > 0) {
        uint64_t start;
        part *p = &s->edit->parts[locate(s->edit, position, &start)];
        strata_status status = load_part(s->view, s->edit, p, error);
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
    if (s->edit != NULL) return copy_edited(s, position, count, out, error);
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
        return out_of_range(row, &s.view->catalog->tables[row->table].columns[column],
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

/* ---- Flushing --------------------------------------------------------- */

/* Stores one part as blocks of at most `capacity` elements each, the first under its old number. */
static strata_status store_part(strata_view *view, st_list_edit *edit, part *p, bool last, st_buffer *directory,
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
        part *p = &edit->parts[i];
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
    source s = { .view = view, .edit = edit, .count = edit->count };
    size_t size = 0;
    if (edit->count < ST_INLINE_LIST) {
        strata_status status = copy_elements(&s, 0, edit->count, elements, error);
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
