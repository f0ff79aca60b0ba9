/* SPDX-License-Identifier: MIT
 * test_cursor.c -- walking tables and indexes, also while they change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strata.h"
#include "tests.h"

typedef struct fixture {
    strata_store *store;
    strata_view *view;
    strata_error error;
} fixture;

static void done(fixture *f, strata_status status, int line) {
    char text[600];
    if (status == STRATA_OK) return;
    snprintf(text, sizeof text, "%s: %s", strata_status_name(status), f->error.message);
    ctest_fail(__FILE__, line, text);
}
#define DONE(call) done(f, (call), __LINE__)

static void open_fixture(fixture *f) {
    static const strata_column_spec columns[] = {
        { "number", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
        { "text", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_INDEXED | STRATA_COLUMN_NULLABLE, NULL },
    };
    static const strata_table_spec tables[] = { { "Item", 0, 2, columns } };
    strata_config config = { .size = sizeof config, .memory_name = ctest_path("cursor") };
    *f = (fixture){ 0 };
    DONE(strata_store_open(&config, &f->store, &f->error));
    DONE(strata_view_open(f->store, &f->view, &f->error));
    DONE(strata_schema_apply(f->view, tables, 1, 0, &f->error));
}

static void close_fixture(fixture *f) {
    strata_view_close(f->view);
    strata_store_close(f->store);
}

static uint64_t add(fixture *f, int64_t number, const char *text) {
    strata_value values[] = { strata_int(number), text == NULL ? strata_null() : strata_string(text, strlen(text)) };
    uint64_t key;
    DONE(strata_object_create(f->view, 0, values, 2, &key, &f->error));
    return key;
}

static uint64_t count_rest(fixture *f, strata_cursor *cursor) {
    strata_row row;
    uint64_t count = 0;
    strata_status status;
    while ((status = strata_cursor_next(cursor, &row, &f->error)) == STRATA_OK) count++;
    CHECK_EQ(status, STRATA_END);
    CHECK_EQ(strata_cursor_next(cursor, &row, &f->error), STRATA_END);
    return count;
}

void test_cursor_ignores_what_is_added_and_skips_what_is_deleted(void) {
    fixture fixture_, *f = &fixture_;
    open_fixture(f);
    DONE(strata_view_begin(f->view, &f->error));
    uint64_t keys[1000];
    for (int i = 0; i < 1000; i++) keys[i] = add(f, i % 10, "t");
    for (int backward = 0; backward < 2; backward++) {
        strata_cursor *cursor;
        strata_row row;
        DONE(strata_scan(f->view, 0, backward, &cursor, &f->error));
        uint64_t size, visited = 0;
        DONE(strata_table_size(f->view, 0, &size, &f->error));
        while (strata_cursor_next(cursor, &row, &f->error) == STRATA_OK) {
            visited++;
            add(f, 5, NULL); /* would never end if it were visited */
            if (visited % 100 == 0) { /* moves every block */
                strata_cursor *other;
                DONE(strata_scan(f->view, 0, false, &other, &f->error));
                strata_cursor_close(other);
            }
        }
        CHECK_EQ(visited, size);
        strata_cursor_close(cursor);
    }
    strata_cursor *cursor;
    strata_row row;
    DONE(strata_scan(f->view, 0, false, &cursor, &f->error));
    DONE(strata_cursor_next(cursor, &row, &f->error));
    for (int i = 1; i < 1000; i++) DONE(strata_object_delete(f->view, 0, keys[i], &f->error));
    DONE(strata_cursor_next(cursor, &row, &f->error));
    CHECK(row.key > keys[999]);
    strata_cursor_close(cursor);
    strata_view_cancel(f->view);
    close_fixture(f);
}

void test_cursor_survives_the_end_of_its_write(void) {
    fixture fixture_, *f = &fixture_;
    open_fixture(f);
    DONE(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 5000; i++) add(f, i % 3, "t");
    strata_value one = strata_int(1);
    strata_range range = { &one, &one, false, false };
    strata_cursor *scan, *index;
    strata_row row;
    DONE(strata_scan(f->view, 0, false, &scan, &f->error));
    DONE(strata_index_scan(f->view, 0, 0, &range, false, &index, &f->error));
    for (int i = 0; i < 100; i++) {
        DONE(strata_cursor_next(scan, &row, &f->error));
        DONE(strata_cursor_next(index, &row, &f->error));
    }
    DONE(strata_view_commit(f->view, &f->error));
    CHECK_EQ(count_rest(f, scan), 4900);
    CHECK_EQ(count_rest(f, index), 1667 - 100);
    strata_cursor_close(scan);
    strata_cursor_close(index);
    close_fixture(f);
}

void test_cursor_compares_long_strings_with_their_rows(void) {
    fixture fixture_, *f = &fixture_;
    char text[200];
    open_fixture(f);
    DONE(strata_view_begin(f->view, &f->error));
    memset(text, 'q', sizeof text);
    for (int i = 0; i < 50; i++) {
        snprintf(text + 100, 20, "%02d", i);
        add(f, i, text);
    }
    add(f, 100, "qq");
    add(f, 101, "z");
    snprintf(text + 100, 20, "%02d", 10);
    char high_text[200];
    memcpy(high_text, text, sizeof text);
    snprintf(high_text + 100, 20, "%02d", 20);
    strata_value low = strata_string(text, 102), high = strata_string(high_text, 102);
    for (int open = 0; open < 4; open++) {
        strata_range range = { &low, &high, open & 1, open & 2 };
        strata_cursor *cursor;
        DONE(strata_index_scan(f->view, 0, 1, &range, false, &cursor, &f->error));
        CHECK_EQ(count_rest(f, cursor), 11 - (open & 1) - (open >> 1));
        strata_cursor_close(cursor);
    }
    strata_range above = { &low, NULL, false, false };
    strata_cursor *cursor;
    DONE(strata_index_scan(f->view, 0, 1, &above, true, &cursor, &f->error));
    CHECK_EQ(count_rest(f, cursor), 41);
    strata_cursor_close(cursor);
    strata_view_cancel(f->view);
    close_fixture(f);
}

void test_cursor_returns_repeated_links_once_each(void) {
    static const strata_column_spec columns[] = { { "to", STRATA_LINK, STRATA_LIST, 0, "Node" } };
    static const strata_table_spec tables[] = { { "Node", 0, 1, columns } };
    strata_config config = { .size = sizeof config, .memory_name = ctest_path("repeated") };
    fixture fixture_ = { 0 }, *f = &fixture_;
    DONE(strata_store_open(&config, &f->store, &f->error));
    DONE(strata_view_open(f->store, &f->view, &f->error));
    DONE(strata_schema_apply(f->view, tables, 1, 0, &f->error));
    DONE(strata_view_begin(f->view, &f->error));
    uint64_t target, origin, other;
    DONE(strata_object_create(f->view, 0, NULL, 0, &target, &f->error));
    for (int i = 0; i < 5; i++) {
        strata_row row;
        DONE(strata_object_create(f->view, 0, NULL, 0, &origin, &f->error));
        DONE(strata_row_bind(f->view, 0, origin, &row, &f->error));
        strata_value link = strata_link(target);
        for (int k = 0; k < 4; k++) DONE(strata_list_insert(&row, 0, 0, &link, 1, &f->error));
    }
    strata_cursor *cursor;
    strata_row row;
    uint64_t visited = 0;
    DONE(strata_backlinks(f->view, 0, target, 0, 0, &cursor, &f->error));
    while (strata_cursor_next(cursor, &row, &f->error) == STRATA_OK) {
        strata_cursor *flushing;
        visited++;
        DONE(strata_object_create(f->view, 0, NULL, 0, &other, &f->error));
        DONE(strata_scan(f->view, 0, false, &flushing, &f->error));
        strata_cursor_close(flushing);
    }
    CHECK_EQ(visited, 20);
    strata_cursor_close(cursor);
    strata_view_cancel(f->view);
    close_fixture(f);
}

/* What a walk has visited, as its view moves on in every way. */
typedef struct tour {
    fixture *f;
    bool by_index;
    uint64_t first_new;      /* objects from this key on were added during the walk */
    uint8_t visits[4000];
    bool touched[4000];      /* deleted, or moved in the index, during the walk */
    int64_t last_number;
    uint64_t last_key;
} tour;

static void visit(tour *t, const strata_row *row, bool backward) {
    int64_t number = t->by_index ? strata_row_int(row, 0) : 0;
    CHECK(row->key < t->first_new);
    t->visits[row->key]++;
    if (t->touched[row->key]) return; /* its entry may have another number */
    bool same = number == t->last_number;
    CHECK(backward ? number < t->last_number || (same && row->key < t->last_key)
                   : number > t->last_number || (same && row->key > t->last_key));
    t->last_number = number;
    t->last_key = row->key;
}

/* Deletes an object, moves one in the index, and adds one. */
static void disturb(tour *t, strata_view *view, uint64_t *random) {
    fixture *f = t->f;
    strata_row row;
    uint64_t key = 1 + ctest_random(random) % (t->first_new - 1), other = 1 + ctest_random(random) % (t->first_new - 1);
    strata_value number = strata_int((int64_t)(ctest_random(random) % 200));
    t->touched[key] = t->touched[other] = true;
    (void)!strata_object_delete(view, 0, key, &f->error);
    if (strata_row_bind(view, 0, other, &row, &f->error) == STRATA_OK)
        DONE(strata_row_set(&row, 0, &number, &f->error));
    DONE(strata_object_create(view, 0, &number, 1, &key, &f->error));
}

/* Sometimes lets the view move on: to a newer commit, into a write, or out of it. */
static void move_on(tour *t, strata_view *writer, uint64_t *random) {
    fixture *f = t->f;
    bool changed;
    if (ctest_random(random) % 20 != 0) return;
    if (strata_view_is_writing(f->view)) {
        switch (ctest_random(random) % 4) {
        case 0: DONE(strata_view_commit(f->view, &f->error)); break;
        case 1: strata_view_cancel(f->view); break;
        case 2: disturb(t, f->view, random); break;
        default: { /* stores what is pending, which moves everything */
            strata_cursor *other;
            DONE(strata_scan(f->view, 0, false, &other, &f->error));
            strata_cursor_close(other);
        }
        }
        return;
    }
    switch (ctest_random(random) % 3) {
    case 0: DONE(strata_view_begin(f->view, &f->error)); return;
    case 1:
        DONE(strata_view_begin(writer, &f->error));
        disturb(t, writer, random);
        DONE(strata_view_commit(writer, &f->error));
        return;
    default: DONE(strata_view_refresh(f->view, &changed, &f->error));
    }
}

void test_cursor_goes_on_wherever_its_view_moves(void) {
    uint64_t random = ctest_seed();
    for (int round = 0; round < 60; round++) {
        fixture fixture_, *f = &fixture_;
        open_fixture(f);
        strata_view *writer;
        DONE(strata_view_open(f->store, &writer, &f->error));
        DONE(strata_view_begin(f->view, &f->error));
        uint64_t objects = 100 + ctest_random(&random) % 3000, values = 1 + ctest_random(&random) % objects;
        for (uint64_t i = 0; i < objects; i++) add(f, (int64_t)(ctest_random(&random) % values), NULL);
        DONE(strata_view_commit(f->view, &f->error));

        tour *t = calloc(1, sizeof *t);
        CHECK(t != NULL);
        t->f = f;
        t->first_new = objects + 1;
        t->by_index = round % 4 < 2;
        bool backward = round % 2 != 0;
        t->last_number = backward ? INT64_MAX : -1;
        strata_cursor *cursor;
        strata_row row;
        strata_status status;
        DONE(t->by_index ? strata_index_scan(f->view, 0, 0, NULL, backward, &cursor, &f->error)
                         : strata_scan(f->view, 0, backward, &cursor, &f->error));
        while ((status = strata_cursor_next(cursor, &row, &f->error)) == STRATA_OK) {
            visit(t, &row, backward);
            move_on(t, writer, &random);
        }
        CHECK_EQ(status, STRATA_END);
        for (uint64_t key = 1; key <= objects; key++) CHECK(t->touched[key] || t->visits[key] == 1);
        strata_cursor_close(cursor);
        free(t);
        strata_view_cancel(f->view);
        strata_view_close(writer);
        close_fixture(f);
    }
}
