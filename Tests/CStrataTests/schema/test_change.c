/* SPDX-License-Identifier: MIT
 * test_change.c -- tables and columns that get other names, or go. */
#include "store/trees.h"
#include "support/strata_support.h"

enum { OWNER = 0, DOG = 1, OWNERS = 20, DOGS = 60 };

static strata_status migrate(fixture *f, uint64_t version, const strata_schema_change *changes, uint32_t change_count,
                             const strata_table_spec *tables, uint32_t count) {
    return strata_schema_migrate(f->view, changes, change_count, tables, count, version, &f->error);
}

/* Owners with an indexed name, a long text and dogs; dogs with an id, an age, a link to their owner, a mixed value, and
 * a compound index. */
static fixture *make(const char *file) {
    static const char *const by[] = { "age", "name" };
    strata_column_spec owner[] = { column("name", STRATA_STRING, STRATA_COLUMN_INDEXED), column("text", STRATA_DATA, 0),
                                   list_of("dogs", "Dog"), column("any", STRATA_MIXED, STRATA_COLUMN_NULLABLE) };
    strata_column_spec dog[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("name", STRATA_STRING, 0),
                                 column("age", STRATA_INT, STRATA_COLUMN_INDEXED), link_to("owner", "Owner"),
                                 { "words", STRATA_STRING, STRATA_LIST, 0, NULL } };
    strata_index_spec index = { 2, by };
    strata_table_spec tables[] = { { .name = "Owner", .column_count = 4, .columns = owner },
                                   { .name = "Dog", .column_count = 5, .columns = dog, .indexes = &index,
                                     .index_count = 1 } };
    fixture *f = fixture_open(file);
    uint8_t *text = pattern(5000, 3);
    MUST(apply(f, 1, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < OWNERS; i++) ADD(OWNER, value_of(i % 2 == 0 ? "Ann" : "Bob"), strata_data(text, 5000));
    for (int i = 0; i < DOGS; i++) {
        uint64_t key = ADD(DOG, strata_int(i), value_of("Rex"), strata_int(i % 7),
                           strata_link((uint64_t)(1 + i % OWNERS)));
        strata_row owned = row_of(f, OWNER, (uint64_t)(1 + i % OWNERS)), row = row_of(f, DOG, key);
        MUST(insert_keys(&owned, 2, 0, &key, 1, &f->error));
        strata_value words[200];
        for (int w = 0; w < 200; w++) words[w] = value_of("a word in a list that is long enough for blocks");
        if (i < 3) MUST(strata_list_insert(&row, 4, 0, words, 200, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    free(text);
    return f;
}

static uint32_t number_of(fixture *f, const char *table, const char *name) {
    uint32_t number, column = UINT32_MAX;
    if (strata_table_find(f->view, table, &number) != STRATA_OK) return UINT32_MAX;
    if (name == NULL) return number;
    return strata_column_find(f->view, number, name, &column) == STRATA_OK ? column : UINT32_MAX;
}

void test_change_renames_keep_everything(void) {
    fixture *f = make("file");
    strata_schema_change changes[] = { { STRATA_RENAME_TABLE, "Dog", NULL, "Hound" },
                                       { STRATA_RENAME_COLUMN, "Hound", "age", "years" },
                                       { STRATA_RENAME_COLUMN, "Owner", "dogs", "hounds" },
                                       { STRATA_RENAME_COLUMN, "Owner", "name", "surname" },
                                       { STRATA_RENAME_COLUMN, "Hound", "name", "age" } };
    strata_value three = strata_int(3), ann = value_of("Ann");
    uint64_t before = index_count(f, DOG, 2, &three), key;
    MUST(migrate(f, 2, changes, 5, NULL, 0));
    CHECK(strata_schema_version(f->view) == 2);
    CHECK(number_of(f, "Dog", NULL) == UINT32_MAX && number_of(f, "Hound", NULL) == DOG);
    CHECK(number_of(f, "Hound", "years") == 2 && number_of(f, "Hound", "age") == 1);
    CHECK(number_of(f, "Owner", "hounds") == 2 && number_of(f, "Owner", "dogs") == UINT32_MAX);
    CHECK_EQ(index_count(f, DOG, 2, &three), before);
    CHECK_EQ(index_count(f, OWNER, 0, &ann), OWNERS / 2);
    CHECK_EQ(backlinks(f, OWNER, 1, DOG, 3), DOGS / OWNERS);
    MUST(strata_object_find(f->view, DOG, &three, &key, &f->error));
    check_text(f, DOG, key, 1, "Rex");
    verify(f);
    /* Asked for again, as at each opening: nothing is left to do, and nothing is missing. */
    uint64_t version = strata_view_version(f->view);
    MUST(migrate(f, 2, changes, 5, NULL, 0));
    CHECK(strata_view_version(f->view) == version);
    /* A program that knows the old names is refused. */
    strata_column_spec old[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY) };
    strata_table_spec dog = { .name = "Dog", .column_count = 1, .columns = old };
    REFUSED(apply(f, 1, &dog, 1), STRATA_SCHEMA_OLD, "schema version 2");
    fixture_close(f);
}

/* A new column beside one that got another name, in one step. */
void test_change_goes_with_a_declaration(void) {
    fixture *f = make("file");
    strata_schema_change change = { STRATA_RENAME_COLUMN, "Owner", "name", "surname" };
    strata_column_spec owner[] = { column("surname", STRATA_STRING, 0), column("text", STRATA_DATA, 0),
                                   list_of("dogs", "Dog"), column("any", STRATA_MIXED, STRATA_COLUMN_NULLABLE),
                                   column("first name", STRATA_STRING, STRATA_COLUMN_INDEXED) };
    strata_table_spec table = { .name = "Owner", .column_count = 5, .columns = owner };
    REFUSED(migrate(f, 1, &change, 1, &table, 1), STRATA_SCHEMA_MISMATCH, "Owner.surname was added");
    MUST(migrate(f, 2, &change, 1, &table, 1));
    check_text(f, OWNER, 1, 0, "Ann");
    check_text(f, OWNER, 1, 4, "");
    verify(f);
    MUST(strata_view_begin(f->view, &f->error));
    set(f, OWNER, 1, 4, value_of("Maria"));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    fixture_close(f);
    /* A new file has nothing to change. */
    f = fixture_open("another");
    strata_column_spec one[] = { column("surname", STRATA_STRING, 0) };
    table = (strata_table_spec){ .name = "Owner", .column_count = 1, .columns = one };
    MUST(migrate(f, 2, &change, 1, &table, 1));
    verify(f);
    fixture_close(f);
}

void test_change_drops_columns(void) {
    fixture *f = make("file");
    strata_schema_change changes[] = { { STRATA_DROP_COLUMN, "Dog", "age", NULL },
                                       { STRATA_DROP_COLUMN, "Dog", "id", NULL },
                                       { STRATA_DROP_COLUMN, "Dog", "words", NULL },
                                       { STRATA_DROP_COLUMN, "Owner", "dogs", NULL },
                                       { STRATA_DROP_COLUMN, "Owner", "text", NULL } };
    strata_table_info info;
    MUST(migrate(f, 2, changes, 5, NULL, 0));
    CHECK(number_of(f, "Dog", "age") == UINT32_MAX && number_of(f, "Dog", "owner") == 3);
    CHECK_EQ(strata_table_get(f->view, DOG, &info), STRATA_OK);
    CHECK(info.primary == UINT32_MAX && info.index_count == 0 && info.column_count == 5);
    verify(f); /* no entry, no large value and no collection is left over */
    CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
    CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_unlink(f->view, OWNER, 1, &f->error));
    MUST(strata_object_delete(f->view, OWNER, 1, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    fixture_close(f);
}

void test_change_drops_tables(void) {
    fixture *f = make("file");
    strata_schema_change changes[] = { { STRATA_DROP_COLUMN, "Owner", "dogs", NULL },
                                       { STRATA_DROP_COLUMN, "Dog", "words", NULL },
                                       { STRATA_DROP_TABLE, "Dog", NULL, NULL } };
    uint64_t key;
    uint32_t table;
    strata_table_info info;
    strata_row row = row_of(f, DOG, 3);
    REFUSED(migrate(f, 2, &changes[2], 1, NULL, 0), STRATA_REFERENCED, "Owner.dogs links to it");
    MUST(strata_view_begin(f->view, &f->error)); /* a link in a value of any type */
    strata_value link = { .type = STRATA_LINK, .table = DOG, .as.link = 5 };
    set(f, OWNER, 2, 3, link);
    MUST(strata_view_commit(f->view, &f->error));
    REFUSED(migrate(f, 2, changes, 3, NULL, 0), STRATA_REFERENCED, "1 links of Owner.any");
    CHECK(number_of(f, "Owner", "dogs") == 2); /* nothing was changed */
    verify(f);
    MUST(strata_view_begin(f->view, &f->error));
    set(f, OWNER, 2, 3, strata_null());
    MUST(strata_view_commit(f->view, &f->error));
    MUST(migrate(f, 2, changes, 3, NULL, 0));

    CHECK(number_of(f, "Dog", NULL) == UINT32_MAX);
    CHECK_EQ(strata_table_find(f->view, "", &table), STRATA_NOT_FOUND);
    CHECK_EQ(strata_table_get(f->view, DOG, &info), STRATA_OK);
    CHECK(*info.name == 0 && info.column_count == 0);
    CHECK_EQ(strata_row_ready(&row), STRATA_NOT_FOUND);
    CHECK_EQ(table_size(f, DOG), 0);
    CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    verify(f);
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(strata_object_create(f->view, DOG, NULL, 0, &key, &f->error), STRATA_MISUSE, "table 1 was dropped");
    ADD(OWNER, value_of("Carl"));
    MUST(strata_view_commit(f->view, &f->error));
    /* The name is free: it is that of a new table, with a new number. */
    strata_column_spec id[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY) };
    strata_table_spec dog = { .name = "Dog", .column_count = 1, .columns = id };
    MUST(apply(f, 2, &dog, 1));
    CHECK_EQ(number_of(f, "Dog", NULL), 2);
    verify(f);
    fixture_close(f);
    strata_config config = strata_config_blank();
    config.path = ctest_path("file");
    CHECK_EQ(strata_compact(&config, NULL, NULL), STRATA_OK);
    f = fixture_open("file");
    CHECK_EQ(number_of(f, "Dog", NULL), 2);
    verify(f);
    fixture_close(f);
}

void test_change_refuses(void) {
    fixture *f = make("file");
    static const struct {
        strata_schema_change change;
        strata_status status;
        const char *words;
    } all[] = {
        { { STRATA_RENAME_TABLE, "Cat", NULL, "Lion" }, STRATA_SCHEMA_MISMATCH, "it has no table Cat" },
        { { STRATA_RENAME_TABLE, NULL, NULL, "Lion" }, STRATA_MISUSE, "without the name of a table" },
        { { STRATA_RENAME_TABLE, "Dog", NULL, "Owner" }, STRATA_SCHEMA_MISMATCH, "there is a table Owner already" },
        { { STRATA_RENAME_TABLE, "Dog", NULL, "" }, STRATA_INVALID_SCHEMA, "without a name" },
        { { STRATA_RENAME_TABLE, "Dog", NULL, NULL }, STRATA_MISUSE, "without the new name" },
        { { STRATA_RENAME_COLUMN, "Dog", "tail", "x" }, STRATA_SCHEMA_MISMATCH, "Dog has no column tail" },
        { { STRATA_RENAME_COLUMN, "Dog", NULL, "x" }, STRATA_MISUSE, "without the name of a column" },
        { { STRATA_RENAME_COLUMN, "Dog", "age", "name" }, STRATA_SCHEMA_MISMATCH, "there is a column name already" },
        { { STRATA_RENAME_COLUMN, "Dog", "age", "\xff" }, STRATA_INVALID_SCHEMA, "UTF-8" },
        { { STRATA_DROP_COLUMN, "Dog", "", NULL }, STRATA_SCHEMA_MISMATCH, "has no column" },
        { { STRATA_DROP_TABLE, "", NULL, NULL }, STRATA_SCHEMA_MISMATCH, "it has no table" },
        { { STRATA_DROP_TABLE, "Owner", NULL, NULL }, STRATA_REFERENCED, "Dog.owner links to it" },
        { { (strata_change_kind)9, "Dog", NULL, NULL }, STRATA_MISUSE, "no kind of a change" },
    };
    strata_schema_change drop = { STRATA_DROP_COLUMN, "Dog", "words", NULL };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        strata_schema_change two[] = { drop, all[i].change };
        REFUSED(migrate(f, 2, two, 2, NULL, 0), all[i].status, all[i].words);
        CHECK(number_of(f, "Dog", "words") == 4); /* all or nothing */
        CHECK(strata_schema_version(f->view) == 1);
    }
    REFUSED(migrate(f, 2, NULL, 1, NULL, 0), STRATA_MISUSE, "without an address");
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(migrate(f, 2, &drop, 1, NULL, 0), STRATA_WRITING, "inside a write");
    strata_view_cancel(f->view);
    verify(f);
    fixture_close(f);
}
