/* SPDX-License-Identifier: MIT
 * test_view.c -- what views show, and what happens to live rows when a view moves on. */
#include <pthread.h>
#include <stdio.h>

#include "store/lmdb_status.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/strata_support.h"

enum { PERSON };
enum { ID, NAME, SCORE, FRIEND, FRIENDS };

static void apply_people(fixture *f) {
    strata_column_spec person[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                    column("name", STRATA_STRING, STRATA_COLUMN_NULLABLE),
                                    column("score", STRATA_DOUBLE, STRATA_COLUMN_NULLABLE), link_to("friend", "Person"),
                                    list_of("friends", "Person") };
    strata_table_spec table = { "Person", 0, 5, person };
    MUST(apply(f, 0, &table, 1));
}

static void begin(fixture *f) { MUST(strata_view_begin(f->view, &f->error)); }
static void commit(fixture *f) { MUST(strata_view_commit(f->view, &f->error)); }

/* A second view of the store, in a fixture of its own. */
static fixture *second(fixture *f) {
    fixture *other = calloc(1, sizeof *other);
    CHECK(other != NULL);
    other->store = f->store;
    MUST(strata_view_open(f->store, &other->view, &f->error));
    return other;
}
static void end(fixture *other) {
    strata_view_close(other->view);
    free(other);
}

static int64_t id_of(strata_row *row) {
    CHECK_EQ(strata_row_ready(row), STRATA_OK);
    return strata_row_int(row, ID);
}

/* ---- Rows ------------------------------------------------------------- */

/* Lookups in no order ask the tree once for each block, in a view as in a write; a commit ends what they know. */
void test_view_finds_blocks_again_without_the_tree(void) {
    enum { OBJECTS = 20000, ROUNDS = 4 };
    fixture *f = fixture_open("again");
    apply_people(f);
    begin(f);
    for (int i = 1; i <= OBJECTS; i++) ADD(PERSON, strata_int(i), value_of("a name of some length"));
    commit(f);
    uint64_t random = ctest_seed(), blocks = tree_entries(f, ST_ROWS), calls = 0;
    for (int pass = 0; pass < 3; pass++) {
        if (pass == 1) begin(f);
        for (int i = 0; i < ROUNDS * OBJECTS; i++) {
            if (i == (ROUNDS - 1) * OBJECTS) calls = st_store_calls();
            uint64_t key = 1 + ctest_random(&random) % OBJECTS;
            strata_row row = row_of(f, PERSON, key);
            CHECK_EQ(id_of(&row), (int64_t)key);
        }
        CHECK(blocks > 100);
        CHECK(st_store_calls() - calls <= OBJECTS / 40); /* a few blocks take the place of each other */
        if (pass != 1) continue;
        set(f, PERSON, 7, NAME, value_of("another"));
        commit(f);
        check_text(f, PERSON, 7, NAME, "another");
    }
    verify(f);
    fixture_close(f);
}

/* Gives a person another friend, or none. */
static void befriend(fixture *f, uint64_t *links, uint64_t *friends, uint64_t key, uint64_t other) {
    set(f, PERSON, key, FRIEND, other == 0 ? strata_null() : strata_link(other));
    links[friends[key]]--;
    links[other]++;
    friends[key] = other;
}

static void count_friends(fixture *f, const uint64_t *links, uint64_t from, uint64_t to) {
    for (uint64_t key = from; key <= to; key++) CHECK_EQ(backlinks(f, PERSON, key, PERSON, FRIEND), links[key]);
}

/* Links to neighbours are counted in one block of the link index, which changes and moves. */
void test_view_counts_links_of_neighbours_without_the_tree(void) {
    enum { OBJECTS = 4000 };
    static uint64_t links[OBJECTS + 1], friends[OBJECTS + 1];
    memset(links, 0, sizeof links);
    memset(friends, 0, sizeof friends);
    links[0] = OBJECTS; /* those without a friend */
    fixture *f = fixture_open("neighbours");
    apply_people(f);
    begin(f);
    uint64_t random = ctest_seed();
    for (int i = 1; i <= OBJECTS; i++) ADD(PERSON, strata_int(i));
    for (uint64_t key = 1; key <= OBJECTS; key++)
        befriend(f, links, friends, key, ctest_random(&random) % 8 == 0 ? 7 : 1 + ctest_random(&random) % OBJECTS);
    commit(f);
    uint64_t calls = st_store_calls();
    count_friends(f, links, 1, OBJECTS);
    CHECK(st_store_calls() - calls < OBJECTS / 20);
    for (int round = 0; round < 40; round++) {
        if (round % 4 == 0) begin(f);
        if (strata_view_is_writing(f->view))
            befriend(f, links, friends, 1 + ctest_random(&random) % OBJECTS, ctest_random(&random) % OBJECTS);
        uint64_t from = 1 + ctest_random(&random) % OBJECTS, size = ctest_random(&random) % 100;
        count_friends(f, links, from, from + size < OBJECTS ? from + size : OBJECTS);
        if (round % 4 == 2) commit(f);
    }
    count_friends(f, links, 1, OBJECTS);
    verify(f);
    fixture_close(f);
}

void test_view_rows_follow_their_view(void) {
    fixture *f = fixture_open("rows");
    apply_people(f);
    begin(f);
    uint64_t ann = ADD(PERSON, strata_int(1), value_of("Ann")), bob = ADD(PERSON, strata_int(2), value_of("Bob"));
    strata_row a = row_of(f, PERSON, ann), b = row_of(f, PERSON, bob), copy = a;
    CHECK_EQ(id_of(&a), 1);
    set(f, PERSON, ann, NAME, value_of("a longer name than it had room for, so that the pending row must move"));
    CHECK_EQ(id_of(&copy), 1);
    commit(f);
    CHECK_EQ(id_of(&a), 1);
    check_text(f, PERSON, ann, NAME, "a longer name than it had room for, so that the pending row must move");

    begin(f); /* a change that is taken back */
    strata_value score = strata_double(4);
    MUST(strata_row_set(&a, SCORE, &score, &f->error));
    CHECK(strata_row_store_double(&a, SCORE, 5)); /* now in place */
    CHECK(!strata_row_store_double(&copy, SCORE, 6)); /* the copy has not noticed yet */
    CHECK_EQ(id_of(&copy), 1);
    CHECK(strata_row_double(&copy, SCORE) == 5);
    CHECK(!strata_row_store_int(&copy, ID, 6)); /* a primary key never changes */
    CHECK(!strata_row_store_int(&copy, FRIEND, 1)); /* nor does a link without its index */
    strata_view_cancel(f->view);
    CHECK(!strata_row_store_double(&a, SCORE, 7));
    CHECK_EQ(id_of(&a), 1);
    CHECK(strata_row_null(&a, SCORE));

    begin(f); /* created and taken back, deleted and taken back */
    uint64_t carl = ADD(PERSON, strata_int(3));
    strata_row c = row_of(f, PERSON, carl);
    MUST(strata_object_delete(f->view, PERSON, bob, &f->error));
    CHECK_EQ(strata_row_ready(&b), STRATA_NOT_FOUND);
    CHECK_EQ(strata_row_ready(&b), STRATA_NOT_FOUND);
    CHECK_EQ(strata_object_delete(f->view, PERSON, bob, &f->error), STRATA_NOT_FOUND);
    strata_view_cancel(f->view);
    CHECK_EQ(strata_row_ready(&c), STRATA_NOT_FOUND);
    CHECK_EQ(id_of(&b), 2);
    strata_view_cancel(f->view); /* without a write: nothing */
    verify(f);
    fixture_close(f);
}

/* Both rows are where they are stored until one of them is used for a change. */
void test_view_rows_notice_changes_by_others(void) {
    fixture *f = fixture_open("others");
    apply_people(f);
    begin(f);
    uint64_t ann = ADD(PERSON, strata_int(1), value_of("Ann"), strata_double(1));
    commit(f);
    strata_value name = value_of("Eve"), score = strata_double(2);
    strata_bytes text;

    begin(f); /* the row is copied */
    strata_row a = row_of(f, PERSON, ann), b = row_of(f, PERSON, ann);
    CHECK(strata_row_current(&a) && strata_row_current(&b));
    MUST(strata_row_set(&a, NAME, &name, &f->error));
    CHECK_EQ(strata_row_ready(&b), STRATA_OK);
    CHECK(strata_row_bytes(&b, NAME, &text) && text.size == 3 && memcmp(text.data, "Eve", 3) == 0);
    commit(f);

    begin(f); /* the update is deferred */
    a = row_of(f, PERSON, ann), b = row_of(f, PERSON, ann);
    CHECK(strata_row_current(&a) && strata_row_current(&b));
    MUST(strata_row_set(&a, SCORE, &score, &f->error));
    CHECK_EQ(strata_row_ready(&b), STRATA_OK);
    CHECK(strata_row_double(&b, SCORE) == 2);
    commit(f);
    verify(f);
    fixture_close(f);
}

void test_view_shows_one_state(void) {
    fixture *f = fixture_open("state");
    apply_people(f);
    uint8_t *text = pattern(4000, 1);
    begin(f);
    uint64_t key = ADD(PERSON, strata_int(1), value_of("old")), keys[300];
    strata_row row = row_of(f, PERSON, key);
    for (int i = 0; i < 300; i++) keys[i] = key;
    MUST(insert_keys(&row, FRIENDS, 0, keys, 300, &f->error));
    set(f, PERSON, key, NAME, strata_string((char *)text, 4000));
    commit(f);

    fixture *reader = second(f);
    strata_row seen = row_of(reader, PERSON, key);
    uint64_t version = strata_view_version(reader->view), size;
    begin(f);
    REFUSED(strata_view_begin(reader->view, &f->error), STRATA_WRITING, "thread");
    REFUSED(strata_view_begin(f->view, &f->error), STRATA_WRITING, "already");
    set(f, PERSON, key, NAME, value_of("new"));
    MUST(strata_collection_remove(&row, FRIENDS, 0, 299, &f->error));
    for (int i = 2; i < 3000; i++) ADD(PERSON, strata_int(i), value_of("many"));
    for (int stage = 0; stage < 2; stage++) { /* while the other writes, and after */
        size_t read;
        static uint8_t copy[5000];
        CHECK_EQ(id_of(&seen), 1);
        MUST(strata_row_read(&seen, NAME, 0, copy, sizeof copy, &read, &f->error));
        CHECK(read == 4000 && memcmp(copy, text, 4000) == 0);
        MUST(strata_collection_size(&seen, FRIENDS, &size, &f->error));
        CHECK_EQ(size, 300);
        CHECK_EQ(table_size(reader, PERSON), 1);
        CHECK_EQ(backlinks(reader, PERSON, key, PERSON, FRIENDS), 300);
        CHECK_EQ(strata_view_version(reader->view), version);
        verify(reader);
        if (stage == 0) commit(f);
    }
    bool changed;
    MUST(strata_view_refresh(reader->view, &changed, &f->error));
    CHECK(changed);
    MUST(strata_view_refresh(reader->view, &changed, &f->error));
    CHECK(!changed);
    check_text(reader, PERSON, key, NAME, "new");
    MUST(strata_collection_size(&seen, FRIENDS, &size, &f->error));
    CHECK_EQ(size, 1);
    CHECK_EQ(table_size(reader, PERSON), 2999);
    CHECK_EQ(strata_view_version(reader->view), version + 1);

    /* Now the other way round; beginning a write moves a view to the newest commit. */
    begin(reader);
    MUST(strata_object_unlink(reader->view, PERSON, key, &f->error));
    MUST(strata_object_delete(reader->view, PERSON, key, &f->error));
    commit(reader);
    CHECK_EQ(id_of(&row), 1);
    begin(f);
    CHECK_EQ(strata_row_ready(&row), STRATA_NOT_FOUND);
    strata_view_cancel(f->view);
    verify(f);
    end(reader);
    free(text);
    fixture_close(f);
}

/* ---- Schemas ---------------------------------------------------------- */

/* Drops `name`, adds `age` and `name` of another type by a detour, and writes. */
static void change_schema(void *file) {
    fixture *f = fixture_open(file);
    strata_column_spec person[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("age", STRATA_INT, 0),
                                    column("name", STRATA_DATA, 0) };
    strata_table_spec tables[] = { { "Person", 0, 2, person }, { "Other", 0, 1, person } };
    MUST(apply(f, 1, tables, 1));
    tables[0].column_count = 3;
    MUST(apply(f, 2, tables, 2));
    begin(f);
    set(f, PERSON, 1, 5, strata_int(42));
    set(f, PERSON, 1, 6, strata_data("data", 4));
    commit(f);
    fixture_close(f);
}

void test_view_follows_a_schema_changed_by_another_process(void) {
    static char file[] = "schema";
    fixture *f = fixture_open(file);
    apply_people(f);
    begin(f);
    uint64_t key = ADD(PERSON, strata_int(1), value_of("Ann"), strata_double(2));
    strata_row row = row_of(f, PERSON, key);
    MUST(insert_keys(&row, FRIENDS, 0, &key, 1, &f->error));
    commit(f);
    fixture *old = second(f);
    CHECK_EQ(ctest_child(change_schema, file), 0);

    check_text(f, PERSON, key, NAME, "Ann"); /* nothing moves by itself */
    CHECK_EQ(strata_schema_version(f->view), 0);
    bool changed;
    MUST(strata_view_refresh(f->view, &changed, &f->error));
    CHECK(changed);
    CHECK_EQ(strata_schema_version(f->view), 2);
    CHECK_EQ(strata_table_count(f->view), 2);
    uint32_t age, name;
    CHECK_EQ(strata_column_find(f->view, PERSON, "age", &age), STRATA_OK);
    CHECK_EQ(strata_column_find(f->view, PERSON, "name", &name), STRATA_OK);
    CHECK_EQ(strata_row_ready(&row), STRATA_OK);
    CHECK_EQ(strata_row_int(&row, age), 42);
    check_text(f, PERSON, key, name, "data");
    strata_value value;
    uint64_t size;
    REFUSED(strata_row_get(&row, NAME, &value, &f->error), STRATA_MISUSE, "Person", "1");
    REFUSED(strata_collection_size(&row, FRIENDS, &size, &f->error), STRATA_MISUSE, "Person", "4");
    verify(f);

    check_text(old, PERSON, key, NAME, "Ann"); /* the other view still has both: schema and rows */
    CHECK_EQ(backlinks(old, PERSON, key, PERSON, FRIENDS), 1);
    CHECK_EQ(strata_table_count(old->view), 1);
    begin(old);
    CHECK_EQ(strata_table_count(old->view), 2);
    strata_row moved = row_of(old, PERSON, key);
    REFUSED(strata_row_set(&moved, NAME, &value, &f->error), STRATA_MISUSE, "Person", "1");
    set(old, PERSON, key, age, strata_int(43));
    commit(old);
    verify(old);
    end(old);
    strata_table_spec none = { "Person", 0, 0, NULL };
    REFUSED(apply(f, 1, &none, 1), STRATA_SCHEMA_OLD, "2", "1");
    fixture_close(f);
}

/* ---- Misuse and shortage ---------------------------------------------- */

/* A write that leaves no snapshot for its view: what was committed is, and nothing of the view is read any more. */
void test_view_without_a_snapshot_is_closed(void) {
    strata_config config = { .size = sizeof config, .path = ctest_path("readers"), .max_readers = 2 };
    fixture *f = calloc(1, sizeof *f);
    CHECK(f != NULL);
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    apply_people(f);
    for (int commits = 0; commits < 2; commits++) {
        begin(f);
        uint64_t key = ADD(PERSON, strata_int(commits)), found, size;
        strata_row row = row_of(f, PERSON, key);
        strata_cursor *cursor, *back;
        MUST(strata_scan(f->view, PERSON, false, &cursor, &f->error));
        MUST(strata_backlinks(f->view, PERSON, key, PERSON, FRIEND, &back, &f->error));
        set(f, PERSON, key, NAME, value_of("pending"));
        fixture *one = second(f), *two = second(f);
        if (commits) commit(f);
        else strata_view_cancel(f->view);

        CHECK(!strata_view_is_writing(f->view));
        CHECK_EQ(strata_row_ready(&row), STRATA_CLOSED);
        strata_value id = strata_int(0);
        strata_row any;
        REFUSED(strata_collection_size(&row, FRIENDS, &size, &f->error), STRATA_CLOSED, "refresh");
        REFUSED(strata_object_find(f->view, PERSON, &id, &found, &f->error), STRATA_CLOSED, "refresh");
        REFUSED(strata_table_size(f->view, PERSON, &size, &f->error), STRATA_CLOSED, "refresh");
        REFUSED(strata_row_bind(f->view, PERSON, key, &any, &f->error), STRATA_CLOSED, "refresh");
        REFUSED(strata_backlinks_count(f->view, PERSON, key, PERSON, FRIEND, &size, &f->error), STRATA_CLOSED,
                "refresh");
        REFUSED(strata_cursor_next(cursor, &any, &f->error), STRATA_CLOSED, "refresh");
        REFUSED(strata_cursor_next(back, &any, &f->error), STRATA_CLOSED, "refresh");
        REFUSED(strata_verify(f->view, NULL, &f->error), STRATA_CLOSED, "refresh");
        strata_cursor *another;
        REFUSED(strata_scan(f->view, PERSON, false, &another, &f->error), STRATA_CLOSED, "refresh");
        CHECK_EQ(strata_view_version(f->view), 0);
        CHECK(strata_schema_version(f->view) == STRATA_NO_SCHEMA);
        REFUSED(strata_view_refresh(f->view, NULL, &f->error), STRATA_READERS_FULL, "snapshots");
        begin(f); /* a write needs none */
        CHECK_EQ(table_size(f, PERSON), commits);
        strata_view_cancel(f->view);
        CHECK_EQ(strata_row_ready(&row), STRATA_CLOSED);

        end(one);
        MUST(strata_view_refresh(f->view, NULL, &f->error));
        CHECK_EQ(strata_row_ready(&row), commits ? STRATA_OK : STRATA_NOT_FOUND);
        CHECK_EQ(table_size(f, PERSON), commits);
        end(two);
        strata_cursor_close(cursor);
        strata_cursor_close(back);
        verify(f);
    }
    fixture_close(f);
}

static void *use_elsewhere(void *fixture_) {
    fixture *f = fixture_;
    strata_row row = { .head = (const strata_view_head *)(const void *)f->view, .table = PERSON, .key = 1 };
    strata_value value = strata_int(1);
    strata_cursor *cursor;
    uint64_t out = 1;
    CHECK_EQ(strata_row_ready(&row), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_row_set(&row, ID, &value, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(insert_keys(&row, FRIENDS, 0, &out, 0, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_collection_size(&row, FRIENDS, &out, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_row_bind(f->view, PERSON, 1, &row, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_object_create(f->view, PERSON, &value, 1, &out, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_object_find(f->view, PERSON, &value, &out, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_object_delete(f->view, PERSON, 1, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_object_unlink(f->view, PERSON, 1, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_table_size(f->view, PERSON, &out, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_scan(f->view, PERSON, false, &cursor, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_view_refresh(f->view, NULL, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_view_begin(f->view, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_view_commit(f->view, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_schema_apply(f->view, NULL, 0, 1, &f->error), STRATA_WRONG_THREAD);
    CHECK_EQ(strata_verify(f->view, NULL, &f->error), STRATA_WRONG_THREAD);
    strata_view_cancel(f->view); /* does nothing */
    return NULL;
}

void test_view_belongs_to_its_thread(void) {
    fixture *f = fixture_open_memory();
    apply_people(f);
    pthread_t thread;
    for (int writing = 0; writing < 2; writing++) {
        if (writing) begin(f);
        if (writing) ADD(PERSON, strata_int(1));
        CHECK_EQ(pthread_create(&thread, NULL, use_elsewhere, f), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        CHECK_EQ(strata_view_is_writing(f->view), writing == 1);
        if (writing) commit(f);
    }
    CHECK_EQ(table_size(f, PERSON), 1);
    verify(f);
    fixture_close(f);
}

static void *adopt_in_a_write(void *argument) {
    fixture *f = argument;
    REFUSED(strata_view_adopt(f->view, &f->error), STRATA_WRONG_THREAD, "cannot change its thread while it writes");
    return NULL;
}

static void *adopt_and_add(void *argument) {
    fixture *f = argument;
    bool changed;
    CHECK_EQ(strata_view_refresh(f->view, &changed, &f->error), STRATA_WRONG_THREAD);
    MUST(strata_view_adopt(f->view, &f->error));
    uint64_t count = table_size(f, PERSON);
    begin(f);
    ADD(PERSON, strata_int((int64_t)count));
    commit(f);
    return NULL;
}

/* Whoever adopts a view reads and writes through it, and the owner before does not. While it writes, nobody adopts it. */
void test_view_is_adopted_by_other_threads(void) {
    fixture *f = fixture_open("adopted");
    apply_people(f);
    pthread_t thread;
    strata_row row = { 0 };
    for (int64_t count = 0; count < 20; count++) {
        begin(f);
        CHECK_EQ(pthread_create(&thread, NULL, adopt_in_a_write, f), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        commit(f);
        CHECK_EQ(pthread_create(&thread, NULL, adopt_and_add, f), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        if (count > 0) CHECK(!strata_row_current(&row));
        CHECK_EQ(strata_view_begin(f->view, &f->error), STRATA_WRONG_THREAD);
        MUST(strata_view_adopt(f->view, &f->error));
        MUST(strata_view_adopt(f->view, &f->error)); /* its owner may as well */
        CHECK_EQ(table_size(f, PERSON), (uint64_t)count + 1);
        row = row_of(f, PERSON, 1);
    }
    verify(f);
    fixture_close(f);
}

/* Commits again and again with a view of its own. */
static void *commit_beside_others(void *argument) {
    enum { COMMITS = 2000 };
    fixture own = { .store = argument }, *f = &own;
    MUST(strata_view_open(f->store, &f->view, &f->error));
    for (int i = 0; i < COMMITS; i++) {
        begin(f);
        uint64_t version = strata_view_version(f->view);
        set(f, PERSON, 1, SCORE, strata_double(i));
        commit(f);
        CHECK_EQ(strata_view_version(f->view), version);
    }
    strata_view_close(f->view);
    return NULL;
}

/* A view that has committed shows that commit, and not that of a writer who came right behind it: observers who are to
 * be told nothing of the one must be told of the other. */
void test_view_shows_what_it_committed_and_no_more(void) {
    enum { THREADS = 3 };
    fixture *f = fixture_open_memory();
    pthread_t threads[THREADS];
    apply_people(f);
    begin(f);
    ADD(PERSON, strata_int(0));
    commit(f);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, commit_beside_others, f->store), 0);
    for (int i = 0; i < THREADS; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    verify(f);
    fixture_close(f);
}

static uint32_t snapshots_of(fixture *f) {
    uint32_t count;
    MUST(strata_store_get_snapshots(f->store, NULL, 0, &count, &f->error));
    return count;
}

static void *wake_and_count(void *argument) {
    fixture *f = argument;
    MUST(strata_view_adopt(f->view, &f->error));
    CHECK_EQ(snapshots_of(f), 0);
    uint64_t size;
    REFUSED(strata_table_size(f->view, PERSON, &size, &f->error), STRATA_CLOSED, "because it rested");
    bool changed;
    MUST(strata_view_refresh(f->view, &changed, &f->error));
    CHECK(changed);
    CHECK_EQ(table_size(f, PERSON), 1);
    strata_view_rest(f->view);
    return NULL;
}

/* A view that rests has neither a snapshot nor an owner. Whoever adopts and refreshes it sees the newest commit. */
void test_view_rests_without_a_snapshot(void) {
    fixture *f = fixture_open("rested");
    apply_people(f);
    begin(f);
    ADD(PERSON, strata_int(1));
    strata_view_rest(f->view); /* does nothing in a write */
    commit(f);
    strata_row row = row_of(f, PERSON, 1);
    CHECK_EQ(snapshots_of(f), 1);
    strata_view_rest(f->view);
    REFUSED(strata_view_refresh(f->view, NULL, &f->error), STRATA_WRONG_THREAD, "take it with strata_view_adopt()");
    CHECK_EQ(snapshots_of(f), 0);
    CHECK(!strata_row_current(&row));
    CHECK_EQ(strata_view_begin(f->view, &f->error), STRATA_WRONG_THREAD);
    strata_view_rest(f->view);
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, wake_and_count, f), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    MUST(strata_view_adopt(f->view, &f->error));
    begin(f); /* wakes it, too */
    ADD(PERSON, strata_int(2));
    commit(f);
    CHECK_EQ(table_size(f, PERSON), 2);
    verify(f);
    strata_view_rest(f->view);
    fixture_close(f);
}

/* After a change that failed half-way nothing can be committed. A damaged record of identities does that. */
void test_view_after_a_failed_change_can_only_be_cancelled(void) {
    fixture *f = fixture_open_memory();
    apply_people(f);
    begin(f);
    ADD(PERSON, strata_int(1));
    commit(f);
    st_txn *txn;
    static const uint8_t zeros[8];
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_put(txn, ST_META, (strata_bytes){ "\0idn\0\0\0\0", 8 }, (strata_bytes){ zeros, 8 }, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    uint8_t *text = pattern(2000, 1);
    begin(f);
    ADD(PERSON, strata_int(2));
    uint64_t key = 1, out;
    strata_value values[] = { strata_int(3), strata_string((char *)text, 2000) }, id = strata_int(2);
    strata_row row = row_of(f, PERSON, 1);
    strata_cursor *cursor;
    REFUSED(strata_object_create(f->view, PERSON, values, 2, &key, &f->error), STRATA_CORRUPT, "identity");
    REFUSED(strata_object_create(f->view, PERSON, values, 1, &key, &f->error), STRATA_CORRUPT, "only be cancelled",
            "identity");
    REFUSED(strata_row_set(&row, NAME, &values[1], &f->error), STRATA_CORRUPT, "only be cancelled", "identity");
    REFUSED(insert_keys(&row, FRIENDS, 0, &key, 0, &f->error), STRATA_CORRUPT, "only be cancelled", "identity");
    REFUSED(strata_object_delete(f->view, PERSON, 1, &f->error), STRATA_CORRUPT, "only be cancelled", "identity");
    REFUSED(strata_scan(f->view, PERSON, false, &cursor, &f->error), STRATA_CORRUPT, "only be cancelled", "identity");
    REFUSED(strata_backlinks_count(f->view, PERSON, 1, PERSON, FRIEND, &out, &f->error), STRATA_CORRUPT, "cancelled");
    MUST(strata_object_find(f->view, PERSON, &id, &out, &f->error));
    REFUSED(strata_view_commit(f->view, &f->error), STRATA_CORRUPT, "only be cancelled", "identity");
    CHECK(!strata_view_is_writing(f->view));
    CHECK_EQ(table_size(f, PERSON), 1);
    verify(f);
    free(text);
    fixture_close(f);
}
