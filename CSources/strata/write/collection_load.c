/* SPDX-License-Identifier: MIT
 * collection_load.c -- the parts of a collection that is being changed. */
#include "collection/edit.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"
#include "block/block_numbers.h"
#include "collection/source.h"

/* Room that what is loaded gets, since it is to be changed; and what an allocation takes beside its bytes. */
enum { LOADED_SLACK = 8, PART_SLACK = 4, ALLOCATION = 16 };

static void free_edit(st_edit *edit) {
    while (edit->loaded != NULL) {
        st_loaded *next = edit->loaded->next;
        free(edit->loaded->values[0]);
        free(edit->loaded->values[1]);
        free(edit->loaded);
        edit->loaded = next;
    }
    free(edit->parts);
    free(edit->removed);
    free(edit->sums);
    free(edit);
}

void st_edits_free(st_edit *edits) {
    while (edits != NULL) {
        st_edit *next = edits->next;
        free_edit(edits);
        edits = next;
    }
}

st_edit *st_edit_find(st_edit *edits, uint32_t column) {
    while (edits != NULL && edits->column != column) edits = edits->next;
    return edits;
}

/* ---- Positions -------------------------------------------------------- */

/* Sums that cannot be had for want of memory are done without. */
static bool build_sums(st_edit *edit) {
    if (edit->sums_count == edit->part_count) return true;
    if (edit->sums_capacity < edit->part_count + 1) {
        size_t capacity = edit->part_count + edit->part_count / 2 + 16;
        uint64_t *sums = realloc(edit->sums, capacity * sizeof *sums);
        if (sums == NULL) return false;
        edit->sums = sums;
        edit->sums_capacity = capacity;
    }
    memset(edit->sums, 0, (edit->part_count + 1) * sizeof *edit->sums);
    for (size_t i = 1; i <= edit->part_count; i++) {
        edit->sums[i] += edit->parts[i - 1].count;
        size_t above = i + (i & -i);
        if (above <= edit->part_count) edit->sums[above] += edit->sums[i];
    }
    edit->sums_count = edit->part_count;
    return true;
}

void st_part_resized(st_edit *edit, size_t at, int64_t change) {
    if (edit->hint > at) edit->hint_start += (uint64_t)change;
    if (edit->sums_count != edit->part_count) return;
    for (size_t i = at + 1; i <= edit->part_count; i += i & -i) edit->sums[i] += (uint64_t)change;
}

uint64_t st_edit_start(st_edit *edit, size_t at) {
    uint64_t start = 0;
    if (at == edit->hint) return edit->hint_start;
    if (!build_sums(edit)) {
        for (size_t i = 0; i < at; i++) start += edit->parts[i].count;
        return start;
    }
    for (size_t i = at; i > 0; i -= i & -i) start += edit->sums[i];
    return start;
}

static size_t search(st_edit *edit, uint64_t position) {
    uint64_t start = 0;
    size_t at = 0, step = 1;
    if (!build_sums(edit)) {
        while (at + 1 < edit->part_count && position >= start + edit->parts[at].count) start += edit->parts[at++].count;
        return at;
    }
    while (step * 2 <= edit->part_count) step *= 2;
    for (; step > 0; step /= 2) {
        if (at + step > edit->part_count || start + edit->sums[at + step] > position) continue;
        at += step;
        start += edit->sums[at];
    }
    return at < edit->part_count ? at : edit->part_count - 1;
}

size_t st_edit_locate(st_edit *edit, uint64_t position, uint64_t *start) {
    size_t at = edit->hint;
    uint64_t from = edit->hint_start;
    if (at < edit->part_count && position >= from + edit->parts[at].count && at + 1 < edit->part_count)
        from += edit->parts[at++].count; /* one after the other is what is asked for most */
    bool found = at < edit->part_count && position >= from && position - from < edit->parts[at].count;
    if (!found && position == edit->count) {
        at = edit->part_count - 1;
        from = edit->count - edit->parts[at].count;
    } else if (!found) {
        at = search(edit, position);
        from = st_edit_start(edit, at);
    }
    edit->hint = at;
    edit->hint_start = from;
    *start = from;
    return at;
}

/* ---- Elements of loaded parts ----------------------------------------- */

void st_part_get(const st_column *column, const st_part *part, uint32_t part_column, uint32_t slot, uint32_t count,
                 strata_value *out) {
    size_t width = st_element_width(column, part_column);
    const uint8_t *from = part->loaded->values[part_column] + slot * width;
    if (width == sizeof *out) {
        memcpy(out, from, count * sizeof *out);
        return;
    }
    const uint64_t *numbers = (const uint64_t *)(const void *)from;
    for (uint32_t i = 0; i < count; i++) out[i] = st_element_of_number(column->type, numbers[i]);
}

void st_part_put(const st_column *column, const st_part *part, uint32_t part_column, uint32_t slot, uint32_t count,
                 const strata_value *values) {
    size_t width = st_element_width(column, part_column);
    uint8_t *to = part->loaded->values[part_column] + slot * width;
    if (width == sizeof *values) {
        memcpy(to, values, count * sizeof *values);
        return;
    }
    for (uint32_t i = 0; i < count; i++, to += width) {
        uint64_t number = values[i].type == STRATA_NULL ? 0 : values[i].as.link;
        if (values[i].type == STRATA_BOOL) number = values[i].as.boolean;
        if (values[i].type == STRATA_FLOAT) number &= UINT32_MAX;
        memcpy(to, &number, width);
    }
}

/* ---- Parts ------------------------------------------------------------ */

/* What a part is loaded into; it has no room yet. */
static st_loaded *make_loaded(st_edit *edit) {
    st_loaded *loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL) return NULL;
    loaded->next = edit->loaded;
    edit->loaded = loaded;
    return loaded;
}

st_part *st_part_insert(st_edit *edit, size_t at) {
    st_loaded *loaded = make_loaded(edit);
    if (loaded == NULL ||
        !st_array_grow((void **)&edit->parts, &edit->part_capacity, edit->part_count, sizeof *edit->parts))
        return NULL;
    memmove(&edit->parts[at + 1], &edit->parts[at], (edit->part_count - at) * sizeof *edit->parts);
    edit->part_count++;
    edit->sums_count = 0;
    edit->hint = 0;
    edit->hint_start = 0;
    edit->parts[at] = (st_part){ .loaded = loaded };
    return &edit->parts[at];
}

bool st_part_remove(st_edit *edit, size_t at) {
    st_part *gone = &edit->parts[at];
    if (gone->block != 0) {
        if (!st_array_grow((void **)&edit->removed, &edit->removed_capacity, edit->removed_count,
                           sizeof *edit->removed))
            return false;
        edit->removed[edit->removed_count++] = gone->block;
    }
    if (gone->loaded != NULL) {
        free(gone->loaded->values[0]);
        free(gone->loaded->values[1]);
        gone->loaded->values[0] = gone->loaded->values[1] = NULL;
    }
    edit->part_count--;
    memmove(gone, gone + 1, (edit->part_count - at) * sizeof *gone);
    edit->sums_count = 0;
    edit->hint = 0;
    edit->hint_start = 0;
    return true;
}

bool st_part_reserve(strata_view *view, const st_column *column, const st_part *part, size_t count) {
    st_loaded *loaded = part->loaded;
    if (count <= loaded->capacity) return true;
    size_t capacity = loaded->capacity + (size_t)(loaded->capacity < 64 ? 8 : loaded->capacity / 4);
    if (capacity < count) capacity = count;
    if (loaded->capacity == 0) view->writes->edit_memory += sizeof *loaded + ALLOCATION;
    for (uint32_t c = 0; c < st_element_columns(column); c++) {
        size_t width = st_element_width(column, c);
        uint8_t *values = realloc(loaded->values[c], capacity * width);
        if (values == NULL) return false;
        loaded->values[c] = values;
        view->writes->edit_memory += (capacity - loaded->capacity) * width + (loaded->capacity == 0 ? ALLOCATION : 0);
    }
    loaded->capacity = (uint32_t)capacity;
    return true;
}

/* The block of a part that is not loaded. */
static strata_status part_block(strata_view *view, const st_column *column, const st_edit *edit, st_part *part,
                                strata_error *error) {
    if (part->data != NULL && part->epoch == view->tree_epoch) return STRATA_OK;
    st_stored_part stored = { part->block, part->count };
    part->epoch = view->tree_epoch;
    return st_collection_block(view->txn, edit->identity, column, stored, &part->data, error);
}

/* Takes the bytes of elements out of the block they are lent from. */
static bool own_bytes(strata_view *view, void *column, uint32_t count) {
    strata_value *values = column;
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++)
        if (values[i].type != STRATA_NULL) size += values[i].as.bytes.size;
    uint8_t *bytes = st_arena_alloc(&view->writes->memory, size + 1);
    if (bytes == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i].type == STRATA_NULL || values[i].as.bytes.size == 0) continue;
        memcpy(bytes, values[i].as.bytes.data, values[i].as.bytes.size);
        values[i].as.bytes.data = bytes;
        bytes += values[i].as.bytes.size;
    }
    return true;
}

static bool own_columns(strata_view *view, const st_column *column, st_part *part) {
    bool done = true;
    if (column->collection == STRATA_MAP) done = own_bytes(view, part->loaded->values[0], part->count);
    if (st_element_has_bytes(column))
        done = done && own_bytes(view, part->loaded->values[st_element_columns(column) - 1], part->count);
    return done;
}

static void load_column(const st_column *column, const st_part *part, uint32_t part_column) {
    uint8_t *values = part->loaded->values[part_column];
    if (st_element_is_number(column, part_column))
        st_numbers_load((st_packing)st_element_field(column, part_column).packing, part->data, part_column, 0,
                        part->count, (uint64_t *)(void *)values);
    else st_elements_load(column, part->data, part_column, 0, part->count, (strata_value *)(void *)values);
}

strata_status st_part_load(strata_view *view, const st_column *column, st_edit *edit, st_part *part,
                           strata_error *error) {
    if (part->loaded != NULL) return STRATA_OK;
    strata_status status = part_block(view, column, edit, part, error);
    if (status != STRATA_OK) return status;
    part->loaded = make_loaded(edit);
    if (part->loaded == NULL) return st_no_memory(error, "changing a collection");
    if (!st_part_reserve(view, column, part, part->count + LOADED_SLACK)) {
        part->loaded = NULL;
        return st_no_memory(error, "changing a collection");
    }
    for (uint32_t c = 0; c < st_element_columns(column); c++) load_column(column, part, c);
    if (own_columns(view, column, part)) return STRATA_OK;
    view->writes->failed = true; /* some bytes are lent still */
    return st_no_memory(error, "changing a collection");
}

strata_status st_part_values(strata_view *view, const st_column *column, const st_edit *edit, st_part *part,
                             uint32_t part_column, uint32_t slot, uint32_t count, strata_value *out,
                             strata_error *error) {
    if (part->loaded != NULL) {
        st_part_get(column, part, part_column, slot, count, out);
        return STRATA_OK;
    }
    strata_status status = part_block(view, column, edit, part, error);
    if (status == STRATA_OK) st_elements_load(column, part->data, part_column, slot, count, out);
    return status;
}

bool st_part_cut(strata_view *view, const st_column *column, st_edit *edit, size_t at) {
    st_part *right = st_part_insert(edit, at + 1);
    if (right == NULL) return false;
    st_part *left = &edit->parts[at];
    uint32_t keep = left->count / 2;
    if (!st_part_reserve(view, column, right, left->count - keep)) return false;
    right->count = left->count - keep;
    right->loaded->changed = true;
    for (uint32_t c = 0; c < st_element_columns(column); c++) {
        size_t width = st_element_width(column, c);
        memcpy(right->loaded->values[c], left->loaded->values[c] + keep * width, right->count * width);
    }
    left->count = keep;
    left->loaded->changed = true;
    return true;
}

/* ---- Beginning an edit ------------------------------------------------ */

static strata_status load_short(strata_view *view, const st_column *column, st_edit *edit,
                                const st_collection_cell *cell, strata_error *error) {
    st_part *part = st_part_insert(edit, 0);
    if (part == NULL || !st_part_reserve(view, column, part, (size_t)cell->count))
        return st_no_memory(error, "changing a collection");
    part->count = (uint32_t)cell->count;
    for (uint32_t c = 0; c < st_element_columns(column); c++) {
        strata_value values[ST_SEQUENCE_MAX];
        strata_status status = st_collection_cell_values(column, cell, c, 0, cell->count, values, error);
        if (status != STRATA_OK) return status;
        st_part_put(column, part, c, 0, part->count, values);
    }
    return own_columns(view, column, part) ? STRATA_OK : st_no_memory(error, "changing a collection");
}

static strata_status load_cell(strata_view *view, const st_column *column, st_edit *edit, const st_pending *pending,
                               strata_error *error) {
    st_row_ref row = { pending->block, 0, pending->key };
    st_collection_cell cell;
    struct st_directory *directory;
    strata_status status = st_collection_cell_read(column, &row, edit->column, &cell, error);
    if (status != STRATA_OK || cell.count == 0) return status;
    edit->count = cell.count;
    edit->identity = cell.identity;
    if (cell.identity == 0) return load_short(view, column, edit, &cell, error);
    status = st_directory_get(view, &cell, &directory, error);
    if (status != STRATA_OK) return status;
    edit->next_block = directory->next_block;
    edit->parts = malloc((directory->part_count + PART_SLACK) * sizeof *edit->parts);
    if (edit->parts == NULL) return st_no_memory(error, "changing a collection");
    edit->part_count = directory->part_count;
    edit->part_capacity = directory->part_count + PART_SLACK;
    view->writes->edit_memory += edit->part_capacity * sizeof *edit->parts;
    for (uint32_t i = 0; i < directory->part_count; i++) {
        const st_stored_part *part = &directory->parts[i];
        edit->parts[i] = (st_part){ part->block, part->count, NULL, directory->data[i], view->tree_epoch };
    }
    return STRATA_OK;
}

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
    st_forget_recent(view);
    st_edit *edit = calloc(1, sizeof *edit);
    if (edit == NULL) return st_no_memory(error, "changing a collection");
    view->writes->edit_memory += sizeof *edit + sizeof *edit->parts + 2 * ALLOCATION;
    edit->column = column;
    edit->next_block = 1;
    status = load_cell(view, &view->catalog->tables[row->table].columns[column], edit, pending, error);
    if (status != STRATA_OK) {
        free_edit(edit);
        return status;
    }
    edit->next = pending->edits;
    pending->edits = edit;
    *out = edit;
    return STRATA_OK;
}
