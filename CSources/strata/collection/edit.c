/* SPDX-License-Identifier: MIT
 * edit.c -- a collection that is being changed. */
#include "collection/edit.h"

#include "base/arena.h"
#include "base/array.h"

#include <stdlib.h>

st_edit *st_edit_make(uint32_t column, st_arena *bytes, size_t *memory) {
    st_edit *edit = calloc(1, sizeof *edit);
    if (edit == NULL) return NULL;
    edit->column = column;
    edit->next_block = 1;
    edit->bytes = bytes;
    edit->memory = memory;
    *memory += sizeof *edit + sizeof *edit->chunks + 2 * ST_ALLOCATION;
    return edit;
}

static void free_edit(st_edit *edit) {
    while (edit->loaded != NULL) {
        st_loaded_chunk *next = edit->loaded->next;
        free(edit->loaded->values[0]);
        free(edit->loaded->values[1]);
        free(edit->loaded);
        edit->loaded = next;
    }
    free(edit->chunks);
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

/* Builds the binary indexed tree: `sums[i]` has the counts of the i & -i chunks that end with chunk i - 1. False if
 * there is no memory; then counts are added up one by one. */
static bool build_sums(st_edit *edit) {
    if (edit->sums_count == edit->chunk_count) return true;
    if (edit->sums_capacity < edit->chunk_count + 1) {
        size_t capacity = edit->chunk_count + edit->chunk_count / 2 + 16;
        uint64_t *sums = realloc(edit->sums, capacity * sizeof *sums);
        if (sums == NULL) return false;
        edit->sums = sums;
        edit->sums_capacity = capacity;
    }
    memset(edit->sums, 0, (edit->chunk_count + 1) * sizeof *edit->sums);
    for (size_t i = 1; i <= edit->chunk_count; i++) {
        edit->sums[i] += edit->chunks[i - 1].count;
        size_t above = i + (i & -i);
        if (above <= edit->chunk_count) edit->sums[above] += edit->sums[i];
    }
    edit->sums_count = edit->chunk_count;
    return true;
}

void st_edit_resized(st_edit *edit, size_t at, int64_t change) {
    if (edit->hint > at) edit->hint_start += (uint64_t)change;
    if (edit->sums_count != edit->chunk_count) return;
    for (size_t i = at + 1; i <= edit->chunk_count; i += i & -i) edit->sums[i] += (uint64_t)change;
}

uint64_t st_edit_start(st_edit *edit, size_t at) {
    uint64_t start = 0;
    if (at == edit->hint) return edit->hint_start;
    if (!build_sums(edit)) {
        for (size_t i = 0; i < at; i++) start += edit->chunks[i].count;
        return start;
    }
    for (size_t i = at; i > 0; i -= i & -i) start += edit->sums[i];
    return start;
}

/* The chunk with the element at a position. */
static size_t search(st_edit *edit, uint64_t position) {
    uint64_t start = 0;
    size_t at = 0, step = 1;
    if (!build_sums(edit)) {
        while (at + 1 < edit->chunk_count && position >= start + edit->chunks[at].count)
            start += edit->chunks[at++].count;
        return at;
    }
    while (step * 2 <= edit->chunk_count) step *= 2;
    for (; step > 0; step /= 2) {
        if (at + step > edit->chunk_count || start + edit->sums[at + step] > position) continue;
        at += step;
        start += edit->sums[at];
    }
    return at < edit->chunk_count ? at : edit->chunk_count - 1;
}

size_t st_edit_locate(st_edit *edit, uint64_t position, uint64_t *start) {
    size_t at = edit->hint;
    uint64_t from = edit->hint_start;
    if (at < edit->chunk_count && position >= from + edit->chunks[at].count && at + 1 < edit->chunk_count)
        from += edit->chunks[at++].count; /* a walk goes on to the next chunk */
    bool found = at < edit->chunk_count && position >= from && position - from < edit->chunks[at].count;
    if (!found && position == edit->count) {
        at = edit->chunk_count - 1;
        from = edit->count - edit->chunks[at].count;
    } else if (!found) {
        at = search(edit, position);
        from = st_edit_start(edit, at);
    }
    edit->hint = at;
    edit->hint_start = from;
    *start = from;
    return at;
}

/* ---- Chunks ----------------------------------------------------------- */

st_loaded_chunk *st_edit_add_loaded(st_edit *edit) {
    st_loaded_chunk *loaded = calloc(1, sizeof *loaded);
    if (loaded == NULL) return NULL;
    loaded->next = edit->loaded;
    edit->loaded = loaded;
    return loaded;
}

static void forget_positions(st_edit *edit) {
    edit->sums_count = 0;
    edit->hint = 0;
    edit->hint_start = 0;
}

st_chunk *st_edit_insert(st_edit *edit, size_t at) {
    st_loaded_chunk *loaded = st_edit_add_loaded(edit);
    if (loaded == NULL ||
        !st_array_grow((void **)&edit->chunks, &edit->chunk_capacity, edit->chunk_count, sizeof *edit->chunks))
        return NULL;
    memmove(&edit->chunks[at + 1], &edit->chunks[at], (edit->chunk_count - at) * sizeof *edit->chunks);
    edit->chunk_count++;
    forget_positions(edit);
    edit->chunks[at] = (st_chunk){ .loaded = loaded };
    return &edit->chunks[at];
}

bool st_edit_remove(st_edit *edit, size_t at) {
    st_chunk *gone = &edit->chunks[at];
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
    edit->chunk_count--;
    memmove(gone, gone + 1, (edit->chunk_count - at) * sizeof *gone);
    forget_positions(edit);
    return true;
}

bool st_edit_split(const st_column *column, st_edit *edit, size_t at) {
    st_chunk *right = st_edit_insert(edit, at + 1);
    if (right == NULL) return false;
    st_chunk *left = &edit->chunks[at];
    uint32_t stay = left->count / 2;
    if (!st_chunk_reserve(column, right, left->count - stay, edit->memory)) return false;
    right->count = left->count - stay;
    right->loaded->changed = true;
    for (uint32_t c = 0; c < st_element_columns(column); c++) {
        size_t width = st_element_width(column, c);
        memcpy(right->loaded->values[c], left->loaded->values[c] + stay * width, right->count * width);
    }
    left->count = stay;
    left->loaded->changed = true;
    return true;
}
