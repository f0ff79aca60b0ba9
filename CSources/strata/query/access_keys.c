/* SPDX-License-Identifier: MIT
 * access_keys.c -- the object keys that an access leads to. */
#include "query/access_keys.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/status.h"
#include "condition/value.h"
#include "table/link_index.h"
#include "write/write_set.h"

static strata_status no_memory(st_query *query) { return st_no_memory(query->error, "walking an index"); }

/* ---- Putting keys in order -------------------------------------------- */

enum { FEW = 64, BITS_PER_KEY = 128 };

/* Keys that lie close together are sorted as bits: each sets one, and they are read in order. */
static strata_status order_as_bits(st_query *query, st_key_list *list, uint64_t low, uint64_t high) {
    size_t words = (size_t)((high - low) / 64 + 1), kept = 0;
    uint64_t *bits = calloc(words, sizeof *bits);
    if (bits == NULL) return no_memory(query);
    for (size_t i = 0; i < list->count; i++) {
        uint64_t at = list->keys[i] - low;
        bits[at / 64] |= UINT64_C(1) << at % 64;
    }
    for (size_t i = 0; i < words; i++) {
        for (uint64_t word = bits[i]; word != 0; word &= word - 1) {
            list->keys[kept++] = low + 64 * i + (uint64_t)__builtin_ctzll(word);
        }
    }
    list->count = kept;
    free(bits);
    return STRATA_OK;
}

static strata_status order_as_items(st_query *query, st_key_list *list) {
    st_sort_item *items = list->count > SIZE_MAX / 64 ? NULL : malloc((2 * list->count + 1) * sizeof *items);
    if (items == NULL) return no_memory(query);
    for (size_t i = 0; i < list->count; i++) items[i] = (st_sort_item){ list->keys[i], 0 };
    st_sort_items(items, items + list->count, list->count);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (kept == 0 || list->keys[kept - 1] != items[i].order) list->keys[kept++] = items[i].order;
    }
    list->count = kept;
    free(items);
    return STRATA_OK;
}

/* Sorts keys and drops those that are there twice. */
static strata_status put_in_order(st_query *query, st_key_list *list) {
    if (list->count == 0) return STRATA_OK;
    uint64_t low = UINT64_MAX, high = 0;
    bool ascending = true;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t key = list->keys[i];
        ascending = ascending && (i == 0 || key > list->keys[i - 1]);
        if (key < low) low = key;
        if (key > high) high = key;
    }
    if (ascending) return STRATA_OK;
    bool close = list->count > FEW && (high - low) / BITS_PER_KEY <= list->count;
    return close ? order_as_bits(query, list, low, high) : order_as_items(query, list);
}

/* ---- Collecting ------------------------------------------------------- */

enum {
    BATCH = 1024,
    MOST_AT_ONCE = 1 << 24 /* keys that there is room for at first: a damaged index may say that there are more */
};

static bool make_room(st_key_list *list, size_t *capacity, size_t more) {
    if (more <= *capacity - list->count) return true;
    size_t larger = list->count + more > 2 * *capacity ? list->count + more : 2 * *capacity;
    uint64_t *keys = larger > SIZE_MAX / 32 ? NULL : realloc(list->keys, larger * sizeof *keys);
    if (keys == NULL) return false;
    list->keys = keys;
    *capacity = larger;
    return true;
}

/* Appends the keys of a range. `*cursor` is NULL before the first range, and is closed by the caller. */
static strata_status add_range(st_query *query, st_posting_cursor **cursor, st_posting_set set,
                               const st_posting_range *range, st_key_list *list, size_t *capacity) {
    size_t got = BATCH;
    strata_status status = st_posting_cursor_begin(query->view->txn, set, range, false, cursor, query->error);
    while (status == STRATA_OK && got != 0) {
        if (!make_room(list, capacity, BATCH)) status = no_memory(query);
        if (status != STRATA_OK) break;
        status = st_posting_cursor_keys(*cursor, list->keys + list->count, *capacity - list->count, &got, query->error);
        list->count += got;
        query->stats.entries_visited += got;
        if (status == STRATA_OK && !st_query_step(query, (uint32_t)got)) status = query->status;
    }
    return status;
}

static strata_status ranges_keys(st_query *query, const st_access *access, st_key_list *list) {
    size_t capacity = (access->entries < MOST_AT_ONCE ? (size_t)access->entries : MOST_AT_ONCE) + BATCH;
    st_posting_cursor *cursor = NULL;
    list->keys = malloc(capacity * sizeof *list->keys);
    if (list->keys == NULL) return no_memory(query);
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < access->range_count && status == STRATA_OK; i++) {
        status = add_range(query, &cursor, access->set, &access->ranges[i], list, &capacity);
    }
    st_posting_cursor_close(cursor);
    return status;
}

static strata_status objects_keys(st_query *query, const st_access *access, st_key_list *list) {
    list->keys = malloc((access->entries + 1) * sizeof *list->keys);
    if (list->keys == NULL) return no_memory(query);
    for (size_t i = 0; i < access->entries; i++) {
        st_stored_row row;
        strata_status status = st_query_find(query, query->spec->table, access->keys[i], &row);
        if (status < 0) return status;
        if (status == STRATA_OK) list->keys[list->count++] = access->keys[i];
    }
    return STRATA_OK;
}

static strata_status linked_keys(st_query *query, const st_access *access, st_key_list *list) {
    st_key_list targets;
    st_posting_cursor *cursor = NULL;
    size_t capacity = 0;
    strata_status status = st_access_keys(query, access->inputs[0], &targets);
    for (size_t i = 0; i < targets.count && status == STRATA_OK; i++) {
        uint8_t value[8];
        st_posting_range range = st_links_range(value, targets.keys[i]);
        status = add_range(query, &cursor, access->set, &range, list, &capacity);
    }
    st_posting_cursor_close(cursor);
    free(targets.keys);
    return status;
}

static strata_status union_keys(st_query *query, const st_access *access, st_key_list *list) {
    size_t capacity = 0;
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < access->input_count && status == STRATA_OK; i++) {
        st_key_list input;
        status = st_access_keys(query, access->inputs[i], &input);
        if (status == STRATA_OK && !make_room(list, &capacity, input.count + 1)) status = no_memory(query);
        if (status == STRATA_OK && input.count != 0) {
            memcpy(list->keys + list->count, input.keys, input.count * sizeof *input.keys);
            list->count += input.count;
        }
        free(input.keys);
    }
    return status;
}

/* Drops the keys that are not in the other list. */
static void intersect(st_key_list *list, const st_key_list *other) {
    size_t kept = 0;
    for (size_t i = 0, k = 0; i < list->count && k < other->count;) {
        uint64_t a = list->keys[i], b = other->keys[k];
        if (a == b) list->keys[kept++] = a;
        i += a <= b;
        k += b <= a;
    }
    list->count = kept;
}

static strata_status intersection_keys(st_query *query, const st_access *access, st_key_list *list) {
    strata_status status = st_access_keys(query, access->inputs[0], list);
    for (uint32_t i = 1; i < access->input_count && status == STRATA_OK && list->count != 0; i++) {
        st_key_list input;
        status = st_access_keys(query, access->inputs[i], &input);
        if (status == STRATA_OK) intersect(list, &input);
        free(input.keys);
    }
    return status;
}

strata_status st_access_keys(st_query *query, const st_access *access, st_key_list *out) {
    *out = (st_key_list){ NULL, 0 };
    strata_status status;
    switch (access->kind) {
    case ST_ACCESS_OBJECTS: return objects_keys(query, access, out);
    case ST_ACCESS_LINKED: status = linked_keys(query, access, out); break;
    case ST_ACCESS_UNION: status = union_keys(query, access, out); break;
    case ST_ACCESS_INTERSECTION: return intersection_keys(query, access, out);
    default: status = ranges_keys(query, access, out); break;
    }
    return status == STRATA_OK ? put_in_order(query, out) : status;
}
