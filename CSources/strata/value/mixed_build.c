/* SPDX-License-Identifier: MIT
 * mixed_build.c -- lists and maps of mixed values, built entry by entry. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/utf8.h"
#include "value/mixed.h"

/* A list or map that was begun and has not been ended. */
typedef struct nested_level {
    size_t start;      /* the offset of its tag */
    size_t last_key;   /* the offset of its newest key, which begins with the size */
    uint32_t count;
    strata_collection kind;
    bool ascending;    /* the keys ascend so far */
} nested_level;

struct strata_nested {
    st_buffer bytes;
    uint32_t depth;
    nested_level levels[STRATA_MAX_NESTING];
};

strata_nested *strata_nested_make(void) { return calloc(1, sizeof(strata_nested)); }

void strata_nested_free(strata_nested *nested) {
    if (nested == NULL) return;
    st_buffer_free(&nested->bytes);
    free(nested);
}

void strata_nested_reset(strata_nested *nested) {
    if (nested == NULL) return;
    nested->bytes.size = 0;
    nested->depth = 0;
}

/* ---- Entries ---------------------------------------------------------- */

static strata_bytes key_at(const strata_nested *nested, size_t at) {
    return (strata_bytes){ nested->bytes.data + at + 2, strata_load16(nested->bytes.data + at) };
}

/* May an entry with that key, or without one, come next? */
static strata_status check_entry(const strata_nested *nested, const strata_bytes *key, strata_error *error) {
    if (nested->depth == 0)
        return st_fail(error, STRATA_MISUSE, 0, "an entry outside of every list and map; begin one first");
    bool map = nested->levels[nested->depth - 1].kind == STRATA_MAP;
    if (map != (key != NULL))
        return st_fail(error, STRATA_MISUSE, 0, "an entry of a %s", map ? "map without a key" : "list with a key");
    if (!map) return STRATA_OK;
    if (key->size > STRATA_MAX_MAP_KEY)
        return st_fail(error, STRATA_TOO_LARGE, 0, "a map key of %zu bytes; the limit is %d", key->size,
                       STRATA_MAX_MAP_KEY);
    if (key->size != 0 && key->data == NULL) return st_fail(error, STRATA_MISUSE, 0, "a map key without an address");
    if (!st_utf8_valid(key->data, key->size))
        return st_fail(error, STRATA_TYPE, 0, "a map key of %zu bytes is not valid UTF-8", key->size);
    return STRATA_OK;
}

/* Appends the key, if there is one. False if there is no memory. */
static bool append_key(strata_nested *nested, const strata_bytes *key) {
    uint8_t size[2];
    if (key == NULL) return true;
    st_store16(size, (uint16_t)key->size);
    return st_buffer_append(&nested->bytes, size, 2) &&
           (key->size == 0 || st_buffer_append(&nested->bytes, key->data, key->size));
}

/* Counts an entry that was added to the innermost list or map; its key, if it has one, is at `at`. */
static void count_entry(strata_nested *nested, bool has_key, size_t at) {
    nested_level *l = &nested->levels[nested->depth - 1];
    if (has_key) {
        if (l->count != 0 && st_compare(key_at(nested, l->last_key), key_at(nested, at)) >= 0) l->ascending = false;
        l->last_key = at;
    }
    l->count++;
}

static strata_status too_large(strata_error *error) {
    return st_fail(error, STRATA_TOO_LARGE, 0, "a list or map of more than %d bytes (16 MiB); split it, or keep it in "
                   "a property that is a list or a map", STRATA_MAX_VALUE);
}

/* How deep a well-formed value is nested. */
static uint32_t depth_of(const strata_value *value) {
    strata_nested_iterator it;
    strata_value entry;
    uint32_t deepest = 0;
    if (value->type != STRATA_NESTED || strata_nested_open(value->as.bytes, &it, NULL) != STRATA_OK) return 0;
    while (strata_nested_next(&it, NULL, &entry) == STRATA_OK) {
        uint32_t depth = depth_of(&entry);
        if (depth > deepest) deepest = depth;
    }
    return 1 + deepest;
}

/* Was the builder made? */
static strata_status check_made(const strata_nested *nested, strata_error *error) {
    if (nested != NULL) return STRATA_OK;
    return st_fail(error, STRATA_MISUSE, 0, "the builder is NULL: strata_nested_make() failed, or was not called");
}

static strata_status too_deep(strata_error *error) {
    return st_fail(error, STRATA_TOO_LARGE, 0, "lists and maps nested more than %d deep; keep the inner ones in "
                   "objects of their own", STRATA_MAX_NESTING);
}

static strata_status add(strata_nested *nested, const strata_bytes *key, const strata_value *value,
                         strata_error *error) {
    strata_status status = check_made(nested, error);
    if (status == STRATA_OK) status = check_entry(nested, key, error);
    if (status != STRATA_OK) return status;
    if (value == NULL || st_mixed_lacks_bytes(value))
        return st_fail(error, STRATA_MISUSE, 0, "an entry of a list or map: %s without an address",
                       value == NULL ? "a value" : "bytes");
    const char *flaw = st_mixed_flaw(value, UINT32_MAX);
    if (flaw != NULL) return st_fail(error, STRATA_TYPE, 0, "an entry of a list or map %s", flaw);
    if (nested->depth + depth_of(value) > STRATA_MAX_NESTING) return too_deep(error);
    size_t before = nested->bytes.size, more = 24 + (key == NULL ? 0 : key->size);
    if (value->type == STRATA_STRING || value->type == STRATA_DATA || value->type == STRATA_NESTED) {
        if (value->as.bytes.size > STRATA_MAX_VALUE) return too_large(error);
        more += value->as.bytes.size;
    }
    if (before + more > STRATA_MAX_VALUE) return too_large(error);
    if (!append_key(nested, key) || !st_mixed_append_entry(value, &nested->bytes)) {
        nested->bytes.size = before;
        return st_no_memory(error, "building a list or map");
    }
    count_entry(nested, key != NULL, before);
    return STRATA_OK;
}

strata_status strata_nested_append(strata_nested *nested, const strata_value *value, strata_error *error) {
    return add(nested, NULL, value, error);
}

strata_status strata_nested_put(strata_nested *nested, strata_bytes key, const strata_value *value,
                                strata_error *error) {
    return add(nested, &key, value, error);
}

/* ---- Beginning and ending --------------------------------------------- */

static strata_status begin(strata_nested *nested, strata_collection kind, const strata_bytes *key,
                           strata_error *error) {
    uint8_t head[ST_MIXED_NESTED_HEAD] = { (uint8_t)(STRATA_NESTED | (uint32_t)kind << 4) };
    strata_status status = check_made(nested, error);
    if (status != STRATA_OK) return status;
    if (nested->depth == 0) {
        if (key != NULL) return st_fail(error, STRATA_MISUSE, 0, "the outermost list or map has no key");
        nested->bytes.size = 0;
    } else {
        status = check_entry(nested, key, error);
        if (status != STRATA_OK) return status;
    }
    if (nested->depth == STRATA_MAX_NESTING) return too_deep(error);
    size_t before = nested->bytes.size;
    if (before + sizeof head + 2 + (key == NULL ? 0 : key->size) > STRATA_MAX_VALUE) return too_large(error);
    if (!append_key(nested, key)) goto no_memory;
    size_t start = nested->bytes.size;
    if (!st_buffer_append(&nested->bytes, head, sizeof head)) goto no_memory;
    if (nested->depth != 0) count_entry(nested, key != NULL, before);
    nested->levels[nested->depth++] = (nested_level){ .start = start, .kind = kind, .ascending = true };
    return STRATA_OK;

no_memory:
    nested->bytes.size = before;
    return st_no_memory(error, "building a list or map");
}

strata_status strata_nested_begin_list(strata_nested *nested, const strata_bytes *key, strata_error *error) {
    return begin(nested, STRATA_LIST, key, error);
}

strata_status strata_nested_begin_map(strata_nested *nested, const strata_bytes *key, strata_error *error) {
    return begin(nested, STRATA_MAP, key, error);
}

/* An entry of a map that is being sorted. */
typedef struct entry {
    strata_bytes key, whole;
} entry;

/* Among equal keys the later one comes first. */
static int by_key(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int order = st_compare(x->key, y->key);
    return order != 0 ? order : x->whole.data > y->whole.data ? -1 : x->whole.data < y->whole.data;
}

/* Sorts the entries of a map by their keys. If keys are equal, only the entry that was added last stays. False if there
 * is no memory. */
static bool sort_map(strata_nested *nested, nested_level *l) {
    uint8_t *first = nested->bytes.data + l->start + ST_MIXED_NESTED_HEAD;
    size_t size = nested->bytes.size - l->start - ST_MIXED_NESTED_HEAD, kept = 0;
    strata_nested_iterator it = { STRATA_MAP, l->count, l->count, first, first + size };
    entry *entries = malloc(l->count * sizeof *entries);
    uint8_t *sorted = malloc(size), *to = sorted;
    if (entries == NULL || sorted == NULL) {
        free(entries);
        free(sorted);
        return false;
    }
    for (uint32_t i = 0; i < l->count; i++) {
        strata_value value;
        const uint8_t *from = it.at;
        if (strata_nested_next(&it, &entries[i].key, &value) != STRATA_OK) break; /* impossible */
        entries[i].whole = (strata_bytes){ from, (size_t)(it.at - from) };
    }
    st_sort_array(entries, l->count, sizeof *entries, by_key);
    for (uint32_t i = 0; i < l->count; i++) {
        if (i > 0 && st_compare(entries[i - 1].key, entries[i].key) == 0) continue;
        memcpy(to, entries[i].whole.data, entries[i].whole.size);
        to += entries[i].whole.size;
        kept++;
    }
    memcpy(first, sorted, (size_t)(to - sorted));
    nested->bytes.size = l->start + ST_MIXED_NESTED_HEAD + (size_t)(to - sorted);
    l->count = (uint32_t)kept;
    free(entries);
    free(sorted);
    return true;
}

strata_status strata_nested_end(strata_nested *nested, strata_error *error) {
    strata_status status = check_made(nested, error);
    if (status != STRATA_OK) return status;
    if (nested->depth == 0) return st_fail(error, STRATA_MISUSE, 0, "the end of a list or map that was not begun");
    nested_level *l = &nested->levels[nested->depth - 1];
    if (!l->ascending && !sort_map(nested, l)) return st_no_memory(error, "building a map");
    uint8_t *head = nested->bytes.data + l->start;
    st_store32(head + 1, (uint32_t)(nested->bytes.size - l->start - ST_MIXED_NESTED_HEAD));
    st_store32(head + 5, l->count);
    nested->depth--;
    return STRATA_OK;
}

strata_status strata_nested_finish(strata_nested *nested, strata_value *out, strata_error *error) {
    *out = strata_null();
    strata_status status = check_made(nested, error);
    if (status != STRATA_OK) return status;
    if (nested->depth != 0 || nested->bytes.size == 0)
        return st_fail(error, STRATA_MISUSE, 0, nested->depth != 0 ? "a list or map is finished before its end"
                                                                   : "nothing was begun");
    out->type = STRATA_NESTED;
    out->as.bytes = (strata_bytes){ nested->bytes.data, nested->bytes.size };
    return STRATA_OK;
}
