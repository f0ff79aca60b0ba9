/* SPDX-License-Identifier: MIT
 * test_schema.c -- schemas that are refused, and what a change of the schema does to the rows that are there. */
#include <stdio.h>

#include "store/tree.h"
#include "store/writer.h"
#include "support/strata_support.h"
#include "write/write_set.h"

/* ---- Rules ------------------------------------------------------------ */

static const char NAME_57[] = "a23456789b23456789c23456789d23456789e23456789f23456789g23";
static const char NAME_58[] = "a23456789b23456789c23456789d23456789e23456789f23456789g234";
static const char NAME_63[] = "a23456789b23456789c23456789d23456789e23456789f23456789g23456789";
static const char NAME_64[] = "a23456789b23456789c23456789d23456789e23456789f23456789g23456789h";

/* Applies one table with up to two columns. */
static strata_status try_table(fixture *f, const char *name, uint32_t flags, strata_column_spec a,
                               strata_column_spec b) {
    strata_column_spec columns[] = { a, b };
    strata_table_spec table = { name, flags, b.name == NULL ? 1 : 2, columns };
    return apply(f, 0, &table, 1);
}

void test_schema_refuses_what_breaks_a_rule(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec none = { 0 }, fine = column("a", STRATA_INT, 0);
    strata_column_spec indexed_list = { "l", STRATA_INT, STRATA_LIST, STRATA_COLUMN_INDEXED, NULL };
    strata_column_spec odd_collection = { "l", STRATA_INT, (strata_collection)9, 0, NULL };
    strata_column_spec optional_set = { "l", STRATA_LINK, STRATA_SET, STRATA_COLUMN_NULLABLE, "T" };
    strata_column_spec odd = column("x", (strata_type)77, 0), aimless = column("l", STRATA_LINK, 0);
    strata_column_spec optional_list = list_of("l", "T");
    optional_list.flags = STRATA_COLUMN_NULLABLE;
    CHECK_EQ(strlen(NAME_57), STRATA_MAX_TABLE_NAME);
    CHECK_EQ(strlen(NAME_63), STRATA_MAX_COLUMN_NAME);

    REFUSED(try_table(f, NAME_58, 0, fine, none), STRATA_INVALID_SCHEMA, NAME_58, "58", "57");
    REFUSED(try_table(f, "", 0, fine, none), STRATA_INVALID_SCHEMA, "a table without a name");
    REFUSED(try_table(f, "\xff", 0, fine, none), STRATA_INVALID_SCHEMA, "UTF-8");
    REFUSED(try_table(f, "T", 8, fine, none), STRATA_INVALID_SCHEMA, "T", "flags");
    REFUSED(try_table(f, "T", 0, column(NAME_64, STRATA_INT, 0), none), STRATA_INVALID_SCHEMA, NAME_64, "64", "63");
    REFUSED(try_table(f, "T", 0, column("", STRATA_INT, 0), none), STRATA_INVALID_SCHEMA, "T");
    REFUSED(try_table(f, "T", 0, fine, fine), STRATA_INVALID_SCHEMA, "T", "two columns named a");
    REFUSED(try_table(f, "T", 0, odd, none), STRATA_INVALID_SCHEMA, "T.x", "77");
    REFUSED(try_table(f, "T", 0, column("x", STRATA_INT, 0x100), none), STRATA_INVALID_SCHEMA, "T.x", "flags");
    REFUSED(try_table(f, "T", 0, indexed_list, none), STRATA_INVALID_SCHEMA, "T.l", "indexed");
    REFUSED(try_table(f, "T", 0, odd_collection, none), STRATA_INVALID_SCHEMA, "T.l", "unknown collection 9");
    REFUSED(try_table(f, "T", 0, optional_list, none), STRATA_INVALID_SCHEMA, "T.l", "list of links");
    REFUSED(try_table(f, "T", 0, optional_set, none), STRATA_INVALID_SCHEMA, "T.l", "set of links");
    REFUSED(try_table(f, "T", 0, aimless, none), STRATA_INVALID_SCHEMA, "T.l");
    REFUSED(try_table(f, "T", 0, link_to("l", "Nowhere"), none), STRATA_INVALID_SCHEMA, "T.l", "Nowhere");
    REFUSED(try_table(f, "T", 0, column("p", STRATA_DOUBLE, STRATA_COLUMN_PRIMARY), none), STRATA_INVALID_SCHEMA,
            "T.p", "primary key");
    REFUSED(try_table(f, "T", 0, column("p", STRATA_DATA, STRATA_COLUMN_INDEXED), none), STRATA_INVALID_SCHEMA, "T.p",
            "indexed");
    REFUSED(try_table(f, "T", 0, column("p", STRATA_INT, STRATA_COLUMN_PRIMARY),
                      column("q", STRATA_INT, STRATA_COLUMN_PRIMARY)),
            STRATA_INVALID_SCHEMA, "T", "primary");
    strata_table_spec twice[] = { { "T", 0, 1, &fine }, { "T", 0, 1, &fine } }, lost = { "T", 0, 1, NULL };
    REFUSED(apply(f, 0, twice, 2), STRATA_INVALID_SCHEMA, "T");
    REFUSED(apply(f, 0, &lost, 1), STRATA_INVALID_SCHEMA, "T");
    const uint64_t too_high[] = { STRATA_NO_SCHEMA, STRATA_NO_SCHEMA - 1, STRATA_MAX_SCHEMA_VERSION + 1 };
    for (int i = 0; i < 3; i++)
        REFUSED(apply(f, too_high[i], twice, 1), STRATA_INVALID_SCHEMA, "too high", "9223372036854775807");
    CHECK_EQ(strata_table_count(f->view), 0);
    CHECK(strata_schema_version(f->view) == STRATA_NO_SCHEMA);

    MUST(try_table(f, NAME_57, 0, column(NAME_63, STRATA_INT, STRATA_COLUMN_INDEXED), link_to("self", NAME_57)));
    uint32_t table, number;
    CHECK_EQ(strata_table_find(f->view, NAME_57, &table), STRATA_OK);
    CHECK_EQ(strata_column_find(f->view, table, NAME_63, &number), STRATA_OK);
    strata_view *other; /* reads the names back from the file */
    MUST(strata_view_begin(f->view, &f->error));
    ADD(table, strata_int(1));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_view_open(f->store, &other, &f->error));
    CHECK_EQ(strata_table_find(other, NAME_57, &table), STRATA_OK);
    strata_view_close(other);
    verify(f);
    fixture_close(f);
}

void test_schema_of_2000_columns(void) {
    enum { COLUMNS = STRATA_MAX_COLUMNS, ROWS = 3 };
    static char names[COLUMNS + 1][16];
    static strata_column_spec columns[COLUMNS + 1];
    static strata_value values[COLUMNS];
    static const strata_type types[] = { STRATA_STRING, STRATA_INT, STRATA_UUID, STRATA_DOUBLE, STRATA_DATA };
    for (int c = 0; c <= COLUMNS; c++) {
        snprintf(names[c], sizeof names[c], "c%d", c);
        columns[c] = column(names[c], types[c % 5], c % 3 == 0 ? STRATA_COLUMN_NULLABLE : 0);
    }
    fixture *f = fixture_open("wide");
    strata_table_spec wide = { "Wide", 0, COLUMNS + 1, columns };
    REFUSED(apply(f, 0, &wide, 1), STRATA_INVALID_SCHEMA, "Wide", "2001", "2000");
    wide.column_count = COLUMNS;
    MUST(apply(f, 0, &wide, 1));
    uint8_t *text = pattern(1024, 3);
    for (int c = 0; c < COLUMNS; c++) {
        values[c] = strata_int(c);
        values[c].type = columns[c].type;
        if (c % 5 == 0 || c % 5 == 4) values[c].as.bytes = (strata_bytes){ text, 1024 };
    }
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) add(f, 0, COLUMNS, values);
    MUST(strata_view_commit(f->view, &f->error));
    strata_row row = row_of(f, 0, ROWS);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        strata_value value;
        MUST(strata_row_get(&row, c, &value, &f->error));
        CHECK_EQ(value.type, values[c].type);
        if (c % 5 == 1) CHECK_EQ(value.as.integer, c);
        if (c % 5 == 0) CHECK(value.as.bytes.size == 1024 && memcmp(value.as.bytes.data, text, 1024) == 0);
    }
    verify(f);

    /* A column that was dropped keeps its number, so another one finds no room. */
    columns[0].name = "new";
    REFUSED(apply(f, 1, &wide, 1), STRATA_INVALID_SCHEMA, "Wide", "2000", "dropped");
    CHECK_EQ(strata_schema_version(f->view), 0);
    verify(f);
    free(text);
    fixture_close(f);
}

/* ---- Versions --------------------------------------------------------- */

void test_schema_says_how_many_differences_have_no_room(void) {
    enum { COUNT = 13 };
    fixture *f = fixture_open_memory();
    char names[COUNT][32];
    strata_column_spec columns[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "a_long_column_name_%02d", i);
        columns[i] = column(names[i], STRATA_INT, 0);
    }
    strata_table_spec table = { "Person", 0, 1, columns };
    MUST(apply(f, 0, &table, 1));
    table.column_count = COUNT;
    REFUSED(apply(f, 0, &table, 1), STRATA_SCHEMA_MISMATCH,
            "Person.a_long_column_name_06 was added; and 6 more. Raise the schema version above 0");
    fixture_close(f);
}


void test_schema_versions(void) {
    fixture *f = fixture_open("versions");
    strata_column_spec columns[] = { column("a", STRATA_INT, 0), column("b", STRATA_STRING, 0) };
    strata_table_spec table = { "Person", 0, 1, columns };
    MUST(apply(f, 3, &table, 1));
    CHECK_EQ(strata_schema_version(f->view), 3);
    uint64_t before = strata_view_version(f->view);
    MUST(apply(f, 3, &table, 1));
    CHECK_EQ(strata_view_version(f->view), before); /* nothing differs: nothing is written */
    REFUSED(apply(f, 2, &table, 1), STRATA_SCHEMA_OLD, "versions", "3", "2");
    table.column_count = 2;
    REFUSED(apply(f, 3, &table, 1), STRATA_SCHEMA_MISMATCH, "Person.b was added", "above 3");
    MUST(apply(f, 4, &table, 1));
    columns[1] = columns[0];
    columns[1].name = "c";
    REFUSED(apply(f, 4, &table, 1), STRATA_SCHEMA_MISMATCH, "Person.b was removed", "Person.c was added");
    columns[1] = column("b", STRATA_DATA, STRATA_COLUMN_NULLABLE);
    REFUSED(apply(f, 5, &table, 1), STRATA_SCHEMA_MISMATCH, "Person.b", "string", "optional data");
    columns[1] = link_to("b", "Person");
    REFUSED(apply(f, 5, &table, 1), STRATA_SCHEMA_MISMATCH, "Person.b", "link to Person");
    columns[1] = column("b", STRATA_STRING, 0);
    table.flags = STRATA_TABLE_EMBEDDED;
    REFUSED(apply(f, 4, &table, 1), STRATA_SCHEMA_MISMATCH, "Person became embedded", "above 4");
    table.flags = 0;
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(apply(f, 5, &table, 1), STRATA_WRITING, "schema");
    strata_view_cancel(f->view);
    CHECK_EQ(strata_schema_version(f->view), 4);
    verify(f);
    fixture_close(f);
}

/* 20, 200: classes of others are kept, and new ones need no higher version. */
void test_schema_of_another_program(void) {
    fixture *f = fixture_open("another");
    strata_column_spec columns[] = { column("a", STRATA_INT, 0), column("b", STRATA_STRING, 0) };
    strata_table_spec theirs = { "Person", 0, 1, columns }, ours = { "Task", 0, 1, columns };
    MUST(apply(f, 7, NULL, 0));
    MUST(apply(f, 8, NULL, 0)); /* as long as there is no table, the file is nobody's */
    MUST(apply(f, 9, &theirs, 1));
    uint64_t before = strata_view_version(f->view);
    REFUSED(apply(f, 10, &ours, 1), STRATA_SCHEMA_MISMATCH, "another program", "Person", "10", "with version 9 first");
    REFUSED(apply(f, 10, NULL, 0), STRATA_SCHEMA_MISMATCH, "another program", "Person", "with version 9 first");
    REFUSED(apply(f, 8, &ours, 1), STRATA_SCHEMA_OLD, "another");
    CHECK_EQ(strata_view_version(f->view), before);
    CHECK_EQ(strata_table_count(f->view), 1);
    MUST(apply(f, 9, NULL, 0));
    MUST(apply(f, 9, &ours, 1));
    MUST(apply(f, 9, &theirs, 1));
    CHECK_EQ(strata_table_count(f->view), 2);
    theirs.column_count = 2; /* the owner goes on as ever */
    MUST(apply(f, 10, &theirs, 1));
    CHECK_EQ(strata_schema_version(f->view), 10);
    verify(f);
    fixture_close(f);
}

void test_schema_read_only(void) {
    fixture *f = fixture_open("read-only");
    strata_column_spec columns[] = { column("a", STRATA_INT, 0), column("b", STRATA_STRING, 0) };
    strata_table_spec tables[] = { { "Person", 0, 1, columns }, { "Dog", 0, 1, columns } };
    MUST(apply(f, 1, tables, 1));
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t key = ADD(0, strata_int(1));
    MUST(strata_view_commit(f->view, &f->error));
    fixture_close(f);

    f = calloc(1, sizeof *f);
    strata_config config = { .size = sizeof config, .path = ctest_path("read-only"), .flags = STRATA_OPEN_READ_ONLY };
    MUST(strata_store_open(&config, &f->store, &f->error));
    MUST(strata_view_open(f->store, &f->view, &f->error));
    MUST(apply(f, 1, tables, 1));
    columns[0].flags = STRATA_COLUMN_INDEXED;
    MUST(apply(f, 2, tables, 1)); /* of no matter to readers */
    columns[0].flags = 0;
    MUST(apply(f, 0, tables, 1)); /* a newer file is read, if it has what is asked for */
    tables[0].column_count = 2;
    REFUSED(apply(f, 0, tables, 1), STRATA_SCHEMA_MISMATCH, "read-only", "Person.b was added");
    tables[0].column_count = 1;
    columns[0].name = "other";
    REFUSED(apply(f, 0, tables, 1), STRATA_SCHEMA_MISMATCH, "read-only", "Person.other was added");
    columns[0].name = "a";
    tables[0].column_count = 0;
    MUST(apply(f, 0, tables, 1));
    REFUSED(apply(f, 1, tables, 1), STRATA_SCHEMA_MISMATCH, "read-only", "Person.a was removed");
    tables[0].column_count = 1;
    REFUSED(apply(f, 1, tables, 2), STRATA_SCHEMA_MISMATCH, "read-only");
    REFUSED(apply(f, 2, tables + 1, 1), STRATA_SCHEMA_MISMATCH, "read-only", "does not hold Dog");
    MUST(apply(f, 2, NULL, 0));
    tables[0].column_count = 2;
    REFUSED(apply(f, 2, tables, 1), STRATA_SCHEMA_MISMATCH, "read-only", "Person.b");
    REFUSED(strata_view_begin(f->view, &f->error), STRATA_READ_ONLY, "read-only");
    strata_row row = row_of(f, 0, key);
    strata_value value = strata_int(2);
    uint64_t created;
    REFUSED(strata_row_set(&row, 0, &value, &f->error), STRATA_NOT_WRITING, "begin");
    REFUSED(strata_object_create(f->view, 0, &value, 1, &created, &f->error), STRATA_NOT_WRITING, "begin");
    REFUSED(strata_object_delete(f->view, 0, key, &f->error), STRATA_NOT_WRITING, "begin");
    REFUSED(strata_view_commit(f->view, &f->error), STRATA_NOT_WRITING, "commit");
    strata_view_cancel(f->view);
    CHECK_EQ(strata_row_ready(&row), STRATA_OK);
    CHECK_EQ(strata_row_int(&row, 0), 1);
    fixture_close(f);
}

/* ---- Columns that come and go ----------------------------------------- */

void test_schema_dropped_column_comes_back_empty(void) {
    enum { ROWS = 600, LONG = 1000 };
    fixture *f = fixture_open("dropped");
    strata_column_spec columns[] = { column("n", STRATA_INT, 0),
                                     column("note", STRATA_STRING, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED),
                                     list_of("all", "Item"), link_to("next", "Item") };
    strata_table_spec item = { "Item", 0, 4, columns };
    MUST(apply(f, 0, &item, 1));
    uint8_t *text = pattern(3000, 1);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) {
        strata_value note = strata_string((char *)text, i % 10 == 0 ? 3000 : (size_t)i % 90);
        ADD(0, strata_int(i), i % 7 == 1 ? strata_null() : note, strata_null(), strata_link(i == 0 ? 0 : (uint64_t)i));
    }
    strata_row row = row_of(f, 0, 5);
    for (uint64_t i = 0, key; i < LONG; i++) {
        key = 1 + i * 7919 % ROWS;
        MUST(insert_keys(&row, 2, i / 2, &key, 1, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
    CHECK(tree_entries(f, ST_BLOBS) >= ROWS / 10 - ROWS / 70 - 1);
    CHECK(tree_entries(f, ST_COLLECTIONS) > 1);
    CHECK(tree_entries(f, ST_LINKS) > 0);

    item.column_count = 1;
    MUST(apply(f, 1, &item, 1));
    CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
    CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    CHECK_EQ(tree_entries(f, ST_INDEX), 0);
    REFUSED(strata_row_set(&row, 1, &(strata_value){ 0 }, &f->error), STRATA_NOT_WRITING, "begin");
    strata_value value;
    uint64_t size;
    CHECK_EQ(strata_row_ready(&row), STRATA_OK);
    REFUSED(strata_row_get(&row, 1, &value, &f->error), STRATA_MISUSE, "Item", "1");
    REFUSED(strata_collection_size(&row, 2, &size, &f->error), STRATA_MISUSE, "Item", "2");
    verify(f);

    item.column_count = 4;
    MUST(apply(f, 2, &item, 1));
    uint32_t note, all, next;
    CHECK_EQ(strata_column_find(f->view, 0, "note", &note), STRATA_OK);
    CHECK_EQ(strata_column_find(f->view, 0, "all", &all), STRATA_OK);
    CHECK_EQ(strata_column_find(f->view, 0, "next", &next), STRATA_OK);
    CHECK(note >= 4 && all >= 4 && next >= 4);
    strata_value null = strata_null();
    CHECK_EQ(index_count(f, 0, note, &null), ROWS);
    CHECK_EQ(strata_row_ready(&row), STRATA_OK);
    CHECK(strata_row_null(&row, note));
    CHECK_EQ(strata_row_link(&row, next), 0);
    MUST(strata_collection_size(&row, all, &size, &f->error));
    CHECK_EQ(size, 0);
    verify(f);

    /* Rows of old and new layouts in one block. */
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t key = 1; key <= ROWS; key += 3) {
        set(f, 0, key, note, strata_string((char *)text, key % 2 == 0 ? 2000 : 70));
        set(f, 0, key, next, strata_link(key));
    }
    uint64_t target = 3;
    MUST(insert_keys(&row, all, 0, &target, 1, &f->error));
    value = strata_int(1);
    uint64_t key;
    REFUSED(strata_object_create(f->view, 0, (strata_value[]){ value, value }, 2, &key, &f->error), STRATA_MISUSE,
            "column 1 of Item", "dropped");
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(index_count(f, 0, note, &null), ROWS - (ROWS + 2) / 3);
    for (uint64_t i = 1; i <= ROWS; i++) {
        strata_row any = row_of(f, 0, i);
        CHECK_EQ(strata_row_int(&any, 0), i - 1);
        CHECK_EQ(strata_row_null(&any, note), i % 3 != 1);
        CHECK_EQ(strata_row_link(&any, next), i % 3 == 1 ? i : 0);
    }
    verify(f);
    free(text);
    fixture_close(f);
}

void test_schema_dropped_link_frees_its_target(void) {
    fixture *f = fixture_open("links");
    strata_column_spec person[] = { column("n", STRATA_INT, 0), link_to("dog", "Dog"), list_of("dogs", "Dog") };
    strata_column_spec dog[] = { column("n", STRATA_INT, 0), link_to("owner", "Person") };
    strata_table_spec tables[] = { { "Person", 0, 3, person }, { "Dog", 0, 2, dog } };
    MUST(apply(f, 0, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t rex = ADD(1, strata_int(1));
    uint64_t ann = ADD(0, strata_int(1), strata_link(rex));
    strata_row row = row_of(f, 0, ann);
    MUST(insert_keys(&row, 2, 0, &rex, 1, &f->error));
    set(f, 1, rex, 1, strata_link(ann));
    REFUSED(strata_object_delete(f->view, 1, rex, &f->error), STRATA_REFERENCED, "Dog", "2 links", "Person.dog");
    MUST(strata_view_commit(f->view, &f->error));

    tables[0].column_count = 1;
    MUST(apply(f, 1, tables, 1)); /* Dog is not mentioned, and stays */
    verify(f);
    CHECK_EQ(backlinks(f, 0, ann, 1, 1), 1);
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(strata_object_delete(f->view, 0, ann, &f->error), STRATA_REFERENCED, "Person", "Dog.owner");
    MUST(strata_object_delete(f->view, 1, rex, &f->error));
    MUST(strata_object_delete(f->view, 0, ann, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    fixture_close(f);
}

/* ---- Primary keys and indexes ----------------------------------------- */

void test_schema_primary_key_moves(void) {
    fixture *f = fixture_open("primary");
    strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
                                     column("code", STRATA_STRING, STRATA_COLUMN_INDEXED | STRATA_COLUMN_NULLABLE) };
    strata_table_spec part = { "Part", 0, 2, columns };
    MUST(apply(f, 0, &part, 1));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, strata_int(1), value_of("same"));
    ADD(0, strata_int(2), value_of("same"));
    MUST(strata_view_commit(f->view, &f->error));

    /* The index is there already; it is the values that must be unique. */
    columns[0].flags = 0;
    columns[1].flags |= STRATA_COLUMN_PRIMARY;
    REFUSED(apply(f, 0, &part, 1), STRATA_SCHEMA_MISMATCH, "Part.id is no longer the primary key",
            "Part.code became the primary key");
    REFUSED(apply(f, 1, &part, 1), STRATA_DUPLICATE, "Part.code", "objects 1 and 2");
    CHECK_EQ(strata_schema_version(f->view), 0);
    verify(f);
    MUST(strata_view_begin(f->view, &f->error));
    set(f, 0, 2, 1, value_of("other"));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(apply(f, 1, &part, 1));
    verify(f);

    uint64_t key;
    strata_value code = value_of("other"), two = strata_int(2);
    MUST(strata_object_find(f->view, 0, &code, &key, &f->error));
    CHECK_EQ(key, 2);
    REFUSED(strata_object_find(f->view, 0, &two, &key, &f->error), STRATA_TYPE, "Part.code", "int");
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(strata_object_create(f->view, 0, (strata_value[]){ two, code }, 2, &key, &f->error), STRATA_DUPLICATE,
            "Part", "code", "other");
    CHECK_EQ(key, 2);
    strata_row row = row_of(f, 0, 2);
    REFUSED(strata_row_set(&row, 1, &code, &f->error), STRATA_MISUSE, "Part.code", "primary key");
    MUST(strata_row_set(&row, 0, &two, &f->error)); /* free again */
    ADD(0, two, strata_null());
    REFUSED(strata_object_create(f->view, 0, &two, 1, &key, &f->error), STRATA_DUPLICATE, "null");
    MUST(strata_view_commit(f->view, &f->error));

    /* A key whose index must be built: twice the number 2. */
    columns[0].flags = STRATA_COLUMN_PRIMARY;
    columns[1].flags = STRATA_COLUMN_NULLABLE;
    REFUSED(apply(f, 2, &part, 1), STRATA_DUPLICATE, "Part.id", "objects 2 and 3");
    CHECK_EQ(index_count(f, 0, 1, NULL), 3);
    verify(f);
    fixture_close(f);
}

void test_schema_index_on_existing_rows(void) {
    enum { ROWS = 900 };
    fixture *f = fixture_open("index");
    strata_column_spec columns[] = { column("text", STRATA_STRING, STRATA_COLUMN_NULLABLE),
                                     column("date", STRATA_DATE, 0), column("id", STRATA_UUID, STRATA_COLUMN_NULLABLE),
                                     column("late", STRATA_STRING, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED),
                                     column("number", STRATA_INT, STRATA_COLUMN_INDEXED) };
    strata_table_spec table = { "Item", 0, 3, columns };
    MUST(apply(f, 0, &table, 1));
    uint8_t *text = pattern(5000, 9);
    static const size_t sizes[] = { 0, 3, 64, 65, 900, 1024, 1025, 5000 };
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) {
        strata_value id = strata_null();
        if (i % 2 == 0) {
            id.type = STRATA_UUID;
            id.as.fixed[15] = (uint8_t)i;
        }
        strata_value string = strata_string((char *)text, sizes[i % 8]);
        ADD(0, i % 9 == 0 ? strata_null() : string, strata_date(i % 5 == 0 ? -1.5 : i), id);
    }
    MUST(strata_view_commit(f->view, &f->error));
    for (int c = 0; c < 3; c++) columns[c].flags |= STRATA_COLUMN_INDEXED;
    MUST(apply(f, 0, &table, 1)); /* indexes need no higher version */
    CHECK_EQ(strata_schema_version(f->view), 0);
    verify(f);
    strata_value null = strata_null(), date = strata_date(-1.5);
    CHECK_EQ(index_count(f, 0, 0, &null), ROWS / 9);
    CHECK_EQ(index_count(f, 0, 1, &date), ROWS / 5);
    CHECK_EQ(index_count(f, 0, 2, &null), ROWS / 2);
    for (int s = 0; s < 8; s++) {
        uint64_t expected = 0;
        for (int i = 0; i < ROWS; i++) expected += i % 8 == s && i % 9 != 0;
        strata_value string = strata_string((char *)text, sizes[s]);
        CHECK_EQ(index_count(f, 0, 0, &string), expected);
    }

    /* New columns, indexed from the start: an optional and a required one. */
    table.column_count = 5;
    MUST(apply(f, 1, &table, 1));
    strata_value zero = strata_int(0);
    CHECK_EQ(index_count(f, 0, 3, &null), ROWS);
    CHECK_EQ(index_count(f, 0, 4, &zero), ROWS);
    strata_row row = row_of(f, 0, 7);
    CHECK(strata_row_null(&row, 3));
    CHECK_EQ(strata_row_int(&row, 4), 0);
    verify(f);
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t key = 1; key <= ROWS; key += 2) {
        set(f, 0, key, 3, strata_string((char *)text, sizes[key % 8]));
        set(f, 0, key, 4, strata_int(-(int64_t)key));
    }
    REFUSED(strata_row_set(&row, 4, &null, &f->error), STRATA_TYPE, "Item.number", "required");
    MUST(strata_view_commit(f->view, &f->error));
    CHECK_EQ(index_count(f, 0, 4, &zero), ROWS / 2);
    verify(f);

    for (int c = 0; c < 5; c++) columns[c].flags &= ~(uint32_t)STRATA_COLUMN_INDEXED;
    MUST(apply(f, 1, &table, 1));
    CHECK_EQ(tree_entries(f, ST_INDEX), 0);
    strata_cursor *cursor;
    REFUSED(strata_index_scan(f->view, 0, 0, NULL, false, &cursor, &f->error), STRATA_MISUSE, "Item.text", "index");
    verify(f);
    free(text);
    fixture_close(f);
}

void test_schema_new_primary_key_of_one_row(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[] = { column("n", STRATA_INT, 0), column("id", STRATA_STRING, STRATA_COLUMN_PRIMARY) };
    strata_table_spec table = { "T", 0, 1, columns };
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(0, strata_int(1));
    ADD(0, strata_int(2));
    MUST(strata_view_commit(f->view, &f->error));
    table.column_count = 2;
    REFUSED(apply(f, 1, &table, 1), STRATA_DUPLICATE, "T.id", "1 and 2"); /* both would be "" */
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_delete(f->view, 0, 2, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(apply(f, 1, &table, 1));
    strata_value empty = value_of("");
    uint64_t key;
    MUST(strata_object_find(f->view, 0, &empty, &key, &f->error));
    CHECK_EQ(key, 1);
    verify(f);
    fixture_close(f);
}

/* ---- Damage ----------------------------------------------------------- */

/* Uses every part of a catalog; what comes of it does not matter, as long as it comes to something. */
static void use(fixture *f, strata_view *view) {
    strata_verify_report report;
    strata_value values[3] = { { 0 } };
    (void)!strata_verify(view, &report, &f->error);
    if (strata_view_begin(view, &f->error) != STRATA_OK) return;
    for (uint32_t t = 0; t < strata_table_count(view); t++) {
        strata_row row;
        uint64_t key, one = 1, size;
        (void)!strata_object_create(view, t, values, 3, &key, &f->error);
        if (strata_row_bind(view, t, key, &row, &f->error) == STRATA_OK) {
            (void)!insert_keys(&row, 2, 0, &one, 1, &f->error);
            (void)!strata_collection_size(&row, 2, &size, &f->error);
        }
        (void)!strata_object_unlink(view, t, 1, &f->error);
        (void)!strata_object_delete(view, t, 1, &f->error);
    }
    (void)!strata_view_commit(view, &f->error);
}

/* The catalog of a damaged file says of two tables the same: their indexes would be one. */
void test_schema_refuses_indexes_that_are_one(void) {
    static const strata_bytes first = { "\0tab\0\0\0\0", 8 }, second = { "\0tab\0\0\0\1", 8 };
    strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), link_to("one", "A") };
    strata_table_spec tables[] = { { "A", 0, 2, columns, NULL, 0 }, { "B", 0, 2, columns, NULL, 0 } };
    uint8_t copy[400];
    strata_bytes record;
    strata_view *view;
    st_txn *txn;
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, tables, 2));
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_get(txn, ST_META, first, &record, &f->error));
    CHECK(record.size <= sizeof copy);
    memcpy(copy, record.data, record.size);
    MUST(st_tree_put(txn, ST_META, second, (strata_bytes){ copy, record.size }, &f->error));
    st_txn_header(txn)->catalog_version++;
    MUST(st_writer_commit(txn, &f->error));
    REFUSED(strata_view_open(f->store, &view, &f->error), STRATA_CORRUPT, "two indexes or links are one");
    fixture_close(f);
}

/* Memory and work of a write go with the indexes and links that are there, not with a number of the file. */
void test_schema_of_a_damaged_count_of_ids_costs_nothing(void) {
    static const strata_bytes name = { "\0cat\0\0\0\0", 8 };
    strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), link_to("one", "A") };
    strata_table_spec table = { "A", 0, 2, columns, NULL, 0 };
    uint8_t copy[32];
    strata_bytes record;
    strata_verify_report report;
    strata_view *view;
    st_txn *txn;
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, &table, 1));
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_get(txn, ST_META, name, &record, &f->error));
    CHECK(record.size <= sizeof copy);
    memcpy(copy, record.data, record.size);
    st_store32(copy + 8, ST_MAX_IDS);
    MUST(st_tree_put(txn, ST_META, name, (strata_bytes){ copy, record.size }, &f->error));
    st_txn_header(txn)->catalog_version++;
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_open(f->store, &view, &f->error));
    CHECK_EQ(view->catalog->next_id, ST_MAX_IDS);
    MUST(strata_view_begin(view, &f->error));
    CHECK_EQ(view->writes->changes.count, 2);
    strata_value first[] = { { .type = STRATA_INT, .as.integer = 7 }, { 0 } };
    strata_value second[] = { { .type = STRATA_INT, .as.integer = 8 }, strata_link(1) };
    uint64_t key;
    MUST(strata_object_create(view, 0, first, 2, &key, &f->error));
    MUST(strata_object_create(view, 0, second, 2, &key, &f->error));
    MUST(strata_view_commit(view, &f->error));
    MUST(strata_verify(view, &report, &f->error));
    CHECK_EQ(report.index_entries, 2);
    CHECK_EQ(report.links, 1);
    strata_view_close(view);
    fixture_close(f);
}

void test_schema_survives_a_damaged_catalog(void) {
    uint64_t random = ctest_seed(), opened = 0, refused_ = 0;
    strata_column_spec columns[] = { column("id", STRATA_STRING, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_PRIMARY),
                                     link_to("one", "B"), list_of("many", "A") };
    static const char *const names[] = { "one", "id" };
    strata_index_spec index = { 2, names };
    strata_table_spec tables[] = { { "A", 0, 3, columns, &index, 1 }, { "B", 0, 3, columns, &index, 1 } };
    unsigned rounds = ctest_rounds(1500);
    for (unsigned round = 0; round < rounds; round++) {
        fixture *f = fixture_open_memory();
        MUST(apply(f, 0, tables, 2));
        MUST(strata_view_begin(f->view, &f->error));
        for (int i = 0; i < 3; i++) ADD(1, value_of(i == 0 ? "x" : i == 1 ? "y" : "z"));
        ADD(0, value_of("a"), strata_link(2));
        MUST(strata_view_commit(f->view, &f->error));
        static const char *const keys[] = { "\0cat\0\0\0\0", "\0tab\0\0\0\0", "\0tab\0\0\0\1", "\0cnt\0\0\0\0" };
        damage_record(f, keys[ctest_random(&random) % 4], &random);
        strata_view *view;
        strata_status status = strata_view_open(f->store, &view, &f->error);
        if (status == STRATA_OK) {
            opened++;
            use(f, view);
            strata_view_close(view);
        } else {
            refused_++;
            CHECK_EQ(status, STRATA_CORRUPT);
        }
        fixture_close(f);
    }
    CHECK(opened > rounds / 15 && refused_ > rounds / 15);
}
