/* SPDX-License-Identifier: MIT
 * stored.c -- does each thing that is stored outside of rows belong to one row, and is it complete? */
#include "upkeep/stored.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/status.h"
#include "store/cursor.h"
#include "table/blob.h"
#include "write/identity.h"

static strata_status note(st_stored *stored, uint64_t identity, uint64_t entries, strata_error *error) {
    st_stored_item item = { identity, entries };
    return st_buffer_append(&stored->items, &item, sizeof item) ? STRATA_OK : st_no_memory(error, "verifying");
}

strata_status st_stored_note_blob(st_stored *stored, uint64_t identity, uint64_t size, strata_error *error) {
    return note(stored, identity, (size + ST_BLOB_PIECE - 1) / ST_BLOB_PIECE, error);
}

strata_status st_stored_note_collection(st_stored *stored, const st_source *source, strata_error *error) {
    st_directory *directory;
    if (source->edit != NULL || source->cell.identity == 0) return STRATA_OK;
    strata_status status = st_directory_get(source->view, &source->cell, &directory, error);
    if (status != STRATA_OK) return status;
    return note(stored, source->cell.identity, 1 + (uint64_t)directory->chunk_count, error);
}

static int by_identity(const void *a, const void *b) {
    uint64_t left = ((const st_stored_item *)a)->identity, right = ((const st_stored_item *)b)->identity;
    return left < right ? -1 : left > right;
}

/* No two rows refer to the same identity, and none to an identity that was not given out yet. */
static strata_status check_items(const st_stored_item *items, size_t count, strata_view *view, const char *what,
                                 strata_error *error) {
    uint64_t next;
    if (count == 0) return STRATA_OK;
    for (size_t i = 1; i < count; i++) {
        if (items[i].identity == items[i - 1].identity)
            return st_fail(error, STRATA_CORRUPT, 0, "the %s %llu belongs to two objects", what,
                           (unsigned long long)items[i].identity);
    }
    strata_status status = st_identity_next(view->txn, &next, error);
    if (status != STRATA_OK || items[count - 1].identity < next) return status;
    return st_fail(error, STRATA_CORRUPT, 0, "the %s %llu has a number that was not given out yet", what,
                   (unsigned long long)items[count - 1].identity);
}

/* Counts the entries of the identity that `*key` begins with; `*key` is then the first key behind them. */
static strata_status count_entries(st_cursor *cursor, strata_bytes *key, uint64_t *out, strata_error *error) {
    uint64_t identity = st_load_big64(key->data);
    strata_status status = STRATA_OK;
    for (*out = 0; status == STRATA_OK && key->size >= 8 && st_load_big64(key->data) == identity; ++*out) {
        strata_bytes value;
        status = st_cursor_next(cursor, key, &value, error);
    }
    return status;
}

static strata_status check_entries(const st_stored_item *items, size_t count, st_cursor *cursor, const char *what,
                                   strata_error *error) {
    strata_bytes key, value;
    strata_status status = st_cursor_seek(cursor, (strata_bytes){ NULL, 0 }, &key, &value, error);
    size_t at = 0;
    while (status == STRATA_OK) {
        uint64_t entries;
        if (key.size < 8) return st_fail(error, STRATA_CORRUPT, 0, "an entry of a %s has a damaged key", what);
        uint64_t identity = st_load_big64(key.data);
        status = count_entries(cursor, &key, &entries, error);
        if (status < 0) return status;
        if (at == count || items[at].identity != identity)
            return st_fail(error, STRATA_CORRUPT, 0, "the %s %llu belongs to no object", what,
                           (unsigned long long)identity);
        if (items[at].entries != entries)
            return st_fail(error, STRATA_CORRUPT, 0, "the %s %llu is stored in %llu pieces and has %llu", what,
                           (unsigned long long)identity, (unsigned long long)entries,
                           (unsigned long long)items[at].entries);
        at++;
    }
    if (status < 0 || at == count) return status < 0 ? status : STRATA_OK;
    return st_fail(error, STRATA_CORRUPT, 0, "the %s %llu is missing", what, (unsigned long long)items[at].identity);
}

strata_status st_stored_check(st_stored *stored, strata_view *view, st_tree tree, const char *what,
                              strata_error *error) {
    st_stored_item *items = (st_stored_item *)(void *)stored->items.data;
    size_t count = stored->items.size / sizeof *items;
    st_sort_array(items, count, sizeof *items, by_identity);
    strata_status status = check_items(items, count, view, what, error);
    st_cursor *cursor;
    if (status == STRATA_OK) status = st_cursor_open(view->txn, tree, &cursor, error);
    if (status != STRATA_OK) return status;
    status = check_entries(items, count, cursor, what, error);
    st_cursor_close(cursor);
    return status;
}

void st_stored_free(st_stored *stored) { st_buffer_free(&stored->items); }
