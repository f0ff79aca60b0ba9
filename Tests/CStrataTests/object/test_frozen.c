/* SPDX-License-Identifier: MIT
 * test_frozen.c -- frozen views, whose rows every thread reads while others write. */
#include <pthread.h>

#include "support/strata_support.h"

enum { PERSON };
enum { ID, TEXT };
enum { PEOPLE = 300, THREADS = 8 };

static void fill(fixture *f) {
    strata_column_spec person[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                    column("text", STRATA_STRING, STRATA_COLUMN_NULLABLE) };
    strata_table_spec table = { "Person", 0, 2, person };
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int64_t id = 1; id <= PEOPLE; id++) ADD(PERSON, strata_int(id), value_of("old"));
    MUST(strata_view_commit(f->view, &f->error));
}

static void change(fixture *f, uint64_t key, const char *text) {
    MUST(strata_view_begin(f->view, &f->error));
    set(f, PERSON, key, TEXT, value_of(text));
    MUST(strata_view_commit(f->view, &f->error));
}

static void check_snapshots(fixture *f, uint32_t expected, const char *oldest) {
    strata_snapshot all[4];
    uint32_t count;
    MUST(strata_store_get_snapshots(f->store, all, 4, &count, &f->error));
    CHECK_EQ(count, expected);
    CHECK_TEXT(all[0].label, oldest);
}

typedef struct shared {
    strata_view *frozen;
    strata_row rows[PEOPLE + 1];
} shared;

/* Reads the rows that all share, and the same objects through a view of its own. */
static void *read_all(void *argument) {
    shared *s = argument;
    strata_view *own;
    strata_error error;
    strata_bytes text;
    bool changed = true;
    CHECK_EQ(strata_view_open_frozen(s->frozen, &own, &error), STRATA_OK);
    for (int round = 0; round < 20; round++)
        for (uint64_t key = 1; key <= PEOPLE; key++) {
            strata_row row;
            CHECK_EQ(strata_row_current(&s->rows[key]), true);
            CHECK_EQ(strata_row_int(&s->rows[key], ID), (int64_t)key);
            CHECK_EQ(strata_row_bytes(&s->rows[key], TEXT, &text), true);
            CHECK_EQ(memcmp(text.data, "old", 3), 0);
            CHECK_EQ(strata_row_bind(own, PERSON, key, &row, &error), STRATA_OK);
            CHECK_EQ(strata_row_int(&row, ID), (int64_t)key);
        }
    CHECK_EQ(strata_view_refresh(own, &changed, &error), STRATA_OK);
    CHECK_EQ(changed, false);
    CHECK_EQ(strata_view_begin(own, &error), STRATA_READ_ONLY);
    strata_view_close(own);
    return NULL;
}

void test_frozen_rows_are_read_by_all_threads_while_one_writes(void) {
    fixture *f = fixture_open("frozen");
    fill(f);
    shared *s = calloc(1, sizeof *s);
    CHECK(s != NULL);
    strata_view *own;
    MUST(strata_view_freeze(f->view, &s->frozen, &f->error));
    MUST(strata_view_open_frozen(s->frozen, &own, &f->error));
    for (uint64_t key = 1; key <= PEOPLE; key++) {
        MUST(strata_row_bind(own, PERSON, key, &s->rows[key], &f->error));
        s->rows[key].head = (const strata_view_head *)s->frozen;
        s->rows[key].epoch = s->rows[key].head->epoch;
    }
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, read_all, s), 0);
    for (uint64_t key = 1; key <= PEOPLE; key++) change(f, key, "a text that is longer than before");
    for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    check_snapshots(f, 2, "frozen");
    strata_view_close(own);
    check_snapshots(f, 2, "frozen");
    strata_view_close(s->frozen);
    check_snapshots(f, 1, "");
    free(s);
    verify(f);
    fixture_close(f);
}

/* A view that is opened on a frozen one keeps its commit alone, and the view that was frozen needs no second slot. */
void test_frozen_views_share_one_snapshot(void) {
    fixture *f = fixture_open("shared");
    fill(f);
    strata_view *frozen, *own;
    strata_row row;
    strata_bytes text;
    MUST(strata_view_freeze(f->view, &frozen, &f->error));
    MUST(strata_view_open_frozen(frozen, &own, &f->error));
    check_snapshots(f, 1, "");
    change(f, 1, "new");
    check_snapshots(f, 2, "frozen");
    strata_view_set_label(own, "report");
    check_snapshots(f, 2, "report");
    strata_view_close(frozen);
    change(f, 1, "newer");
    MUST(strata_row_bind(own, PERSON, 1, &row, &f->error));
    CHECK(strata_row_bytes(&row, TEXT, &text) && text.size == 3 && memcmp(text.data, "old", 3) == 0);
    strata_view_close(own);
    check_snapshots(f, 1, "");
    fixture_close(f);
}

void test_frozen_in_a_write_is_what_was_before_it(void) {
    fixture *f = fixture_open_memory();
    fill(f);
    strata_view *frozen, *own;
    strata_row row;
    strata_bytes text;
    MUST(strata_view_begin(f->view, &f->error));
    set(f, PERSON, 1, TEXT, value_of("new"));
    MUST(strata_view_freeze(f->view, &frozen, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_view_open_frozen(frozen, &own, &f->error));
    MUST(strata_row_bind(own, PERSON, 1, &row, &f->error));
    CHECK(strata_row_bytes(&row, TEXT, &text) && memcmp(text.data, "old", 3) == 0);
    check_text(f, PERSON, 1, TEXT, "new");
    REFUSED(strata_view_adopt(frozen, &f->error), STRATA_MISUSE, "a frozen view belongs to every thread");
    REFUSED(strata_view_begin(own, &f->error), STRATA_READ_ONLY, "a frozen view cannot write");
    strata_view_close(own);
    strata_view_close(frozen);
    REFUSED(strata_view_open_frozen(f->view, &own, &f->error), STRATA_MISUSE, "needs a view of strata_view_freeze()");
    CHECK(own == NULL);
    fixture_close(f);
}
