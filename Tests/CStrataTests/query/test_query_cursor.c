/* SPDX-License-Identifier: MIT
 * test_query_cursor.c -- results that are found piece by piece are those of the whole query. */
#include "query/query_cursor.h"
#include "support/strata_support.h"

enum { OBJECTS = 40000, ID = 0, AGE = 1, PAGE = 100 };

static fixture *make(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                     column("age", STRATA_INT, STRATA_COLUMN_INDEXED) };
    strata_table_spec table = { .name = "T", .column_count = 2, .columns = columns };
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int64_t i = 0; i < OBJECTS; i++) ADD(0, strata_int(i), strata_int(i * 7919 % 100));
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

/* The query read through a cursor gives the objects of the query run at once. */
static void check_same(fixture *f, const strata_query *query, uint64_t *random) {
    strata_keys keys;
    strata_query_cursor *cursor;
    strata_row rows[PAGE];
    uint64_t seen = 0;
    size_t count;
    strata_status status;
    MUST(strata_query_run(f->view, query, &keys, NULL, &f->error));
    MUST(strata_query_open(f->view, query, &cursor, &f->error));
    while ((status = strata_query_next_rows(cursor, rows, 1 + ctest_random(random) % PAGE, &count, &f->error)) == 0) {
        CHECK(count > 0 && seen + count <= keys.count);
        for (size_t i = 0; i < count; i++) {
            CHECK_EQ(rows[i].key, keys.data[seen + i]);
            CHECK(strata_row_current(&rows[i]));
        }
        seen += count;
    }
    CHECK_EQ(status, STRATA_END);
    CHECK_EQ(seen, keys.count);
    strata_query_close(cursor);
    strata_keys_free(&keys);
}

void test_query_cursor_finds_what_the_query_finds(void) {
    fixture *f = make();
    uint64_t random = ctest_seed();
    strata_step age = strata_step_column(AGE);
    strata_sort by_age = { &age, 1, true };
    for (int round = 0; round < 60; round++) {
        strata_value value = strata_int((int64_t)(ctest_random(&random) % 110));
        strata_node node = { .op = round % 2 == 0 ? STRATA_LESS : STRATA_EQUAL, .left = path_of(AGE), .value_count = 1,
                             .values = &value };
        strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &by_age },
                                  { .kind = STRATA_STAGE_LIMIT, .skip = ctest_random(&random) % 1000,
                                    .limit = ctest_random(&random) % 3000 } };
        strata_bookmark after = { .key = ctest_random(&random) % OBJECTS };
        strata_query query = strata_query_blank();
        if (round % 3 != 0) query.nodes = &node, query.node_count = 1;
        if (round % 5 == 1) query.stages = &stages[1], query.stage_count = 1;
        if (round % 5 == 2) query.stages = stages, query.stage_count = 2;
        if (round % 5 == 3) query.after = &after;
        check_same(f, &query, &random);
    }
    verify(f);
    fixture_close(f);
}

/* Who wants only the beginning does not list the rest. */
void test_query_cursor_lists_little_at_a_time(void) {
    fixture *f = make();
    strata_query query = strata_query_blank();
    strata_query_cursor *cursor;
    strata_row rows[PAGE];
    size_t count;
    uint64_t seen = 0;
    MUST(strata_query_open(f->view, &query, &cursor, &f->error));
    CHECK_EQ(cursor->keys.count, 0);
    MUST(strata_query_next_rows(cursor, rows, PAGE, &count, &f->error));
    CHECK(count == PAGE && cursor->keys.count == ST_FIRST_PIECE);
    for (seen = count; strata_query_next_rows(cursor, rows, PAGE, &count, &f->error) == STRATA_OK; seen += count)
        CHECK(cursor->keys.count <= ST_LARGEST_PIECE);
    CHECK_EQ(seen, OBJECTS);
    CHECK_EQ(strata_query_next_rows(cursor, rows, PAGE, &count, &f->error), STRATA_END);
    strata_query_close(cursor);
    fixture_close(f);
}

/* What is deleted meanwhile is skipped, what is created is not visited; also in the write that does it. */
void test_query_cursor_goes_on_beside_changes(void) {
    fixture *f = make();
    strata_query query = strata_query_blank();
    strata_query_cursor *cursor;
    strata_row rows[PAGE];
    size_t count;
    uint64_t last = 0, seen = 0;
    MUST(strata_query_open(f->view, &query, &cursor, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    while (strata_query_next_rows(cursor, rows, PAGE, &count, &f->error) == STRATA_OK) {
        CHECK(rows[0].key > last);
        last = rows[count - 1].key;
        seen += count;
        if (last + 1 <= OBJECTS) MUST(strata_object_delete(f->view, 0, last + 1, &f->error));
        ADD(0, strata_int((int64_t)(OBJECTS + seen)));
    }
    CHECK(last <= OBJECTS && seen < OBJECTS && seen > OBJECTS - OBJECTS / 50);
    MUST(strata_view_commit(f->view, &f->error));
    strata_query_close(cursor);
    verify(f);
    fixture_close(f);
}
