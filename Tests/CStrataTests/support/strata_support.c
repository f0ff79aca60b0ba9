/* SPDX-License-Identifier: MIT
 * strata_support.c -- short words for tests of schemas, objects, lists and views. */
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/strata_support.h"

#include <stdio.h>

static fixture *open_with(const strata_config *config) {
    fixture *f = calloc(1, sizeof *f);
    CHECK(f != NULL);
    MUST(strata_store_open(config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    return f;
}

fixture *fixture_open(const char *file) {
    strata_config config = { .size = sizeof config, .path = ctest_path(file) };
    return open_with(&config);
}

fixture *fixture_open_memory(void) {
    strata_config config = { .size = sizeof config, .memory_name = ctest_path("memory") };
    return open_with(&config);
}

void fixture_close(fixture *f) {
    strata_view_close(f->view);
    strata_store_close(f->store);
    free(f);
}

strata_interrupt *fixture_interrupt(fixture *f) {
    strata_interrupt *interrupt;
    MUST(strata_interrupt_make(&interrupt, &f->error));
    MUST(strata_view_set_interrupt(f->view, interrupt, &f->error));
    return interrupt;
}

void fixture_close_with(fixture *f, strata_interrupt *interrupt) {
    fixture_close(f);
    strata_interrupt_free(interrupt);
}

void must(fixture *f, strata_status status, const char *file, int line, const char *call) {
    char text[700];
    if (status == STRATA_OK) return;
    snprintf(text, sizeof text, "%s: %s (%s)", call, strata_status_name(status), f->error.message);
    ctest_fail(file, line, text);
}

void refused(fixture *f, strata_status status, strata_status expected, const char *const *words, const char *file,
             int line) {
    char text[700];
    if (status != expected || f->error.status != expected) {
        snprintf(text, sizeof text, "%s (%s), not %s", strata_status_name(status), f->error.message,
                 strata_status_name(expected));
        ctest_fail(file, line, text);
    }
    for (; *words != NULL; words++) {
        if (strstr(f->error.message, *words) != NULL) continue;
        snprintf(text, sizeof text, "\"%s\" does not say \"%s\"", f->error.message, *words);
        ctest_fail(file, line, text);
    }
}

/* ---- Schemas ---------------------------------------------------------- */

strata_status apply(fixture *f, uint64_t version, const strata_table_spec *tables, uint32_t count) {
    return strata_schema_apply(f->view, tables, count, version, &f->error);
}

strata_column_spec column(const char *name, strata_type type, uint32_t flags) {
    return (strata_column_spec){ name, type, STRATA_SINGLE, flags, NULL };
}

strata_column_spec link_to(const char *name, const char *target) {
    return (strata_column_spec){ name, STRATA_LINK, STRATA_SINGLE, 0, target };
}

strata_column_spec list_of(const char *name, const char *target) {
    return (strata_column_spec){ name, STRATA_LINK, STRATA_LIST, 0, target };
}

/* ---- Objects ---------------------------------------------------------- */

uint64_t add(fixture *f, uint32_t table, uint32_t count, const strata_value *values) {
    uint64_t key;
    MUST(strata_object_create(f->view, table, values, count, &key, &f->error));
    return key;
}

strata_row row_of(fixture *f, uint32_t table, uint64_t key) {
    strata_row row;
    MUST(strata_row_bind(f->view, table, key, &row, &f->error));
    return row;
}

void set(fixture *f, uint32_t table, uint64_t key, uint32_t number, strata_value value) {
    strata_row row = row_of(f, table, key);
    MUST(strata_row_set(&row, number, &value, &f->error));
}

strata_value value_of(const char *text) { return strata_string(text, strlen(text)); }

uint64_t table_size(fixture *f, uint32_t table) {
    uint64_t size;
    MUST(strata_table_size(f->view, table, &size, &f->error));
    return size;
}

uint64_t backlinks(fixture *f, uint32_t table, uint64_t key, uint32_t origin_table, uint32_t origin_column) {
    uint64_t count;
    MUST(strata_backlinks_count(f->view, table, key, origin_table, origin_column, &count, &f->error));
    return count;
}

uint64_t index_count(fixture *f, uint32_t table, uint32_t number, const strata_value *value) {
    strata_range range = { value, value, false, false };
    strata_cursor *cursor;
    strata_row row;
    uint64_t count = 0;
    MUST(strata_index_scan(f->view, table, number, value == NULL ? NULL : &range, false, &cursor, &f->error));
    while (strata_cursor_next(cursor, &row, &f->error) == STRATA_OK) count++;
    strata_cursor_close(cursor);
    return count;
}

/* ---- Lists of links ---------------------------------------------------- */

enum { MOST_KEYS = 100000 };

/* A link, also to key 0, which is refused. */
static strata_value key_value(uint64_t key) {
    strata_value value = strata_null();
    value.type = STRATA_LINK;
    value.as.link = key;
    return value;
}

strata_status insert_keys(strata_row *row, uint32_t column, uint64_t position, const uint64_t *keys, uint64_t count,
                          strata_error *error) {
    static strata_value values[MOST_KEYS]; /* not allocated: tests make allocations fail */
    CHECK(count <= MOST_KEYS);
    for (uint64_t i = 0; i < count; i++) values[i] = key_value(keys[i]);
    return strata_list_insert(row, column, position, values, count, error);
}

strata_status set_key(strata_row *row, uint32_t column, uint64_t position, uint64_t key, strata_error *error) {
    strata_value value = key_value(key);
    return strata_list_set(row, column, position, &value, error);
}

strata_status find_key(strata_row *row, uint32_t column, uint64_t key, uint64_t from, uint64_t *out,
                       strata_error *error) {
    strata_value value = key_value(key);
    return strata_collection_find(row, column, &value, from, out, error);
}

strata_status get_keys(strata_row *row, uint32_t column, uint64_t position, uint64_t count, uint64_t *out,
                       strata_error *error) {
    static strata_value values[MOST_KEYS];
    CHECK(count <= MOST_KEYS || count > UINT32_MAX); /* so many are refused before anything is written */
    strata_status status = strata_collection_get(row, column, position, count, values, error);
    for (uint64_t i = 0; i < count && status == STRATA_OK; i++) out[i] = values[i].as.link;
    return status;
}

/* ---- Checks ----------------------------------------------------------- */

void check_text(fixture *f, uint32_t table, uint64_t key, uint32_t number, const char *expected) {
    strata_row row = row_of(f, table, key);
    strata_value value;
    MUST(strata_row_get(&row, number, &value, &f->error));
    CHECK_EQ(value.type == STRATA_NULL, expected == NULL);
    size_t size, length = expected == NULL ? 0 : strlen(expected);
    char *text = calloc(1, length + 2);
    MUST(strata_row_read(&row, number, 0, text, length + 1, &size, &f->error));
    if (expected != NULL) CHECK_TEXT(text, expected);
    CHECK_EQ(size, length);
    free(text);
}

uint64_t tree_entries(fixture *f, st_tree tree) {
    st_txn *txn;
    uint64_t count;
    MUST(st_snapshot_begin(f->store, &txn, &f->error));
    MUST(st_tree_count(txn, tree, &count, &f->error));
    st_snapshot_end(txn);
    return count;
}

void verify(fixture *f) {
    strata_verify_report report;
    strata_view *fresh;
    MUST(strata_verify(f->view, &report, &f->error));
    MUST(strata_view_open(f->store, &fresh, &f->error));
    MUST(strata_verify(fresh, &report, &f->error));
    strata_view_close(fresh);
}

uint8_t *pattern(size_t size, uint64_t seed) {
    uint8_t *out = malloc(size + 1);
    CHECK(out != NULL);
    for (size_t i = 0; i < size; i++) out[i] = (uint8_t)('a' + (seed + i * 7 + i / 251) % 26);
    out[size] = 0;
    return out;
}

strata_operand path_of(uint32_t column) {
    enum { MOST_COLUMNS = 40 };
    static strata_step steps[MOST_COLUMNS];
    CHECK(column < MOST_COLUMNS);
    steps[column].column = column;
    return (strata_operand){ .path = &steps[column], .path_length = 1 };
}

void damage_record(fixture *f, const char key[8], uint64_t *random) {
    st_txn *txn;
    strata_bytes record, name = { key, 8 };
    static uint8_t copy[4096];
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_get(txn, ST_META, name, &record, &f->error));
    CHECK(record.size <= sizeof copy);
    memcpy(copy, record.data, record.size);
    size_t size = record.size;
    static const uint8_t favourites[] = { 0, 1, 2, 3, 4, 9, 10, 12, 0x7F, 0x80, 0xFF };
    for (uint64_t k = ctest_random(random) % 4; k < 4; k++) {
        uint64_t r = ctest_random(random);
        copy[r % size] = r >> 32 & 1 ? (uint8_t)(r >> 40) : favourites[(r >> 40) % sizeof favourites];
    }
    if (ctest_random(random) % 8 == 0) size = ctest_random(random) % (size + 1);
    MUST(st_tree_put(txn, ST_META, name, (strata_bytes){ copy, size }, &f->error));
    st_txn_header(txn)->catalog_version++;
    MUST(st_writer_commit(txn, &f->error));
}
