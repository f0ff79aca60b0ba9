/* SPDX-License-Identifier: MIT
 * change_set.c -- what several commits changed together. */
#include "observe/change_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/status.h"

enum { MOST_DELTAS = 1 << 22, FIRST_CAPACITY = 64, KEY_BITS = 48 };

/* Beyond some millions of changes it is cheaper to look at everything. */
static void give_up(st_change_set *changes) {
    changes->whole = true;
    changes->count = 0;
}

static bool reserve(st_change_set *changes) {
    if (changes->count < changes->capacity) return true;
    size_t capacity = changes->capacity == 0 ? FIRST_CAPACITY : 2 * changes->capacity;
    strata_delta *deltas = realloc(changes->deltas, capacity * sizeof *deltas);
    if (deltas == NULL) return false;
    changes->deltas = deltas;
    changes->capacity = capacity;
    return true;
}

strata_status st_change_set_append(st_change_set *changes, strata_commit *commit, strata_error *error) {
    strata_commit_info info = strata_commit_info_blank();
    strata_status status = strata_commit_get_info(commit, &info, error);
    if (status != STRATA_OK) return status;
    if ((info.flags & (STRATA_COMMIT_WHOLE | STRATA_COMMIT_SCHEMA)) != 0) give_up(changes);
    strata_commit_rewind(commit);
    while (!changes->whole) {
        if (!reserve(changes)) return st_no_memory(error, "reading what was changed");
        status = strata_commit_next(commit, &changes->deltas[changes->count], error);
        if (status != STRATA_OK) break;
        if (++changes->count > MOST_DELTAS) give_up(changes);
    }
    return status < 0 ? status : STRATA_OK;
}

static uint64_t place(const strata_delta *delta) { return (uint64_t)delta->table << KEY_BITS | delta->key; }

strata_status st_change_set_finish(st_change_set *changes, strata_error *error) {
    size_t count = changes->count, sorted = 1;
    while (sorted < count && place(&changes->deltas[sorted - 1]) <= place(&changes->deltas[sorted])) sorted++;
    if (sorted >= count) return STRATA_OK; /* as that of a single commit is */
    st_sort_item *items = malloc(2 * count * sizeof *items);
    strata_delta *deltas = malloc(count * sizeof *deltas);
    if (items != NULL && deltas != NULL) {
        for (size_t i = 0; i < count; i++) items[i] = (st_sort_item){ place(&changes->deltas[i]), i };
        st_sort_items(items, items + count, count);
        for (size_t i = 0; i < count; i++) deltas[i] = changes->deltas[items[i].index];
        free(changes->deltas);
        changes->deltas = deltas;
        changes->capacity = count;
        free(items);
        return STRATA_OK;
    }
    free(items);
    free(deltas);
    return st_no_memory(error, "reading what was changed");
}

void st_change_set_free(st_change_set *changes) {
    free(changes->deltas);
    *changes = (st_change_set){ 0 };
}

/* The first change that is not before a place. */
static size_t first_from(const st_change_set *changes, uint64_t from) {
    size_t low = 0, high = changes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (place(&changes->deltas[middle]) < from) low = middle + 1;
        else high = middle;
    }
    return low;
}

static const strata_delta *between(const st_change_set *changes, uint64_t from, uint64_t to, size_t *count) {
    size_t first = first_from(changes, from);
    *count = first_from(changes, to) - first;
    return changes->deltas + first;
}

const strata_delta *st_change_set_table(const st_change_set *changes, uint32_t table, size_t *count) {
    return between(changes, (uint64_t)table << KEY_BITS, ((uint64_t)table + 1) << KEY_BITS, count);
}

const strata_delta *st_change_set_object(const st_change_set *changes, uint32_t table, uint64_t key, size_t *count) {
    uint64_t at = (uint64_t)table << KEY_BITS | key;
    return between(changes, at, at + 1, count);
}

bool st_change_set_cleared(const st_change_set *changes, uint32_t table) {
    size_t count;
    (void)st_change_set_object(changes, table, 0, &count);
    return count != 0;
}

bool st_change_set_deleted(const st_change_set *changes, uint32_t table, uint64_t key) {
    size_t count;
    const strata_delta *deltas = st_change_set_object(changes, table, key, &count);
    return count != 0 && deltas[count - 1].kind == STRATA_DELTA_DELETE;
}
