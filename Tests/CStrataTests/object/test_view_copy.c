/* SPDX-License-Identifier: MIT
 * test_view_copy.c -- a new file with what a view shows, also with what it has not committed. */
#include <sys/stat.h>

#include "strata_copy.h"
#include "support/strata_support.h"

enum { ROWS = 5000 };

static fixture *make(void) {
    strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                     column("text", STRATA_STRING, STRATA_COLUMN_INDEXED), list_of("all", "Item") };
    strata_table_spec item = { .name = "Item", .column_count = 3, .columns = columns };
    fixture *f = fixture_open("file");
    uint8_t *text = pattern(9000, 1);
    MUST(apply(f, 3, &item, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) ADD(0, strata_int(i), strata_string((char *)text, i % 500 == 0 ? 9000 : (size_t)i % 50));
    MUST(strata_view_commit(f->view, &f->error));
    free(text);
    return f;
}

static uint64_t size_of(const char *name) {
    struct stat info;
    CHECK_EQ(stat(ctest_path(name), &info), 0);
    return (uint64_t)info.st_size;
}

void test_view_copy_has_what_is_not_committed(void) {
    fixture *f = make();
    uint64_t keys[300];
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t i = 0; i < 300; i++) keys[i] = 1 + i;
    strata_row row = row_of(f, 0, 7);
    MUST(insert_keys(&row, 2, 0, keys, 300, &f->error));
    MUST(strata_object_delete(f->view, 0, 4000, &f->error));
    uint64_t key = ADD(0, strata_int(-1), value_of("new"));
    MUST(strata_view_copy(f->view, ctest_path("copy"), &f->error));
    REFUSED(strata_view_copy(f->view, ctest_path("copy"), &f->error), STRATA_FILE_EXISTS, "exists already");
    strata_view_cancel(f->view);
    CHECK_EQ(table_size(f, 0), ROWS);
    verify(f);

    fixture *g = fixture_open("copy");
    CHECK_EQ(table_size(g, 0), ROWS);
    CHECK(strata_schema_version(g->view) == 3);
    check_text(g, 0, key, 1, "new");
    CHECK_EQ(backlinks(g, 0, 250, 0, 2), 1);
    verify(g);
    /* Both go on, each by itself. */
    MUST(strata_view_begin(g->view, &g->error));
    set(g, 0, key, 1, value_of("newer"));
    MUST(strata_view_commit(g->view, &g->error));
    verify(g);
    fixture_close(g);
    fixture_close(f);
}

void test_view_copy_of_what_is_shown(void) {
    fixture *f = make();
    strata_view *old;
    MUST(strata_view_open(f->store, &old, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t i = 1; i <= ROWS; i++)
        if (i % 10 != 0) MUST(strata_object_delete(f->view, 0, i, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(strata_view_copy(old, ctest_path("before"), &f->error), STRATA_OK);
    MUST(strata_view_copy(f->view, ctest_path("after"), &f->error));
    strata_view_close(old);
    CHECK(size_of("after") < size_of("file") / 2);
    fixture *before = fixture_open("before"), *after = fixture_open("after");
    CHECK_EQ(table_size(before, 0), ROWS);
    CHECK_EQ(table_size(after, 0), ROWS / 10);
    verify(before);
    verify(after);
    fixture_close(before);
    fixture_close(after);
    fixture_close(f);
    f = fixture_open_memory();
    strata_column_spec one[] = { column("n", STRATA_INT, 0) };
    strata_table_spec table = { .name = "T", .column_count = 1, .columns = one };
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, strata_int(1));
    MUST(strata_view_copy(f->view, ctest_path("memory"), &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    REFUSED(strata_view_copy(f->view, ctest_path("no/where"), &f->error), STRATA_FILE_NOT_FOUND, "no");
    REFUSED(strata_view_copy(f->view, "", &f->error), STRATA_MISUSE, "path is empty");
    fixture_close(f);
    f = fixture_open("memory");
    CHECK_EQ(table_size(f, 0), 1);
    verify(f);
    fixture_close(f);
}
