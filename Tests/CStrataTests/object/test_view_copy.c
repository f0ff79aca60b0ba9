/* SPDX-License-Identifier: MIT
 * test_view_copy.c -- a new file with what a view shows, also with what it has not committed. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "strata_blob.h"
#include "strata_copy.h"
#include "strata_export.h"
#include "strata_migration.h"
#include "strata_mixed.h"
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

/* ---- Copies in the middle of writes ----------------------------------- */

/* Thing: text (string), name (string, indexed), bytes (data), any (mixed), list (of data), map (of strings) */
enum { TEXT, NAME, BYTES, ANY, LIST, MAP };
enum { LONGEST = 5 * 4080, MOST_OBJECTS = 12 };

/** A store, the objects that it has, and bytes that are valid UTF-8 wherever they are cut. */
typedef struct things {
    fixture *f;
    uint64_t random;
    uint8_t *source;
    uint64_t keys[MOST_OBJECTS];
    uint64_t count;
} things;

static void begin(fixture *f) { MUST(strata_view_begin(f->view, &f->error)); }
static void commit(fixture *f) { MUST(strata_view_commit(f->view, &f->error)); }
static uint64_t pick(things *t, uint64_t limit) { return ctest_random(&t->random) % limit; }

static uint8_t *letters(size_t size, uint64_t seed) {
    uint8_t *bytes = pattern(size, seed);
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)('a' + bytes[i] % 26);
    return bytes;
}

static uint64_t some_size(things *t) {
    static const uint64_t edges[] = { 0, 1023, 1024, 1025, 4079, 4080, 4081, 8160, LONGEST };
    return pick(t, 3) == 0 ? edges[pick(t, 9)] : pick(t, pick(t, 2) == 0 ? 60 : LONGEST);
}

static strata_value some_text(things *t) {
    return strata_string((const char *)t->source + pick(t, 1000), some_size(t));
}
static strata_value some_data(things *t) { return strata_data(t->source + pick(t, 1000), some_size(t)); }

static fixture *open_things(const char *name) {
    strata_column_spec columns[] = {
        column("text", STRATA_STRING, STRATA_COLUMN_NULLABLE), column("name", STRATA_STRING, STRATA_COLUMN_INDEXED),
        column("bytes", STRATA_DATA, 0), column("any", STRATA_MIXED, 0),
        { .name = "list", .type = STRATA_DATA, .collection = STRATA_LIST },
        { .name = "map", .type = STRATA_STRING, .collection = STRATA_MAP },
    };
    strata_table_spec thing = { .name = "Thing", .column_count = 6, .columns = columns };
    fixture *f = fixture_open(name);
    MUST(apply(f, 0, &thing, 1));
    return f;
}

static void set_nested(things *t, strata_row *row) {
    fixture *f = t->f;
    strata_nested *nested = strata_nested_make();
    strata_value value;
    MUST(strata_nested_begin_list(nested, NULL, &f->error));
    for (uint64_t n = pick(t, 3); n > 0; n--) {
        value = some_data(t);
        MUST(strata_nested_append(nested, &value, &f->error));
    }
    MUST(strata_nested_end(nested, &f->error));
    MUST(strata_nested_finish(nested, &value, &f->error));
    MUST(strata_row_set(row, ANY, &value, &f->error));
    strata_nested_free(nested);
}

static void change_list(things *t, strata_row *row) {
    fixture *f = t->f;
    uint64_t size;
    strata_value values[] = { some_data(t), some_data(t) };
    MUST(strata_collection_size(row, LIST, &size, &f->error));
    uint64_t way = pick(t, 4);
    if (size == 0 || way == 0) MUST(strata_list_insert(row, LIST, pick(t, size + 1), values, 2, &f->error));
    else if (way == 1) MUST(strata_collection_remove(row, LIST, pick(t, size), 1, &f->error));
    else if (way == 2 && pick(t, 4) == 0) MUST(strata_collection_remove(row, LIST, 0, size, &f->error));
    else MUST(strata_list_set(row, LIST, pick(t, size), values, &f->error));
}

static void change_map(things *t, strata_row *row) {
    fixture *f = t->f;
    uint64_t size;
    char name = (char)('a' + pick(t, 5));
    strata_value value = some_text(t);
    MUST(strata_collection_size(row, MAP, &size, &f->error));
    if (size != 0 && pick(t, 3) == 0) MUST(strata_collection_remove(row, MAP, pick(t, size), 1, &f->error));
    else MUST(strata_map_set(row, MAP, (strata_bytes){ &name, 1 }, &value, &f->error));
}

static void change_blob(things *t, strata_row *row) {
    fixture *f = t->f;
    uint32_t column = pick(t, 2) == 0 ? TEXT : BYTES;
    uint64_t size, way = pick(t, 3);
    strata_value value = some_data(t);
    MUST(strata_blob_size(row, column, &size, &f->error));
    uint64_t offset = pick(t, size + 1);
    const void *data = value.as.bytes.data;
    if (way == 0) MUST(strata_blob_truncate(row, column, offset, &f->error));
    else if (way == 1) MUST(strata_blob_write(row, column, offset, data, value.as.bytes.size, &f->error));
    else MUST(strata_blob_append(row, column, data, value.as.bytes.size, &f->error));
}

static void change_objects(things *t) {
    fixture *f = t->f;
    if (t->count < MOST_OBJECTS && (t->count < 3 || pick(t, 3) != 0)) {
        strata_value values[] = { some_text(t), some_text(t), some_data(t), some_data(t) };
        t->keys[t->count++] = add(f, 0, 4, values);
        return;
    }
    uint64_t at = pick(t, t->count);
    MUST(strata_object_delete(f->view, 0, t->keys[at], &f->error));
    t->keys[at] = t->keys[--t->count];
}

static void change_thing(things *t) {
    uint64_t way = pick(t, 10);
    if (t->count == 0 || way == 0) {
        change_objects(t);
        return;
    }
    uint64_t key = t->keys[pick(t, t->count)];
    strata_row row = row_of(t->f, 0, key);
    switch (way) {
    case 1: set(t->f, 0, key, TEXT, pick(t, 5) == 0 ? strata_null() : some_text(t)); break;
    case 2: set(t->f, 0, key, NAME, some_text(t)); break;
    case 3: set(t->f, 0, key, BYTES, some_data(t)); break;
    case 4: set(t->f, 0, key, ANY, pick(t, 2) == 0 ? some_text(t) : some_data(t)); break;
    case 5: set_nested(t, &row); break;
    case 6: change_list(t, &row); break;
    case 7: change_map(t, &row); break;
    case 8: change_blob(t, &row); break;
    default: (void)index_count(t->f, 0, NAME, NULL); /* stores what is pending */
    }
}

static bool take(void *context, const void *text, size_t size) { return st_buffer_append(context, text, size); }

/* All objects that the view shows, as text. */
static st_buffer text_of(fixture *f) {
    st_buffer text = { 0 };
    strata_export *to;
    strata_export_options options = strata_export_options_blank();
    options.flags = STRATA_EXPORT_KEYS;
    MUST(strata_export_open(f->view, &options, take, &text, &to, &f->error));
    MUST(strata_export_table(to, 0, &f->error));
    MUST(strata_export_end(to, &f->error));
    strata_export_close(to);
    return text;
}

/* A copy is sound, has what the view shows, and can be changed. */
static void check_copy(things *t) {
    fixture *f = t->f;
    MUST(strata_view_copy(f->view, ctest_path("copy"), &f->error));
    st_buffer shown = text_of(f);
    fixture *g = fixture_open("copy");
    verify(g);
    st_buffer copied = text_of(g);
    CHECK(shown.size == copied.size && memcmp(shown.data, copied.data, shown.size) == 0);
    st_buffer_free(&shown);
    st_buffer_free(&copied);
    things of_copy = *t;
    of_copy.f = g;
    begin(g);
    for (int i = 0; i < 3; i++) change_thing(&of_copy);
    commit(g);
    verify(g);
    fixture_close(g);
    CHECK_EQ(unlink(ctest_path("copy")), 0);
}

static void write_things(things *t) {
    fixture *f = t->f;
    const things before = *t;
    begin(f);
    for (uint64_t n = 1 + pick(t, 20); n > 0; n--) {
        change_thing(t);
        if (pick(t, 8) == 0) check_copy(t);
    }
    if (pick(t, 4) != 0) {
        st_buffer shown = text_of(f);
        commit(f);
        st_buffer committed = text_of(f);
        CHECK(shown.size == committed.size && memcmp(shown.data, committed.data, shown.size) == 0);
        st_buffer_free(&shown);
        st_buffer_free(&committed);
        return;
    }
    strata_view_cancel(f->view);
    t->count = before.count;
    memcpy(t->keys, before.keys, sizeof t->keys);
}

void test_view_copy_in_the_middle_of_writes(void) {
    ctest_directory_in_memory();
    things t = { .random = ctest_seed(), .f = open_things("things") };
    t.source = letters(LONGEST + 1000, t.random);
    for (unsigned round = 0; round < ctest_rounds(120); round++) {
        write_things(&t);
        verify(t.f);
    }
    fixture_close(t.f);
    free(t.source);
}

/* What the write has no use for any more is not in the copy, and stays where the write may use it. */
void test_view_copy_leaves_spare_pieces_out(void) {
    things t = { .f = open_things("things"), .source = letters(100000, 1) };
    fixture *f = t.f;
    const uint8_t *bytes = t.source;
    begin(f);
    strata_value values[] = { strata_null(), strata_string("", 0), strata_data(bytes, 100000) };
    t.keys[t.count++] = add(f, 0, 3, values);
    commit(f);
    for (uint64_t size = 0; size <= 90000; size += 45000) {
        begin(f);
        strata_row row = row_of(f, 0, t.keys[0]);
        MUST(strata_blob_truncate(&row, BYTES, size, &f->error));
        check_copy(&t);
        set(f, 0, t.keys[0], BYTES, strata_data(bytes, 95000));
        check_copy(&t);
        check_copy(&t);
        if (size == 90000) commit(f);
        else strata_view_cancel(f->view);
        verify(f);
    }
    CHECK_EQ(tree_entries(f, ST_BLOBS), (95000 + 4079) / 4080);
    fixture_close(f);
    free(t.source);
}

/* A migration has taken the values of a column away, whose pieces are spare. */
void test_view_copy_of_a_migration(void) {
    fixture *f = open_things("things");
    uint8_t *bytes = letters(100000, 1);
    begin(f);
    ADD(0, strata_null(), strata_string("", 0), strata_data(bytes, 100000));
    commit(f);
    strata_column_spec columns[] = { column("name", STRATA_STRING, 0), column("bytes", STRATA_INT, 0) };
    strata_table_spec thing = { .name = "Thing", .column_count = 2, .columns = columns };
    MUST(strata_migration_begin(f->view, &thing, 1, 1, &f->error));
    MUST(strata_view_copy(f->view, ctest_path("begun"), &f->error));
    MUST(strata_migration_finish(f->view, NULL, 0, &thing, 1, "retyped", &f->error));
    MUST(strata_view_copy(f->view, ctest_path("finished"), &f->error));
    commit(f);
    verify(f);
    fixture_close(f);
    const char *copies[] = { "begun", "finished" };
    for (int i = 0; i < 2; i++) {
        f = fixture_open(copies[i]);
        CHECK_EQ(table_size(f, 0), 1);
        verify(f);
        fixture_close(f);
    }
    free(bytes);
}
