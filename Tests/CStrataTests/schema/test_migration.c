/* SPDX-License-Identifier: MIT
 * test_migration.c -- from the schema of a file to a declared one, with a program in the middle. */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/trees.h"
#include "strata_migration.h"
#include "support/record.h"
#include "support/strata_support.h"

enum { DOG = 0, OWNER = 1, DOGS = 300, OWNERS = 30 };

static strata_status begin(fixture *f, const strata_table_spec *tables, uint32_t count, uint64_t version) {
    return strata_migration_begin(f->view, tables, count, version, &f->error);
}

static strata_status finish(fixture *f, const strata_table_spec *tables, uint32_t count) {
    return strata_migration_finish(f->view, NULL, 0, tables, count, "by hand", &f->error);
}

static strata_status rename_column(fixture *f, const char *table, const char *from, const char *to) {
    strata_schema_change change = { STRATA_RENAME_COLUMN, table, from, to };
    return strata_migration_change(f->view, &change, &f->error);
}

static uint32_t number_of(fixture *f, uint32_t table, const char *name) {
    uint32_t number = UINT32_MAX;
    return strata_column_find(f->view, table, name, &number) == STRATA_OK ? number : UINT32_MAX;
}

/* Dogs with an id, a name, an age and an owner. */
static strata_column_spec old_dog[] = { { "id", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_PRIMARY, NULL },
                                        { "name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
                                        { "age", STRATA_INT, STRATA_SINGLE, 0, NULL },
                                        { "owner", STRATA_LINK, STRATA_SINGLE, 0, "Owner" } };
static strata_column_spec old_owner[] = { { "name", STRATA_STRING, STRATA_SINGLE, 0, NULL } };
static const char *const by[] = { "name", "age" };
static strata_index_spec old_index = { 2, by };

static fixture *make(const char *file) {
    strata_table_spec tables[] = { { .name = "Dog", .column_count = 4, .columns = old_dog, .indexes = &old_index,
                                     .index_count = 1 },
                                   { .name = "Owner", .column_count = 1, .columns = old_owner } };
    fixture *f = fixture_open(file);
    char text[32];
    MUST(apply(f, 1, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < OWNERS; i++) ADD(OWNER, value_of("Ann"));
    for (int i = 0; i < DOGS; i++) {
        snprintf(text, sizeof text, "Rex %d", i % 10);
        ADD(DOG, strata_int(i), value_of(text), strata_int(i % 7), strata_link((uint64_t)(1 + i % OWNERS)));
    }
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    return f;
}

/* Values are moved to a column of another type, keys are changed, and one column gets the name of a new one. */
void test_migration_moves_values(void) {
    fixture *f = make("file");
    strata_column_spec dog[] = { column("id", STRATA_STRING, STRATA_COLUMN_PRIMARY), column("called", STRATA_STRING, 0),
                                 column("age", STRATA_INT, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED),
                                 link_to("owner", "Owner"), column("owners", STRATA_INT, 0) };
    static const char *const age_first[] = { "age", "called" };
    strata_index_spec index = { 2, age_first };
    strata_table_spec tables[] = { { .name = "Dog", .column_count = 5, .columns = dog, .indexes = &index,
                                     .index_count = 1 },
                                   { .name = "Cat", .column_count = 1, .columns = old_owner } };
    strata_view *old;
    MUST(strata_view_open(f->store, &old, &f->error));
    MUST(begin(f, tables, 2, 2));
    CHECK(number_of(f, DOG, "name") == 1 && number_of(f, DOG, "id") == 4);
    REFUSED(strata_view_commit(f->view, &f->error), STRATA_MISUSE, "before strata_migration_finish()");
    CHECK_EQ(strata_schema_version(f->view), 1);
    verify(f);

    MUST(begin(f, tables, 2, 2));
    uint32_t id = number_of(f, DOG, "id"), owners = number_of(f, DOG, "owners");
    for (uint64_t key = 1; key <= DOGS; key++) {
        strata_row row = { 0 };
        strata_value value;
        char text[32];
        MUST(strata_row_bind(old, DOG, key, &row, &f->error));
        MUST(strata_row_get(&row, 0, &value, &f->error));
        snprintf(text, sizeof text, "dog %d", (int)value.as.integer);
        set(f, DOG, key, id, value_of(text));
        set(f, DOG, key, owners, strata_int(1));
    }
    MUST(rename_column(f, "Dog", "name", "called"));
    CHECK(number_of(f, DOG, "called") == 1 && number_of(f, DOG, "name") == UINT32_MAX);
    check_text(f, DOG, 5, 1, "Rex 4");
    MUST(finish(f, tables, 2));
    MUST(strata_view_commit(f->view, &f->error));
    strata_view_close(old);
    verify(f);

    uint64_t key;
    strata_value wanted = value_of("dog 17"), three = strata_int(3), null = strata_null();
    strata_value again[] = { null, value_of("Max"), null, strata_link(0), wanted };
    CHECK_EQ(strata_schema_version(f->view), 2);
    MUST(strata_object_find(f->view, DOG, &wanted, &key, &f->error));
    CHECK_EQ(key, 18);
    check_text(f, DOG, key, 1, "Rex 7");
    CHECK_EQ(index_count(f, DOG, 2, &three), (DOGS + 3) / 7);
    CHECK_EQ(index_count(f, DOG, 2, &null), 0);
    CHECK_EQ(backlinks(f, OWNER, 1, DOG, 3), DOGS / OWNERS);
    MUST(strata_view_begin(f->view, &f->error)); /* what was required may be null now */
    set(f, DOG, key, 2, null);
    REFUSED(strata_object_create(f->view, DOG, again, 5, &key, &f->error), STRATA_DUPLICATE, "");
    strata_view_cancel(f->view);
    fixture_close(f);
}

/* 210: cancelled, the file is as it was; so it is for everybody else meanwhile. */
void test_migration_is_cancelled(void) {
    fixture *f = make("file");
    strata_column_spec dog[] = { column("id", STRATA_UUID, STRATA_COLUMN_PRIMARY) };
    strata_table_spec table = { .name = "Dog", .column_count = 1, .columns = dog };
    uint64_t hash = strata_schema_hash(f->view), version = strata_view_version(f->view);
    strata_view *other;
    MUST(begin(f, &table, 1, 2));
    MUST(strata_view_open(f->store, &other, &f->error));
    CHECK_EQ(strata_schema_hash(other), hash);
    CHECK(strata_schema_hash(f->view) != hash);
    strata_row row = { 0 };
    strata_value value;
    MUST(strata_row_bind(other, DOG, 7, &row, &f->error));
    MUST(strata_row_get(&row, 1, &value, &f->error));
    CHECK(value.as.bytes.size == 5);
    strata_view_cancel(f->view);
    CHECK(strata_schema_hash(f->view) == hash && strata_view_version(f->view) == version);
    verify(f);
    /* Somebody else changes the schema; this view sees that, not what it had laid out under the same number. */
    MUST(begin(f, &table, 1, 2));
    strata_view_cancel(f->view);
    fixture g = { f->store, other, { 0 } };
    strata_table_spec cat = { .name = "Cat", .column_count = 1, .columns = old_owner };
    MUST(apply(&g, 1, &cat, 1));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    uint32_t number;
    CHECK_EQ(strata_table_find(f->view, "Cat", &number), STRATA_OK);
    CHECK(number_of(f, DOG, "name") == 1);
    strata_view_close(other);
    verify(f);
    fixture_close(f);
}

/* 208, 209: what a program leaves wrong is refused at the end. */
void test_migration_refuses(void) {
    fixture *f = make("file");
    strata_column_spec dog[] = { column("id", STRATA_INT, 0), column("name", STRATA_STRING, STRATA_COLUMN_PRIMARY),
                                 column("age", STRATA_INT, 0), link_to("owner", "Owner") };
    strata_table_spec table = { .name = "Dog", .column_count = 4, .columns = dog };
    MUST(begin(f, &table, 1, 2));
    REFUSED(finish(f, &table, 1), STRATA_DUPLICATE, "Dog.name cannot become the primary key", "the same value, \"Rex",
            "give each object one of its own");
    REFUSED(strata_view_commit(f->view, &f->error), STRATA_DUPLICATE, "");
    verify(f);

    strata_table_spec owner = { .name = "Owner", .flags = STRATA_TABLE_EMBEDDED, .column_count = 1,
                                .columns = old_owner };
    MUST(begin(f, &owner, 1, 2));
    REFUSED(finish(f, &owner, 1), STRATA_SCHEMA_MISMATCH, "Owner cannot become embedded: 10 links lead to object 1");
    strata_view_cancel(f->view);

    REFUSED(begin(f, &table, 1, 0), STRATA_SCHEMA_OLD, "schema version 1, written by ", "higher than the 0");
    CHECK_EQ(begin(f, &table, 1, 1), STRATA_NOT_FOUND);
    REFUSED(begin(f, &table, 1, UINT64_MAX), STRATA_INVALID_SCHEMA, "too high");
    strata_table_spec foreign = { .name = "Cat", .column_count = 1, .columns = old_owner };
    REFUSED(begin(f, &foreign, 1, 2), STRATA_SCHEMA_MISMATCH, "belongs to another program");
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(begin(f, &table, 1, 2), STRATA_WRITING, "inside a write");
    REFUSED(rename_column(f, "Dog", "age", "years"), STRATA_MISUSE, "needs a migration");
    REFUSED(finish(f, &table, 1), STRATA_MISUSE, "needs a migration");
    strata_view_cancel(f->view);

    MUST(begin(f, &table, 1, 2));
    REFUSED(finish(f, &foreign, 1), STRATA_MISUSE, "Cat.name was not declared when the migration began");
    strata_view_cancel(f->view);
    MUST(begin(f, &table, 1, 2));
    REFUSED(rename_column(f, "Dog", "age", "name"), STRATA_SCHEMA_MISMATCH, "their types differ");
    REFUSED(finish(f, &table, 1), STRATA_SCHEMA_MISMATCH, "their types differ");
    strata_view_cancel(f->view);
    verify(f);
    fixture_close(f);
}

/* 209: with one owner each, objects become parts of others. */
void test_migration_embeds(void) {
    fixture *f = make("file");
    strata_table_spec owner = { .name = "Owner", .flags = STRATA_TABLE_EMBEDDED, .column_count = 1,
                                .columns = old_owner };
    MUST(begin(f, &owner, 1, 2));
    for (uint64_t key = OWNERS + 1; key <= DOGS; key++) set(f, DOG, key, 3, strata_link(0));
    MUST(finish(f, &owner, 1));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    strata_table_info info;
    CHECK_EQ(strata_table_get(f->view, OWNER, &info), STRATA_OK);
    CHECK_EQ(info.flags, STRATA_TABLE_EMBEDDED);
    owner.flags = 0;
    MUST(begin(f, &owner, 1, 3)); /* back again, which needs nothing */
    MUST(finish(f, &owner, 1));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    fixture_close(f);
}

/* Bytes that a change of the schema writes to the file. */
static uint64_t written_by(fixture *f, const strata_table_spec *table, uint64_t version) {
    record log;
    uint64_t written = 0;
    record_start(&log, ctest_directory());
    MUST(begin(f, table, 1, version));
    MUST(finish(f, table, 1));
    MUST(strata_view_commit(f->view, &f->error));
    record_stop();
    for (size_t i = 0; i < log.event_count; i++)
        if (log.events[i].kind == RECORD_WRITE) written += log.events[i].size;
    record_free(&log);
    return written;
}

/* All objects that break a rule are found, and the first ones named. */
void test_migration_check_counts_failures(void) {
    fixture *f = make("file");
    strata_column_spec dog[] = { column("id", STRATA_INT, 0), column("name", STRATA_STRING, STRATA_COLUMN_PRIMARY),
                                 column("age", STRATA_INT, 0), link_to("owner", "Owner") };
    strata_table_spec tables[] = { { .name = "Dog", .column_count = 4, .columns = dog },
                                   { .name = "Owner", .flags = STRATA_TABLE_EMBEDDED, .column_count = 1,
                                     .columns = old_owner } };
    strata_migration_failures found;
    REFUSED(strata_migration_check(f->view, tables, 2, 0, &found, &f->error), STRATA_NOT_WRITING, "begin one first");
    MUST(begin(f, tables, 2, 2));
    MUST(strata_migration_check(f->view, tables, 2, 0, &found, &f->error));
    CHECK_EQ(found.duplicates.count, DOGS - 10); /* ten names */
    CHECK(found.duplicates.others[0] == 1 && found.duplicates.keys[0] == 11 && found.unowned.count == 0);
    MUST(strata_migration_check(f->view, tables, 2, 1, &found, &f->error));
    CHECK_EQ(found.unowned.count, OWNERS);
    CHECK(found.unowned.keys[0] == 1 && found.unowned.others[0] == DOGS / OWNERS && found.duplicates.count == 0);
    REFUSED(strata_migration_check(f->view, tables, 2, 2, &found, &f->error), STRATA_MISUSE, "none at 2");
    char text[32];
    for (uint64_t key = 1; key <= DOGS; key++) { /* unique, but for two; and one owner for each of the first dogs */
        snprintf(text, sizeof text, "%d", key == 77 ? 5 : (int)key);
        set(f, DOG, key, 1, value_of(text));
        set(f, DOG, key, 3, key < OWNERS ? strata_link(key) : strata_null());
    }
    MUST(strata_migration_check(f->view, tables, 2, 0, &found, &f->error));
    CHECK(found.duplicates.count == 1 && found.duplicates.keys[0] == 77 && found.duplicates.others[0] == 5);
    MUST(strata_migration_check(f->view, tables, 2, 1, &found, &f->error));
    CHECK(found.unowned.count == 1 && found.unowned.keys[0] == OWNERS && found.unowned.others[0] == 0);
    set(f, DOG, 77, 1, value_of("77"));
    MUST(strata_object_delete(f->view, OWNER, OWNERS, &f->error));
    MUST(strata_migration_check(f->view, tables, 2, 0, &found, &f->error));
    CHECK_EQ(found.duplicates.count, 0);
    MUST(finish(f, tables, 2));
    REFUSED(strata_migration_check(f->view, tables, 2, 0, &found, &f->error), STRATA_MISUSE, "needs a migration");
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    fixture_close(f);
}

/* In a child: what is recorded is that of all threads. */
static void add_to_a_million(void *unused) {
    enum { ROWS = 1000 * 1000, PAGE = 4096 };
    (void)unused;
    fixture *f = fixture_open("million");
    strata_column_spec columns[] = { column("a", STRATA_INT, 0), column("b", STRATA_STRING, 0),
                                     column("c", STRATA_INT, STRATA_COLUMN_INDEXED), column("d", STRATA_DOUBLE, 0) };
    strata_table_spec table = { .name = "Row", .column_count = 2, .columns = columns };
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) ADD(0, strata_int(i), value_of("some text"));
    MUST(strata_view_commit(f->view, &f->error));
    columns[0].flags = STRATA_COLUMN_NULLABLE; /* from required to optional */

    CHECK(written_by(f, &table, 2) < 30 * PAGE);
    table.column_count = 4; /* two more, one of them with an index: 2 bytes for each object */

    CHECK(written_by(f, &table, 3) < 600 * PAGE);
    table.column_count = 1; /* and without three */
    CHECK(written_by(f, &table, 4) < 30 * PAGE);
    strata_row row = row_of(f, 0, ROWS / 2);
    strata_value value;
    MUST(strata_row_get(&row, 0, &value, &f->error));
    CHECK_EQ(value.as.integer, ROWS / 2 - 1);
    fixture_close(f);
}

void test_migration_rewrites_no_rows(void) { CHECK_EQ(ctest_child(add_to_a_million, NULL), 0); }

/* The mark of a column that becomes the primary key, perhaps with another type. */
static strata_difference_mark mark_of_key(fixture *f, const strata_column_spec *columns, uint32_t count, uint32_t key,
                                          strata_type type) {
    strata_column_spec changed[4];
    strata_table_spec table = { .name = "Row", .column_count = count, .columns = changed };
    strata_differences *all;
    strata_difference d = { .mark = STRATA_DIFFERENCE_LOSES };
    memcpy(changed, columns, count * sizeof *columns);
    changed[key].type = type;
    changed[key].flags = STRATA_COLUMN_PRIMARY;
    MUST(strata_differences_find(f->view, &table, 1, &all, &f->error));
    for (uint32_t i = 0; i < strata_differences_count(all) && d.kind != STRATA_COLUMN_PRIMARY_NOW; i++)
        CHECK_EQ(strata_differences_get(all, i, &d), STRATA_OK);
    CHECK_EQ(d.kind, STRATA_COLUMN_PRIMARY_NOW);
    CHECK(strcmp(d.column, columns[key].name) == 0);
    strata_differences_free(all);
    return d.mark;
}

/* Keys that are not unique need code, whether or not the column has an index, and so do values that do not stay. */
void test_migration_marks_new_keys(void) {
    fixture *f = fixture_open("file");
    const strata_column_spec columns[] = { column("number", STRATA_INT, 0), column("half", STRATA_INT, 0),
                                           column("text", STRATA_STRING, STRATA_COLUMN_INDEXED),
                                           column("long", STRATA_STRING, 0) };
    strata_table_spec table = { .name = "Row", .column_count = 4, .columns = columns };
    char text[16], wide[700];
    MUST(apply(f, 1, &table, 1));
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "%d", i);
        snprintf(wide, sizeof wide, "%0600d", i % 499);
        if (i == 0) MUST(strata_view_begin(f->view, &f->error));
        ADD(0, strata_int(i), strata_int(i / 2), value_of(text), value_of(wide));
    }
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(mark_of_key(f, columns, 4, 0, STRATA_INT), STRATA_DIFFERENCE_FREE);
    CHECK_EQ(mark_of_key(f, columns, 4, 1, STRATA_INT), STRATA_DIFFERENCE_NEEDS_CODE);
    CHECK_EQ(mark_of_key(f, columns, 4, 2, STRATA_STRING), STRATA_DIFFERENCE_FREE);
    CHECK_EQ(mark_of_key(f, columns, 4, 3, STRATA_STRING), STRATA_DIFFERENCE_NEEDS_CODE);
    CHECK_EQ(mark_of_key(f, columns, 4, 0, STRATA_STRING), STRATA_DIFFERENCE_NEEDS_CODE);
    CHECK_EQ(mark_of_key(f, columns, 4, 2, STRATA_INT), STRATA_DIFFERENCE_NEEDS_CODE);
    fixture_close(f);
}

void test_migration_differences(void) {
    fixture *f = make("file");
    strata_column_spec dog[] = { column("id", STRATA_INT, STRATA_COLUMN_NULLABLE),
                                 column("surname", STRATA_STRING, STRATA_COLUMN_PRIMARY),
                                 column("age", STRATA_DOUBLE, 0),
                                 { "owner", STRATA_LINK, STRATA_LIST, 0, "Owner" } };
    static const char *const two[] = { "id", "surname" };
    strata_index_spec index = { 2, two };
    strata_table_spec tables[] = { { .name = "Dog", .column_count = 4, .columns = dog, .indexes = &index,
                                     .index_count = 1 },
                                   { .name = "Owner", .flags = STRATA_TABLE_EMBEDDED, .column_count = 1,
                                     .columns = old_owner },
                                   { .name = "Cat", .column_count = 1, .columns = old_owner } };
    static const struct {
        strata_difference_kind kind;
        strata_difference_mark mark;
        const char *column, *stored, *declared, *renamed;
        uint64_t objects;
    } expected[] = {
        { STRATA_COLUMN_NULLABLE_NOW, STRATA_DIFFERENCE_FREE, "id", "int", "optional int", NULL, DOGS },
        { STRATA_COLUMN_NOT_PRIMARY, STRATA_DIFFERENCE_FREE, "id", "int", "optional int", NULL, DOGS },
        { STRATA_COLUMN_ADDED, STRATA_DIFFERENCE_FREE, "surname", NULL, "string", NULL, DOGS },
        { STRATA_COLUMN_PRIMARY_NOW, STRATA_DIFFERENCE_NEEDS_CODE, "surname", NULL, "string", NULL, DOGS },
        { STRATA_COLUMN_RETYPED, STRATA_DIFFERENCE_LOSES, "age", "int", "double", NULL, DOGS },
        { STRATA_COLUMN_RETYPED, STRATA_DIFFERENCE_LOSES, "owner", "link to Owner", "list of link to Owner", NULL,
          DOGS },
        { STRATA_COLUMN_REMOVED, STRATA_DIFFERENCE_LOSES, "name", "string", NULL, "surname", DOGS },
        { STRATA_INDEX_REMOVED, STRATA_DIFFERENCE_FREE, "name, age", NULL, NULL, NULL, DOGS },
        { STRATA_INDEX_ADDED, STRATA_DIFFERENCE_FREE, "id, surname", NULL, NULL, NULL, DOGS },
        { STRATA_TABLE_EMBEDDED_NOW, STRATA_DIFFERENCE_NEEDS_CODE, NULL, NULL, NULL, NULL, OWNERS },
        { STRATA_TABLE_ADDED, STRATA_DIFFERENCE_FREE, NULL, NULL, NULL, NULL, 0 },
    };
    enum { COUNT = sizeof expected / sizeof *expected };
    strata_differences *all;
    strata_difference d;
    MUST(strata_differences_find(f->view, tables, 3, &all, &f->error));
    CHECK_EQ(strata_differences_count(all), COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const char *text[] = { expected[i].column, expected[i].stored, expected[i].declared, expected[i].renamed };
        CHECK_EQ(strata_differences_get(all, i, &d), STRATA_OK);
        const char *found[] = { d.column, d.stored, d.declared, d.renamed };
        CHECK(d.kind == expected[i].kind && d.mark == expected[i].mark && d.objects == expected[i].objects);
        CHECK(strcmp(d.table, i < 9 ? "Dog" : i == 9 ? "Owner" : "Cat") == 0);
        for (int k = 0; k < 4; k++)
            CHECK(text[k] == NULL ? found[k] == NULL : found[k] != NULL && strcmp(text[k], found[k]) == 0);
    }
    CHECK_EQ(strata_differences_get(all, COUNT, &d), STRATA_NOT_FOUND);
    strata_differences_free(all);
    strata_table_spec same[] = { { .name = "Dog", .column_count = 4, .columns = old_dog, .indexes = &old_index,
                                   .index_count = 1 } };
    MUST(strata_differences_find(f->view, same, 1, &all, &f->error));
    CHECK_EQ(strata_differences_count(all), 0);
    strata_differences_free(all);
    strata_differences_free(NULL);
    CHECK_EQ(strata_differences_count(NULL), 0);
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(strata_differences_find(f->view, same, 1, &all, &f->error), STRATA_WRITING, "inside a write");
    strata_view_cancel(f->view);
    strata_column_spec odd[] = { column("", STRATA_INT, 0) };
    strata_table_spec nameless = { .name = "Dog", .column_count = 1, .columns = odd };
    REFUSED(strata_differences_find(f->view, &nameless, 1, &all, &f->error), STRATA_INVALID_SCHEMA, "without a name");
    fixture_close(f);
}

/* What is proposed for each of the columns of strings that are removed, such as "zip: , name: surname", when others are
 * added. */
static const char *proposals(const char *const *removed, uint32_t removed_count, const char *const *added,
                             uint32_t added_count) {
    static char text[500];
    strata_column_spec before[8], after[8];
    for (uint32_t i = 0; i < removed_count; i++) before[i] = (strata_column_spec)column(removed[i], STRATA_STRING, 0);
    for (uint32_t i = 0; i < added_count; i++) after[i] = (strata_column_spec)column(added[i], STRATA_STRING, 0);
    strata_table_spec old = { .name = "Dog", .column_count = removed_count, .columns = before };
    strata_table_spec new = { .name = "Dog", .column_count = added_count, .columns = after };
    fixture *f = fixture_open_memory();
    strata_differences *all;
    strata_difference d;
    size_t size = 0;
    MUST(apply(f, 0, &old, 1));
    MUST(strata_differences_find(f->view, &new, 1, &all, &f->error));
    for (uint32_t i = 0; strata_differences_get(all, i, &d) == STRATA_OK; i++)
        if (d.kind == STRATA_COLUMN_REMOVED)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%s: %s", size == 0 ? "" : ", ", d.column,
                                     d.renamed == NULL ? "-" : d.renamed);
    strata_differences_free(all);
    fixture_close(f);
    return text;
}

/* No column that was added is proposed as the new name of two that were removed, and a similar name goes before the only
 * one. */
void test_migration_proposes_a_name_once(void) {
    static const char *const two[] = { "zip", "fullname" }, *const similar[] = { "fullName" };
    CHECK_TEXT(proposals(two, 2, similar, 1), "zip: -, fullname: fullName");
    static const char *const both[] = { "city", "fullName" };
    CHECK_TEXT(proposals(two, 2, both, 2), "zip: city, fullname: fullName");
    static const char *const three[] = { "aa", "ab", "ac" }, *const short_ones[] = { "ad", "ae" };
    CHECK_TEXT(proposals(three, 3, short_ones, 2), "aa: ad, ab: ae, ac: -");
    static const char *const others[] = { "city", "street" }, *const other[] = { "town" };
    CHECK_TEXT(proposals(others, 2, other, 1), "city: -, street: -");
    CHECK_TEXT(proposals(others, 1, other, 1), "city: town");
}

void test_migration_history(void) {
    fixture *f = make("file");
    strata_schema_record record;
    MUST(strata_schema_history(f->view, 0, &record, &f->error));
    CHECK(record.version == 1 && record.hash == strata_schema_hash(f->view) && record.migration[0] == 0);
    CHECK(record.program[0] != 0 && record.time > INT64_C(1700000000) * 1000000);
    CHECK_EQ(strata_schema_history(f->view, 1, &record, &f->error), STRATA_NOT_FOUND);
    strata_table_spec dog = { .name = "Dog", .column_count = 2, .columns = old_dog };
    uint64_t before = strata_schema_hash(f->view);
    MUST(begin(f, &dog, 1, 5));
    MUST(finish(f, &dog, 1));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_schema_history(f->view, 1, &record, &f->error));
    CHECK(record.version == 5 && record.hash == strata_schema_hash(f->view) && record.hash != before);
    CHECK(strcmp(record.migration, "by hand") == 0);
    MUST(apply(f, 5, &dog, 1)); /* nothing is written */
    CHECK_EQ(strata_schema_history(f->view, 2, &record, &f->error), STRATA_NOT_FOUND);
    dog.column_count = 4;
    dog.indexes = &old_index;
    dog.index_count = 1;
    MUST(apply(f, 6, &dog, 1)); /* the columns have other numbers, and are the same */
    CHECK_EQ(strata_schema_hash(f->view), before);
    verify(f);
    fixture_close(f);
}

/* ---- Killed ----------------------------------------------------------- */

enum { MANY = 3000 };

/* Odd versions have the number as an int, even ones as a string and under another name besides. */
static strata_table_spec counter_table(uint64_t version, strata_column_spec columns[2]) {
    bool odd = version % 2 == 1;
    columns[0] = column("id", odd ? STRATA_INT : STRATA_STRING, STRATA_COLUMN_PRIMARY);
    columns[1] = column(odd ? "text" : "words", STRATA_STRING, odd ? STRATA_COLUMN_INDEXED : 0);
    return (strata_table_spec){ .name = "Counter", .column_count = 2, .columns = columns };
}

static uint32_t counter_column(strata_view *view, const char *name) {
    uint32_t number = UINT32_MAX;
    CHECK_EQ(strata_column_find(view, 0, name, &number), STRATA_OK);
    return number;
}

static void migrate_counters(fixture *f, uint64_t version) {
    strata_column_spec columns[2];
    strata_table_spec table = counter_table(version, columns);
    strata_view *old;
    MUST(strata_view_open(f->store, &old, &f->error));
    MUST(begin(f, &table, 1, version));
    uint32_t from = counter_column(old, "id"), to = counter_column(f->view, "id");
    for (uint64_t key = 1; key <= MANY; key++) {
        strata_row row = { 0 };
        strata_value value;
        char text[32] = "";
        MUST(strata_row_bind(old, 0, key, &row, &f->error));
        MUST(strata_row_get(&row, from, &value, &f->error));
        if (version % 2 == 1) {
            memcpy(text, value.as.bytes.data, value.as.bytes.size);
            set(f, 0, key, to, strata_int(atoi(text)));
        } else {
            snprintf(text, sizeof text, "%d", (int)value.as.integer);
            set(f, 0, key, to, value_of(text));
        }
    }
    MUST(rename_column(f, "Counter", version % 2 == 1 ? "words" : "text", version % 2 == 1 ? "text" : "words"));
    MUST(finish(f, &table, 1));
    MUST(strata_view_commit(f->view, &f->error));
    strata_view_close(old);
}

static void migrate_for_ever(void *unused) {
    (void)unused;
    fixture *f = fixture_open("counters");
    for (;;) migrate_counters(f, strata_schema_version(f->view) + 1);
}

/* Every object is there, in the form of the version that the file has. */
static void check_counters(fixture *f) {
    uint64_t version = strata_schema_version(f->view);
    uint32_t id = counter_column(f->view, "id"), words = counter_column(f->view, version % 2 == 1 ? "text" : "words");
    CHECK_EQ(table_size(f, 0), MANY);
    for (uint64_t key = 1; key <= MANY; key += 97) {
        strata_row row = row_of(f, 0, key);
        strata_value value;
        char text[32];
        snprintf(text, sizeof text, "%d", (int)key * 3);
        MUST(strata_row_get(&row, id, &value, &f->error));
        if (version % 2 == 1) CHECK_EQ(value.as.integer, key * 3);
        else check_text(f, 0, key, id, text);
        check_text(f, 0, key, words, "words");
    }
    verify(f);
}

/* 210: killed at any moment, a migration leaves the old file or the new one. */
void test_migration_survives_kills(void) {
    strata_column_spec columns[2];
    strata_table_spec table = counter_table(1, columns);
    fixture *f = fixture_open("counters");
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 1; i <= MANY; i++) ADD(0, strata_int(i * 3), value_of("words"));
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);
    uint64_t state = ctest_seed(), first = 1;
    const char *wish = getenv("CTEST_CRASH");
    unsigned rounds = wish != NULL ? (unsigned)atoi(wish) : ctest_rounds(12);
    /* On a slow machine a migration takes longer than the first pauses. */
    for (unsigned i = 0; i < rounds || (first == 1 && i < 10 * rounds); i++) {
        int child = ctest_child_start(migrate_for_ever, NULL);
        uint64_t most = i < rounds ? 60 : 900;
        const struct timespec pause = { 0, (long)(ctest_random(&state) % most) * 1000 * 1000 };
        nanosleep(&pause, NULL);
        CHECK_EQ(kill(child, SIGKILL), 0);
        CHECK(ctest_child_wait(child) != 0);
        f = fixture_open("counters");
        CHECK(strata_schema_version(f->view) >= first);
        first = strata_schema_version(f->view);
        check_counters(f);
        fixture_close(f);
    }
    CHECK(first > 1); /* some of them came to an end */
}
