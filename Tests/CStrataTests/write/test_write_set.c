/* SPDX-License-Identifier: MIT
 * test_write_set.c -- what a large write collects, and when it is applied. */
#include "base/filter.h"
#include "posting/postings_check.h"
#include "store/lmdb_status.h"
#include "support/strata_support.h"
#include "write/flush.h"
#include "write/write_set.h"

enum { COUNT = 20000, PORTION = 1000, ID = 0, AGE = 1, OWNER = 2 };

void test_filter_never_forgets(void) {
    enum { HASHES = 60000, QUESTIONS = 100000 };
    uint64_t state = ctest_seed(), again = state, mistaken = 0;
    st_filter filter = { 0 };
    CHECK(!st_filter_may_have(&filter, 1));
    for (int i = 0; i < HASHES; i++) {
        CHECK(st_filter_reserve(&filter, 1 + (uint64_t)(i % 7)));
        st_filter_add(&filter, (uint32_t)ctest_random(&state));
    }
    CHECK(filter.count > 1 && filter.count < ST_FILTER_STAGES);
    for (int i = 0; i < HASHES; i++) CHECK(st_filter_may_have(&filter, (uint32_t)ctest_random(&again)));
    for (int i = 0; i < QUESTIONS; i++) mistaken += st_filter_may_have(&filter, (uint32_t)ctest_random(&again));
    CHECK(mistaken < QUESTIONS / 20);
    CHECK(!st_filter_reserve(&filter, UINT64_MAX / 2));
    st_filter_free(&filter);
    CHECK_EQ(filter.count, 0);
}

static fixture *open_things(void) {
    strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                     column("age", STRATA_INT, STRATA_COLUMN_INDEXED), link_to("owner", "Thing") };
    strata_table_spec table = { "Thing", 0, 3, columns };
    fixture *f = fixture_open("things");
    MUST(apply(f, 0, &table, 1));
    return f;
}

/* Primary keys in no order: those of even numbers exist, the others never do. */
static int64_t id_of(uint64_t number) { return (int64_t)(number * UINT64_C(0x9E3779B97F4A7C15)); }

static void add_things(fixture *f, uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; i++) {
        strata_value owner = strata_link(i < 10 ? 0 : 1 + i % 10);
        CHECK_EQ(ADD(0, strata_int(id_of(2 * i)), strata_int((int64_t)(i % 10)), owner), i + 1);
        if (i % PORTION == PORTION - 1) MUST(st_writes_store(f->view, &f->error));
    }
}

/* The blocks of an index, or of all links. */
static uint64_t blocks_of(fixture *f, st_posting_set set, uint64_t expected) {
    uint64_t entries, blocks;
    MUST(st_postings_check(f->view->txn, set, &entries, &blocks, &f->error));
    CHECK_EQ(entries, expected);
    return blocks;
}

static st_posting_set set_of(fixture *f, uint32_t number) {
    const st_column *column = &f->view->catalog->tables[0].columns[number];
    if (number == OWNER) return (st_posting_set){ ST_LINKS, column->link_id };
    return (st_posting_set){ ST_INDEX, column->index_id };
}

static uint64_t find(fixture *f, uint64_t number) {
    strata_value id = strata_int(id_of(number));
    uint64_t key;
    strata_status status = strata_object_find(f->view, 0, &id, &key, &f->error);
    CHECK_EQ(status, key == 0 ? STRATA_NOT_FOUND : STRATA_OK);
    return key;
}

/* Rows are stored in portions; their indexes and links are written once, at the end. */
void test_write_set_collects_entries(void) {
    fixture *f = open_things();
    MUST(strata_view_begin(f->view, &f->error));
    add_things(f, 0, COUNT);
    for (uint32_t number = ID; number <= OWNER; number++) CHECK_EQ(blocks_of(f, set_of(f, number), 0), 0);
    for (uint64_t i = 0; i < COUNT; i += 37) {
        strata_value id = strata_int(id_of(2 * i));
        uint64_t key;
        CHECK_EQ(find(f, 2 * i), i + 1);
        CHECK_EQ(find(f, 2 * i + 1), 0);
        CHECK_EQ(strata_object_create(f->view, 0, &id, 1, &key, &f->error), STRATA_DUPLICATE);
        CHECK_EQ(key, i + 1);
    }
    /* One that is stored, but not its entries, goes and another one comes with its primary key. */
    MUST(strata_object_delete(f->view, 0, COUNT, &f->error));
    CHECK_EQ(find(f, 2 * (COUNT - 1)), 0);
    CHECK_EQ(ADD(0, strata_int(id_of(2 * (COUNT - 1))), strata_int(3), strata_null()), COUNT + 1);
    CHECK_EQ(find(f, 2 * (COUNT - 1)), COUNT + 1);
    CHECK_EQ(strata_object_delete(f->view, 0, 1, &f->error), STRATA_REFERENCED);
    MUST(strata_view_commit(f->view, &f->error));

    uint32_t size = st_store_block_size(f->store);
    CHECK(blocks_of(f, set_of(f, ID), COUNT) <= COUNT * 10 / size + 1); /* eight bytes of the value, two of the key */
    CHECK(blocks_of(f, set_of(f, AGE), COUNT) <= COUNT * 2 / size + 2);
    CHECK(blocks_of(f, set_of(f, OWNER), COUNT - 11) <= COUNT * 2 / size + 2);
    CHECK_EQ(index_count(f, 0, AGE, &(strata_value){ STRATA_INT, 0, { .integer = 3 } }), COUNT / 10 + 1);
    CHECK_EQ(backlinks(f, 0, 10, 0, OWNER), COUNT / 10 - 2);
    strata_verify_report report;
    MUST(strata_verify(f->view, &report, &f->error));
    fixture_close(f);
}

/* Of the entries that this write has applied it knows which are not there, without a look at the index. */
void test_write_set_knows_absent_primary_keys(void) {
    fixture *f = open_things();
    for (int empty = 1; empty >= 0; empty--) {
        MUST(strata_view_begin(f->view, &f->error));
        uint64_t from = empty ? 0 : COUNT;
        add_things(f, from, from + COUNT / 2);
        MUST(st_writes_flush(f->view, &f->error));
        add_things(f, from + COUNT / 2, from + COUNT);
        MUST(st_writes_flush(f->view, &f->error));
        uint64_t calls = st_store_calls();
        for (uint64_t i = 0; i < COUNT; i++) CHECK_EQ(find(f, 2 * i + 1), 0);
        calls = st_store_calls() - calls;
        CHECK(empty ? calls < COUNT / 20 : calls >= COUNT);
        for (uint64_t i = 0; i < from + COUNT; i++) CHECK_EQ(find(f, 2 * i), i + 1);
        MUST(strata_view_commit(f->view, &f->error));
    }
    fixture_close(f);
}

static int64_t age_of(fixture *f, uint64_t key) {
    strata_row row;
    MUST(strata_row_bind(f->view, 0, key, &row, &f->error));
    return strata_row_int(&row, AGE);
}

static void set_age(fixture *f, uint64_t key, int64_t age) {
    strata_row row;
    strata_value value = strata_int(age);
    MUST(strata_row_bind(f->view, 0, key, &row, &f->error));
    MUST(strata_row_set(&row, AGE, &value, &f->error));
}

static uint64_t count_age(fixture *f, int64_t age) {
    return index_count(f, 0, AGE, &(strata_value){ STRATA_INT, 0, { .integer = age } });
}

/* A number that is changed and not looked at again takes no copy of its row; otherwise nobody sees a difference. */
void test_write_set_notes_numbers(void) {
    enum { FEW = 200, WIDE = 100000 };
    fixture *f = open_things();
    strata_verify_report report;
    MUST(strata_view_begin(f->view, &f->error));
    add_things(f, 0, FEW);
    MUST(strata_view_commit(f->view, &f->error));

    MUST(strata_view_begin(f->view, &f->error));
    const st_write_set *writes = f->view->writes;
    for (uint64_t key = 11; key <= 110; key++) set_age(f, key, 50);
    CHECK_EQ(writes->tables[0].count, 100);
    CHECK_EQ(writes->memory.arena.total, 0);
    CHECK_EQ(age_of(f, 11), 50); /* looked at: copied */
    size_t one = writes->memory.arena.total;
    CHECK(one != 0);
    set_age(f, 12, 51);          /* the second change of a row copies it, too */
    set_age(f, 13, WIDE);        /* binding it did; there is no room for that where the old number is */
    CHECK_EQ(writes->memory.arena.total, 3 * one);
    MUST(strata_object_delete(f->view, 0, 14, &f->error));
    CHECK_EQ(writes->tables[0].count, 100);
    MUST(strata_view_commit(f->view, &f->error)); /* the first block is packed anew */
    CHECK_EQ(age_of(f, 12), 51);
    CHECK_EQ(age_of(f, 13), WIDE);
    CHECK_EQ(age_of(f, 15), 50);
    CHECK_EQ(count_age(f, 50), 97);
    CHECK_EQ(count_age(f, WIDE), 1);
    MUST(strata_verify(f->view, &report, &f->error));

    MUST(strata_view_begin(f->view, &f->error));
    /* Half of them change nothing. */
    for (uint64_t key = 21; key <= 120; key++) set_age(f, key, key % 2 == 0 ? 50 : 60);
    CHECK_EQ(count_age(f, 60), 50); /* asked inside of the write */
    set_age(f, 21, 61);
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(count_age(f, 60), 49);
    CHECK_EQ(count_age(f, 61), 1);

    strata_row rows[30];
    strata_value age = strata_int(70);
    for (uint64_t i = 0; i < 30; i++) MUST(strata_row_bind(f->view, 0, 31 + i, &rows[i], &f->error));
    MUST(strata_view_begin(f->view, &f->error)); /* no row is current any more */
    MUST(strata_object_delete(f->view, 0, 31, &f->error));
    CHECK_EQ(strata_row_set(&rows[0], AGE, &age, &f->error), STRATA_NOT_FOUND);
    for (uint64_t i = 1; i < 30; i++) MUST(strata_row_set(&rows[i], AGE, &age, &f->error));
    CHECK_EQ(f->view->writes->memory.arena.total, 0);
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(strata_row_ready(&rows[0]), STRATA_NOT_FOUND);
    CHECK_EQ(count_age(f, 70), 29);
    MUST(strata_verify(f->view, &report, &f->error));

    MUST(strata_view_begin(f->view, &f->error));
    set_age(f, 21, 62);
    strata_view_cancel(f->view);
    CHECK_EQ(age_of(f, 21), 61);
    MUST(strata_verify(f->view, &report, &f->error));
    fixture_close(f);
}
