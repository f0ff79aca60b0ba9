/* SPDX-License-Identifier: MIT
 * hostile.c -- files with everything in them, and using files that may be damaged. */
#define _GNU_SOURCE 1
#include "support/hostile.h"

#include <stdio.h>

#include "strata_mixed.h"
#include "support/strata_support.h"

/* ---- A store with everything ------------------------------------------ */

static strata_column_spec collection_of(const char *name, strata_collection kind, strata_type type, const char *target) {
    return (strata_column_spec){ .name = name, .type = type, .collection = kind, .target = target };
}

static void apply_everything(fixture *f) {
    strata_column_spec columns[] = {
        column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
        column("name", STRATA_STRING, STRATA_COLUMN_INDEXED | STRATA_COLUMN_NULLABLE),
        column("score", STRATA_DOUBLE, 0),
        column("any", STRATA_MIXED, STRATA_COLUMN_INDEXED),
        column("exact", STRATA_DECIMAL, STRATA_COLUMN_NULLABLE),
        column("uuid", STRATA_UUID, 0),
        link_to("friend", "Person"),
        list_of("friends", "Person"),
        collection_of("numbers", STRATA_LIST, STRATA_INT, NULL),
        collection_of("tags", STRATA_SET, STRATA_STRING, NULL),
        collection_of("notes", STRATA_MAP, STRATA_STRING, NULL),
        column("photo", STRATA_DATA, STRATA_COLUMN_NULLABLE),
    };
    strata_table_spec person = { .name = "Person", .column_count = sizeof columns / sizeof *columns,
                                 .columns = columns };
    MUST(apply(f, 1, &person, 1));
}

static void add_person(fixture *f, int i) {
    char name[40];
    int size = snprintf(name, sizeof name, "Person %d", i);
    uint8_t *photo = pattern(6000, (uint64_t)i);
    uint64_t key = ADD(0, strata_int(i * 7919 % 100003), strata_string(name, (size_t)size), strata_double(i / 3.0),
                       i % 3 == 0 ? strata_int(i) : strata_string(name, (size_t)size));
    strata_row row = row_of(f, 0, key);
    if (i % 9 == 0) set(f, 0, key, 11, strata_data(photo, 6000));
    if (key > 1) {
        set(f, 0, key, 6, strata_link(key - 1));
        uint64_t friends[2] = { key, key - 1 };
        MUST(insert_keys(&row, 7, 0, friends, 2, &f->error));
    }
    int numbers = i % 100 == 0 ? 3000 : i % 5;
    for (int n = 0; n < numbers; n++) {
        strata_value number = strata_int(n * 31);
        MUST(strata_list_insert(&row, 8, (uint64_t)n, &number, 1, &f->error));
    }
    for (int n = 0; n < i % 4; n++) {
        char tag[20];
        int length = snprintf(tag, sizeof tag, "tag %d", n);
        strata_value value = strata_string(tag, (size_t)length);
        MUST(strata_set_insert(&row, 9, &value, NULL, NULL, &f->error));
        MUST(strata_map_set(&row, 10, (strata_bytes){ tag, (size_t)length }, &value, &f->error));
    }
    free(photo);
}

void hostile_make_file(const char *name, int persons) {
    fixture *f = fixture_open(name);
    apply_everything(f);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < persons; i++) add_person(f, i);
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < persons; i += 5) {
        MUST(strata_object_unlink(f->view, 0, (uint64_t)i + 1, &f->error));
        MUST(strata_object_delete(f->view, 0, (uint64_t)i + 1, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
}

void hostile_add_persons(const char *name, int from, int count) {
    fixture *f = fixture_open(name);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < count; i++) add_person(f, from + i);
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
}

strata_status hostile_open(const char *path, strata_store **out, strata_error *error) {
    strata_config config = { .size = sizeof config, .path = path, .flags = STRATA_OPEN_CHECK_PAGES };
    return strata_store_open(&config, out, error);
}

/* ---- Use -------------------------------------------------------------- */

static void read_everything(strata_view *view, uint64_t *out_sum) {
    strata_cursor *cursor;
    strata_row row;
    strata_error error;
    if (strata_scan(view, 0, false, &cursor, &error) != STRATA_OK) return;
    strata_status status;
    while ((status = strata_cursor_next(cursor, &row, &error)) == STRATA_OK) {
        strata_value value;
        for (uint32_t c = 0; c < 7; c++)
            if (strata_row_get(&row, c, &value, &error) == STRATA_OK) *out_sum += (uint64_t)value.type;
        uint64_t count;
        for (uint32_t c = 7; c < 11; c++)
            if (strata_collection_size(&row, c, &count, &error) == STRATA_OK) *out_sum += count;
    }
    strata_cursor_close(cursor);
}

static void change_something(strata_view *view) {
    strata_error error;
    strata_value values[3] = { strata_int(-5), strata_null(), strata_double(1) };
    uint64_t key;
    if (strata_view_begin(view, &error) != STRATA_OK) return;
    bool good = strata_object_create(view, 0, values, 3, &key, &error) == STRATA_OK;
    for (uint64_t old = 2; old < 40 && good; old += 7) {
        good = strata_object_unlink(view, 0, old, &error) >= 0 && strata_object_delete(view, 0, old, &error) >= 0;
    }
    if (good) (void)!strata_view_commit(view, &error);
    else strata_view_cancel(view);
}

bool hostile_use(const char *path) {
    strata_store *store;
    strata_view *view;
    strata_error error;
    strata_verify_report report;
    uint64_t sum = 0;
    if (hostile_open(path, &store, &error) != STRATA_OK) return false;
    bool sound = false;
    if (strata_view_open(store, &view, &error) == STRATA_OK) {
        sound = strata_verify(view, &report, &error) == STRATA_OK && strata_table_count(view) == 1;
        if (sound) {
            read_everything(view, &sum);
            change_something(view);
        }
        strata_view_close(view);
    }
    strata_store_close(store);
    return sound;
}
