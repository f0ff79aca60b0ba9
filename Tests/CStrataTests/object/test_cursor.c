/* SPDX-License-Identifier: MIT
 * test_cursor.c -- walking tables and indexes, also while they change. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strata.h"
#include "strata_query.h"
#include "support/faults.h"
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

/* ---- Values that change on the way ------------------------------------ */

enum { WALKED = 200, MOST_VISITS = 10 * WALKED };

/* What happens between the steps of a walk, which makes pending changes reach the index, or shows another commit. */
typedef enum between { NOTHING, COMMIT, COUNT, COPY, SCAN, REFRESH, REST, ENDS_OF_BETWEEN } between;

static void change_elsewhere(fixture *f, uint64_t key, int64_t number) {
    strata_view *other;
    strata_row row;
    strata_value value = strata_int(number);
    DONE(strata_view_open(f->store, &other, &f->error));
    DONE(strata_view_begin(other, &f->error));
    DONE(strata_row_bind(other, 0, key, &row, &f->error));
    DONE(strata_row_set(&row, 0, &value, &f->error));
    DONE(strata_view_commit(other, &f->error));
    strata_view_close(other);
}

static void count_all(fixture *f) {
    strata_step path = strata_step_column(0);
    strata_value least = strata_int(0);
    strata_node condition = { .op = STRATA_GREATER, .left = { .path = &path, .path_length = 1 }, .values = &least,
                              .value_count = 1 };
    strata_query query = { .size = sizeof query, .table = 0, .nodes = &condition, .node_count = 1 };
    uint64_t count;
    DONE(strata_query_count(f->view, &query, &count, NULL, &f->error));
}

static void happen(fixture *f, between what) {
    strata_cursor *other;
    bool changed;
    switch (what) {
    case COMMIT:
        DONE(strata_view_commit(f->view, &f->error));
        DONE(strata_view_begin(f->view, &f->error));
        break;
    case COUNT: count_all(f); break;
    case COPY: {
        char path[300];
        snprintf(path, sizeof path, "%s", ctest_path("copy"));
        remove(path);
        DONE(strata_view_copy(f->view, path, &f->error));
        break;
    }
    case SCAN:
        DONE(strata_scan(f->view, 0, true, &other, &f->error));
        strata_cursor_close(other);
        break;
    case REST:
        strata_view_rest(f->view);
        DONE(strata_view_adopt(f->view, &f->error));
        DONE(strata_view_refresh(f->view, &changed, &f->error));
        break;
    case REFRESH: DONE(strata_view_refresh(f->view, &changed, &f->error)); break;
    default: break;
    }
}

static bool writes_itself(between what) { return what != REFRESH && what != REST; }

/* Every object that is visited moves ahead of the walk. Each has to be visited once, in the order of the beginning. */
static void walk_moving(between what, bool backward) {
    fixture fixture_, *f = &fixture_;
    strata_cursor *cursor;
    strata_row row;
    uint64_t keys[WALKED], visits = 0;
    open_fixture(f);
    DONE(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < WALKED; i++) keys[i] = add(f, i + 1, NULL);
    if (!writes_itself(what)) DONE(strata_view_commit(f->view, &f->error));
    DONE(strata_index_scan(f->view, 0, 0, NULL, backward, &cursor, &f->error));
    while (visits < MOST_VISITS && strata_cursor_next(cursor, &row, &f->error) == STRATA_OK) {
        uint64_t expected = visits < WALKED ? keys[backward ? WALKED - 1 - visits : visits] : 0;
        CHECK_EQ(row.key, expected);
        strata_value moved = strata_int(strata_row_int(&row, 0) + (backward ? -3 : 3));
        if (writes_itself(what)) DONE(strata_row_set(&row, 0, &moved, &f->error));
        else change_elsewhere(f, row.key, moved.as.integer);
        happen(f, what);
        visits++;
    }
    CHECK_EQ(visits, WALKED);
    strata_cursor_close(cursor);
    if (writes_itself(what)) DONE(strata_view_commit(f->view, &f->error));
    close_fixture(f);
}

void test_cursor_visits_objects_once_that_move_in_the_index(void) {
    for (between what = NOTHING; what < ENDS_OF_BETWEEN; what++) {
        walk_moving(what, false);
        walk_moving(what, true);
    }
}

/* Random walks over an index in which values change, objects come and go, writes begin and end, and everything above
 * happens. The keys that were in the range at the beginning come in their order, but for those that were deleted before
 * their turn. Cursors are closed some time later. */
typedef struct moving {
    int64_t number;
    bool there, seen;
} moving;

enum { LEFT_OPEN = 4 };

typedef struct random_walk {
    uint64_t random, first_key, objects;
    bool by_text; /* over the long texts, which are in no order that can be told */
    moving all[400];
    uint64_t order[400];
    size_t count, seen;
    strata_cursor *left[LEFT_OPEN]; /* by walks that have ended, or were given up */
} random_walk;

static uint64_t below(random_walk *w, uint64_t limit) { return ctest_random(&w->random) % limit; }

/* A text whose end only tells the number, beyond what a key of an index has of it. */
static strata_value long_text(int64_t number, char room[400]) {
    memset(room, 'x', 390);
    snprintf(room + 390, 10, "%03d", (int)number);
    return strata_string(room, 393);
}

static const moving *sorted_objects;

static int by_number_and_key(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    int64_t n = sorted_objects[x].number, m = sorted_objects[y].number;
    return n != m ? (n > m) - (n < m) : (x > y) - (x < y);
}

static void expect_range(random_walk *w, int64_t low, int64_t high, bool backward) {
    w->count = w->seen = 0;
    for (uint64_t i = 0; i < w->objects; i++) {
        w->all[i].seen = false;
        if (w->all[i].there && w->all[i].number >= low && w->all[i].number <= high) w->order[w->count++] = i;
    }
    sorted_objects = w->all;
    qsort(w->order, w->count, sizeof w->order[0], by_number_and_key);
    for (size_t i = 0; backward && i < w->count / 2; i++) {
        uint64_t swapped = w->order[i];
        w->order[i] = w->order[w->count - 1 - i];
        w->order[w->count - 1 - i] = swapped;
    }
}

static void add_moving(fixture *f, random_walk *w) {
    int64_t number = (int64_t)below(w, 20);
    char text[400];
    if (w->objects == sizeof w->all / sizeof w->all[0]) return;
    strata_value values[] = { strata_int(number), long_text(number, text) };
    uint64_t key;
    DONE(strata_object_create(f->view, 0, values, 2, &key, &f->error));
    if (w->objects == 0) w->first_key = key;
    CHECK_EQ(key, w->first_key + w->objects);
    w->all[w->objects++] = (moving){ number, true, false };
}

static void set_moving(fixture *f, random_walk *w, uint64_t i, int64_t number) {
    char text[400];
    strata_row row;
    const strata_value values[] = { strata_int(number), long_text(number, text) };
    w->all[i].number = number;
    DONE(strata_row_bind(f->view, 0, w->first_key + i, &row, &f->error));
    for (uint32_t column = 0; column < 2; column++) DONE(strata_row_set(&row, column, &values[column], &f->error));
}

static void change_something(fixture *f, random_walk *w) {
    uint64_t i = below(w, w->objects);
    if (below(w, 8) == 0) return add_moving(f, w);
    if (!w->all[i].there) return;
    if (below(w, 6) == 0) {
        DONE(strata_object_delete(f->view, 0, w->first_key + i, &f->error));
        w->all[i].there = false;
        return;
    }
    set_moving(f, w, i, (int64_t)below(w, 20));
}

/* While the view does not write: another view commits something. */
static void change_elsewhere_randomly(fixture *f, random_walk *w) {
    fixture other = { .store = f->store };
    DONE(strata_view_open(f->store, &other.view, &f->error));
    DONE(strata_view_begin(other.view, &f->error));
    for (uint64_t changes = 1 + below(w, 4); changes > 0; changes--) change_something(&other, w);
    DONE(strata_view_commit(other.view, &f->error));
    strata_view_close(other.view);
    DONE(strata_view_refresh(f->view, NULL, &f->error));
}

static void happen_randomly(fixture *f, random_walk *w) {
    bool writes = strata_view_is_writing(f->view);
    for (uint64_t changes = writes ? below(w, 4) : 0; changes > 0; changes--) change_something(f, w);
    switch (below(w, 8)) {
    case 0: writes ? DONE(strata_view_commit(f->view, &f->error)) : DONE(strata_view_begin(f->view, &f->error)); break;
    case 1: writes ? happen(f, COMMIT) : change_elsewhere_randomly(f, w); break;
    case 2: happen(f, (between)((writes ? COMMIT : COUNT) + below(w, writes ? 4 : 5))); break;
    default: break;
    }
}

/* Checks a row that a walk returned, or its end. `*at` is how far the walk has come in the order. */
static void check_step(random_walk *w, strata_status status, const strata_row *row, size_t *at) {
    for (; *at < w->count && !w->all[w->order[*at]].there; ++*at) {}
    if (status == STRATA_END) {
        for (size_t i = 0; i < w->count; i++) CHECK(w->all[w->order[i]].seen || !w->all[w->order[i]].there);
        return;
    }
    CHECK_EQ(status, STRATA_OK);
    uint64_t found = row->key - w->first_key;
    bool expected = false;
    for (size_t i = 0; i < w->count; i++) expected |= w->order[i] == found;
    CHECK(expected && w->all[found].there && !w->all[found].seen);
    if (!w->by_text) CHECK_EQ(found, w->order[(*at)++]);
    CHECK_EQ(strata_row_int(row, 0), w->all[found].number);
    w->all[found].seen = true;
}

static void walk_randomly(fixture *f, random_walk *w) {
    char room[2][400];
    int64_t low = (int64_t)below(w, 20), high = low + (int64_t)below(w, 20);
    w->by_text = below(w, 2) != 0;
    strata_value bounds[] = { w->by_text ? long_text(low, room[0]) : strata_int(low),
                              w->by_text ? long_text(high, room[1]) : strata_int(high) };
    strata_range range = { &bounds[0], &bounds[1], false, false };
    bool backward = below(w, 2) != 0;
    strata_cursor *cursor;
    strata_row row;
    strata_status status = STRATA_OK;
    DONE(strata_index_scan(f->view, 0, w->by_text, &range, backward, &cursor, &f->error));
    expect_range(w, low, high, backward);
    for (size_t at = 0; status == STRATA_OK && below(w, 100) != 0;) {
        status = strata_cursor_next(cursor, &row, &f->error);
        check_step(w, status, &row, &at);
        if (status == STRATA_OK) happen_randomly(f, w);
    }
    strata_cursor **left = &w->left[below(w, LEFT_OPEN)];
    strata_cursor_close(*left);
    *left = cursor;
}

void test_cursor_walks_over_a_changing_index_as_over_a_copy(void) {
    uint64_t seed = ctest_seed();
    for (uint64_t round = 0; round < ctest_rounds(20); round++) {
        fixture fixture_, *f = &fixture_;
        static random_walk walk;
        walk = (random_walk){ .random = seed + round };
        open_fixture(f);
        DONE(strata_view_begin(f->view, &f->error));
        for (uint64_t i = 30 + below(&walk, 200); i > 0; i--) add_moving(f, &walk);
        for (int i = 0; i < 20; i++) {
            walk_randomly(f, &walk);
            for (uint64_t more = below(&walk, 3); more > 0; more--) happen_randomly(f, &walk);
        }
        if (strata_view_is_writing(f->view)) DONE(strata_view_commit(f->view, &f->error));
        for (int i = 0; i < LEFT_OPEN; i++) strata_cursor_close(walk.left[i]);
        close_fixture(f);
    }
}

/* Allocation number n fails while a view rests: a walk that cannot keep its rest says so once and has ended. The view
 * moves on all the same. True if an allocation failed. */
static bool rest_without_memory(unsigned n, bool lasting) {
    fixture fixture_, *f = &fixture_;
    strata_cursor *cursor;
    strata_row row;
    open_fixture(f);
    DONE(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < WALKED; i++) add(f, i, NULL);
    DONE(strata_view_commit(f->view, &f->error));
    DONE(strata_index_scan(f->view, 0, 0, NULL, false, &cursor, &f->error));
    fault_set(FAULT_ALLOCATION, n, lasting ? UINT_MAX : 1, ENOMEM);
    strata_view_rest(f->view);
    bool met = fault_clear();
    DONE(strata_view_adopt(f->view, &f->error));
    DONE(strata_view_refresh(f->view, NULL, &f->error));
    uint64_t visits = 0;
    strata_status status;
    while ((status = strata_cursor_next(cursor, &row, &f->error)) == STRATA_OK) visits++;
    CHECK(status == STRATA_END ? visits == WALKED : status == STRATA_NO_MEMORY && visits == 0);
    if (status == STRATA_NO_MEMORY) CHECK(strstr(f->error.message, "out of memory while") != NULL);
    CHECK_EQ(strata_cursor_next(cursor, &row, &f->error), STRATA_END);
    strata_cursor_close(cursor);
    close_fixture(f);
    return met;
}

void test_cursor_without_memory_says_that_its_rest_is_lost(void) {
    if (!fault_allocations_work()) return;
    for (int lasting = 0; lasting < 2; lasting++) {
        unsigned n = 1;
        while (rest_without_memory(n, lasting)) n++;
        CHECK(n > 1);
    }
}
