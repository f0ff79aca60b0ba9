/* SPDX-License-Identifier: MIT
 * test_rows.c -- many rows bound at once: as they are bound one by one. */
#include "base/bits.h"
#include "store/lmdb_status.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/strata_support.h"

enum { PERSON };
enum { ID, NAME };
enum { OBJECTS = 6000, MOST = 300 };

static fixture *open_people(void) {
    strata_column_spec person[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("name", STRATA_STRING, 0) };
    strata_table_spec table = { "Person", 0, 2, person };
    fixture *f = fixture_open("rows");
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 1; i <= OBJECTS; i++) ADD(PERSON, strata_int(i), value_of("a name"));
    return f;
}

/* A key of an object, of none, or one that no object can have. */
static uint64_t random_key(uint64_t *random) {
    static const uint64_t never[] = { 0, ST_KEY_MAX, ST_KEY_MAX + 1, UINT64_MAX };
    uint64_t choice = ctest_random(random) % 20;
    return choice < 4 ? never[choice] : 1 + ctest_random(random) % (OBJECTS + OBJECTS / 8);
}

static void bind_and_compare(fixture *f, uint64_t *random) {
    uint64_t keys[MOST];
    strata_row rows[MOST];
    size_t count = (size_t)ctest_random(random) % MOST;
    for (size_t i = 0; i < count; i++) keys[i] = random_key(random);
    MUST(strata_rows_bind(f->view, PERSON, keys, count, rows, &f->error));
    for (size_t i = 0; i < count; i++) {
        strata_row row;
        strata_status status = strata_row_bind(f->view, PERSON, keys[i], &row, &f->error);
        CHECK(status == STRATA_OK || status == STRATA_NOT_FOUND);
        CHECK(rows[i].block == row.block && rows[i].slot == row.slot && rows[i].epoch == row.epoch);
        CHECK(rows[i].key == keys[i] && rows[i].table == PERSON && rows[i].head == row.head);
        CHECK_EQ(strata_row_ready(&rows[i]), status);
        if (status == STRATA_OK) CHECK_EQ(strata_row_int(&rows[i], ID), (int64_t)keys[i]);
    }
}

static void remove_some(fixture *f, uint64_t *random) {
    for (int i = 0; i < OBJECTS / 10; i++) {
        uint64_t key = 1 + ctest_random(random) % OBJECTS;
        strata_status status = strata_object_delete(f->view, PERSON, key, &f->error);
        CHECK(status == STRATA_OK || status == STRATA_NOT_FOUND);
    }
}

void test_rows_are_bound_as_one_by_one(void) {
    uint64_t random = ctest_seed();
    fixture *f = open_people();
    for (int round = 0; round < 60; round++) {
        bind_and_compare(f, &random);
        if (round % 4 == 0) MUST(strata_view_commit(f->view, &f->error));
        if (round % 4 == 1) MUST(strata_view_begin(f->view, &f->error));
        if (round % 4 == 2) remove_some(f, &random); /* pending when looked for */
    }
    strata_view_cancel(f->view);
    verify(f);
    fixture_close(f);
}

/* Once a block was found, no search leads to it. */
void test_rows_are_found_again_without_the_tree(void) {
    enum { AT_ONCE = 50 };
    uint64_t keys[AT_ONCE], random = ctest_seed(), calls = 0;
    strata_row rows[AT_ONCE];
    fixture *f = open_people();
    MUST(strata_view_commit(f->view, &f->error));
    for (int round = 0; round < 2; round++) {
        calls = st_store_calls();
        for (int i = 0; i < OBJECTS; i++) {
            for (size_t j = 0; j < AT_ONCE; j++) keys[j] = 1 + ctest_random(&random) % OBJECTS;
            MUST(strata_rows_bind(f->view, PERSON, keys, AT_ONCE, rows, &f->error));
        }
    }
    CHECK(st_store_calls() - calls <= OBJECTS / 40);
    fixture_close(f);
}

/* Stores a block of rows with some byte of its head changed. */
static void damage_a_block(fixture *f, uint64_t *random) {
    st_txn *writer;
    uint8_t from[8] = { 0 }, bytes[8192], name[8];
    strata_bytes key, block;
    MUST(st_writer_begin(f->store, &writer, &f->error));
    st_store_key(from + 2, 1 + ctest_random(random) % OBJECTS);
    MUST(st_tree_seek(writer, ST_ROWS, (strata_bytes){ from, 8 }, &key, &block, &f->error));
    CHECK(key.size == sizeof name && block.size <= sizeof bytes);
    memcpy(name, key.data, sizeof name);
    memcpy(bytes, block.data, block.size);
    bytes[ctest_random(random) % 24] = (uint8_t)ctest_random(random);
    MUST(st_tree_put(writer, ST_ROWS, (strata_bytes){ name, sizeof name }, (strata_bytes){ bytes, block.size },
                     &f->error));
    MUST(st_writer_commit(writer, &f->error));
}

void test_rows_survive_damage(void) {
    enum { PART = 100 };
    uint64_t keys[PART], random = ctest_seed();
    strata_row rows[PART];
    bool changed;
    fixture *f = open_people();
    MUST(strata_view_commit(f->view, &f->error));
    for (int round = 0; round < 100; round++) {
        damage_a_block(f, &random);
        MUST(strata_view_refresh(f->view, &changed, &f->error));
        for (uint64_t at = 1; at < OBJECTS; at += PART) {
            for (size_t i = 0; i < PART; i++) keys[i] = at + i;
            strata_status status = strata_rows_bind(f->view, PERSON, keys, PART, rows, &f->error);
            CHECK(status == STRATA_OK || status == STRATA_CORRUPT);
            for (size_t i = 0; i < PART && status == STRATA_OK; i++)
                if (rows[i].block != NULL) (void)strata_row_int(&rows[i], ID);
        }
    }
    fixture_close(f);
}

/* Walks all objects, some at a time, beside a cursor that goes on one by one; changes and deletes some meanwhile. */
static void walk_and_compare(fixture *f, uint64_t *random) {
    strata_cursor *some, *single;
    strata_row rows[MOST], row;
    strata_status status;
    MUST(strata_scan(f->view, PERSON, false, &some, &f->error));
    MUST(strata_scan(f->view, PERSON, false, &single, &f->error));
    do {
        size_t count, capacity = 1 + (size_t)ctest_random(random) % MOST;
        status = strata_cursor_next_rows(some, rows, capacity, &count, &f->error);
        CHECK(status == STRATA_OK ? count >= 1 && count <= capacity : status == STRATA_END && count == 0);
        for (size_t i = 0; i < count; i++) {
            MUST(strata_cursor_next(single, &row, &f->error));
            CHECK(rows[i].key == row.key && rows[i].block == row.block && rows[i].slot == row.slot);
        }
        strata_value name = value_of("another name");
        if (status == STRATA_OK && strata_row_bind(f->view, PERSON, row.key + 3, &row, &f->error) == STRATA_OK)
            MUST(strata_row_set(&row, NAME, &name, &f->error));
        (void)strata_object_delete(f->view, PERSON, 1 + ctest_random(random) % OBJECTS, &f->error);
    } while (status == STRATA_OK);
    CHECK_EQ(strata_cursor_next(single, &row, &f->error), STRATA_END);
    strata_cursor_close(some);
    strata_cursor_close(single);
}

void test_rows_of_a_cursor_are_those_one_by_one(void) {
    uint64_t random = ctest_seed();
    fixture *f = open_people();
    for (int round = 0; round < 10; round++) {
        walk_and_compare(f, &random);
        MUST(strata_view_commit(f->view, &f->error));
        MUST(strata_view_begin(f->view, &f->error));
    }
    strata_view_cancel(f->view);
    fixture_close(f);
}
