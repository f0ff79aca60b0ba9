/* SPDX-License-Identifier: MIT
 * test_blob.c -- strings and data, a part at a time. */
#include "strata_blob.h"

#include <stdio.h>
#include <sys/stat.h>

#include "support/record.h"
#include "support/strata_support.h"

/* Log: text (optional string), bytes (data), name (string, indexed), any (mixed), lines (list of strings), number */
enum { LOG };
enum { TEXT, BYTES, NAME, ANY, LINES, NUMBER };
enum { PIECE = 4080, PAGE = 4096, LINE = 100 };

static fixture *open_log(const char *name) {
    strata_column_spec columns[] = {
        column("text", STRATA_STRING, STRATA_COLUMN_NULLABLE), column("bytes", STRATA_DATA, 0),
        column("name", STRATA_STRING, STRATA_COLUMN_INDEXED), column("any", STRATA_MIXED, 0),
        { .name = "lines", .type = STRATA_STRING, .collection = STRATA_LIST }, column("number", STRATA_INT, 0),
    };
    strata_table_spec table = { "Log", 0, 6, columns };
    fixture *f = fixture_open(name);
    MUST(apply(f, 0, &table, 1));
    return f;
}

static void begin(fixture *f) { MUST(strata_view_begin(f->view, &f->error)); }
static void commit(fixture *f) { MUST(strata_view_commit(f->view, &f->error)); }

static void check_value(fixture *f, strata_view *view, uint64_t key, uint32_t column, const uint8_t *expected,
                        uint64_t size) {
    strata_row row;
    uint64_t there;
    size_t read;
    MUST(strata_row_bind(view, LOG, key, &row, &f->error));
    MUST(strata_blob_size(&row, column, &there, &f->error));
    CHECK_EQ(there, size);
    uint8_t *bytes = malloc(size + 2);
    MUST(strata_blob_read(&row, column, 0, bytes, size + 2, &read, &f->error));
    CHECK_EQ(read, size);
    CHECK(size == 0 || memcmp(bytes, expected, size) == 0);
    MUST(strata_blob_read(&row, column, size / 2, bytes, 3, &read, &f->error));
    CHECK_EQ(read, size - size / 2 < 3 ? size - size / 2 : 3);
    CHECK(memcmp(bytes, expected + size / 2, read) == 0);
    MUST(strata_blob_read(&row, column, size + 1, bytes, 1, &read, &f->error));
    CHECK_EQ(read, 0);
    free(bytes);
}

/* A cell of each type, an earlier snapshot, and plain arrays agree, whatever is done. */
enum { LONGEST = 5 * PIECE };

typedef struct plain { uint8_t bytes[2][LONGEST]; uint64_t size[2]; } plain;

static uint64_t some_size(uint64_t *random, uint64_t most) {
    static const uint64_t edges[] = { 0, 1, 1023, 1024, 1025, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 4 * PIECE };
    uint64_t size = ctest_random(random) % 3 == 0 ? edges[ctest_random(random) % 10] : ctest_random(random) % 3000;
    return size < most ? size : most;
}

static void change(fixture *f, uint64_t key, uint32_t column, plain *p, const uint8_t *source, uint64_t *random) {
    strata_row row = row_of(f, LOG, key);
    uint64_t *size = &p->size[column], offset = some_size(random, *size), count = some_size(random, LONGEST - offset);
    const uint8_t *from = source + ctest_random(random) % 1000;
    switch (ctest_random(random) % 6) {
    case 0: case 1:
        if (count > LONGEST - *size) count = LONGEST - *size;
        MUST(strata_blob_append(&row, column, from, count, &f->error));
        memcpy(p->bytes[column] + *size, from, count);
        *size += count;
        break;
    case 2: case 3:
        MUST(strata_blob_write(&row, column, offset, from, count, &f->error));
        memcpy(p->bytes[column] + offset, from, count);
        if (offset + count > *size) *size = offset + count;
        break;
    case 4:
        MUST(strata_blob_truncate(&row, column, offset, &f->error));
        *size = offset;
        break;
    default:
        set(f, LOG, key, column, column == TEXT ? strata_string((const char *)from, count) : strata_data(from, count));
        memcpy(p->bytes[column], from, count);
        *size = count;
    }
    MUST(strata_row_ready(&row));
}

void test_blob_changes_agree_with_arrays(void) {
    uint64_t random = ctest_seed();
    fixture *f = open_log("agree");
    uint8_t *source = pattern(LONGEST + 1000, random);
    for (int i = 0; i < LONGEST + 1000; i++) source[i] = (uint8_t)('a' + source[i] % 26);
    plain *now = calloc(1, sizeof *now), *before = calloc(1, sizeof *before);
    begin(f);
    uint64_t key = ADD(LOG, strata_null());
    commit(f);
    *before = *now;
    strata_view *reader;
    MUST(strata_view_open(f->store, &reader, &f->error));
    for (unsigned round = 0; round < ctest_rounds(300); round++) {
        plain *saved = malloc(sizeof *saved);
        *saved = *now;
        begin(f);
        for (uint64_t n = ctest_random(&random) % 12; n > 0; n--) {
            change(f, key, ctest_random(&random) % 2 ? TEXT : BYTES, now, source, &random);
            if (ctest_random(&random) % 8 == 0) (void)index_count(f, LOG, NAME, NULL); /* stores what is pending */
        }
        for (uint32_t c = TEXT; c <= BYTES; c++) check_value(f, f->view, key, c, now->bytes[c], now->size[c]);
        if (ctest_random(&random) % 4 == 0) {
            strata_view_cancel(f->view);
            *now = *saved;
        } else commit(f);
        free(saved);
        for (uint32_t c = TEXT; c <= BYTES; c++) {
            check_value(f, f->view, key, c, now->bytes[c], now->size[c]);
            check_value(f, reader, key, c, before->bytes[c], before->size[c]);
        }
        if (round % 10 != 0) continue;
        verify(f);
        MUST(strata_view_refresh(reader, NULL, &f->error));
        *before = *now;
    }
    strata_view_close(reader);
    free(now);
    free(before);
    free(source);
    fixture_close(f);
}

void test_blob_refuses_what_does_not_fit(void) {
    fixture *f = open_log("refuse");
    uint64_t size;
    size_t read;
    begin(f);
    uint64_t key = ADD(LOG, strata_null());
    strata_row row = row_of(f, LOG, key);
    REFUSED(strata_blob_append(&row, NAME, "x", 1, &f->error), STRATA_MISUSE, "Log.name", "index", "as a whole");
    REFUSED(strata_blob_append(&row, ANY, "x", 1, &f->error), STRATA_MISUSE, "Log.any", "neither a string nor data");
    REFUSED(strata_blob_truncate(&row, LINES, 0, &f->error), STRATA_MISUSE, "Log.lines");
    REFUSED(strata_blob_write(&row, NUMBER, 0, "x", 1, &f->error), STRATA_MISUSE, "Log.number");
    REFUSED(strata_blob_append(&row, 9, "x", 1, &f->error), STRATA_MISUSE, "9");
    REFUSED(strata_blob_size(&row, NUMBER, &size, &f->error), STRATA_MISUSE, "number");
    REFUSED(strata_blob_size(&row, ANY, &size, &f->error), STRATA_MISUSE, "any");
    REFUSED(strata_blob_size(&row, LINES, &size, &f->error), STRATA_MISUSE, "lines");
    MUST(strata_blob_append(&row, TEXT, "", 0, &f->error)); /* no longer null */
    check_text(f, LOG, key, TEXT, "");
    MUST(strata_row_set(&row, TEXT, &(strata_value){ STRATA_NULL }, &f->error));
    MUST(strata_blob_truncate(&row, TEXT, 0, &f->error));
    check_text(f, LOG, key, TEXT, "");
    MUST(strata_blob_append(&row, TEXT, "a\xC3\xA4z", 4, &f->error));
    for (int i = 0; i < 2; i++) { /* in the row, and outside of it */
        uint64_t at = i == 0 ? 0 : 2000;
        REFUSED(strata_blob_append(&row, TEXT, "b\xC3", 2, &f->error), STRATA_TYPE, "Log.text", "UTF-8");
        REFUSED(strata_blob_write(&row, TEXT, at + 2, "b", 1, &f->error), STRATA_TYPE, "inside of a character",
                "Log.text");
        REFUSED(strata_blob_write(&row, TEXT, at + 1, "b", 1, &f->error), STRATA_TYPE, "inside of a character");
        REFUSED(strata_blob_truncate(&row, TEXT, at + 2, &f->error), STRATA_TYPE, "inside of a character");
        REFUSED(strata_blob_truncate(&row, TEXT, at + 5, &f->error), STRATA_RANGE, "Log.text", "bytes");
        REFUSED(strata_blob_write(&row, TEXT, at + 5, "b", 1, &f->error), STRATA_RANGE, "Log.text", "bytes");
        REFUSED(strata_blob_append(&row, TEXT, NULL, 1, &f->error), STRATA_MISUSE, "Log.text");
        MUST(strata_blob_write(&row, TEXT, at + 1, "\xC3\xB6", 2, &f->error));
        if (i == 1) break;
        char spaces[2000];
        memset(spaces, ' ', sizeof spaces);
        MUST(strata_blob_truncate(&row, TEXT, 0, &f->error));
        MUST(strata_blob_append(&row, TEXT, spaces, sizeof spaces, &f->error));
        MUST(strata_blob_append(&row, TEXT, "a\xC3\xA4z", 4, &f->error));
    }
    uint8_t *most = pattern(STRATA_MAX_VALUE, 1);
    MUST(strata_blob_append(&row, BYTES, most, STRATA_MAX_VALUE, &f->error));
    REFUSED(strata_blob_append(&row, BYTES, most, 1, &f->error), STRATA_TOO_LARGE, "Log.bytes", "16777217", "16 MiB");
    REFUSED(strata_blob_write(&row, BYTES, 1, most, STRATA_MAX_VALUE, &f->error), STRATA_TOO_LARGE, "Log.bytes");
    MUST(strata_blob_write(&row, BYTES, STRATA_MAX_VALUE - 1, most, 1, &f->error));
    free(most);
    commit(f);
    REFUSED(strata_blob_append(&row, TEXT, "x", 1, &f->error), STRATA_NOT_WRITING, "begin one");
    begin(f);
    MUST(strata_object_delete(f->view, LOG, key, &f->error));
    CHECK_EQ(strata_blob_append(&row, TEXT, "x", 1, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(strata_blob_read(&row, TEXT, 0, NULL, 0, &read, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(strata_blob_size(&row, TEXT, &size, &f->error), STRATA_NOT_FOUND);
    commit(f);
    CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
    verify(f);
    fixture_close(f);
}

/* ---- What it costs ---------------------------------------------------- */

static uint64_t file_size(const char *name) {
    struct stat info;
    CHECK_EQ(stat(ctest_path(name), &info), 0);
    return (uint64_t)info.st_size;
}

/* In a child: what is recorded is that of all threads. */
static void append_in_many_writes(void *unused) {
    enum { WRITES = 200, PAGES = 16, START = 1000 * 1000 };
    (void)unused;
    fixture *f = open_log("many");
    uint8_t *bytes = pattern(START, 1);
    record log;
    uint64_t written = 0;
    begin(f);
    uint64_t key = ADD(LOG, strata_null(), strata_data(bytes, START));
    commit(f);
    record_start(&log, ctest_directory());
    for (int i = 0; i < WRITES; i++) {
        begin(f);
        strata_row row = row_of(f, LOG, key);
        MUST(strata_blob_append(&row, BYTES, bytes, LINE, &f->error));
        commit(f);
    }
    record_stop();
    for (size_t i = 0; i < log.event_count; i++)
        if (log.events[i].kind == RECORD_WRITE) written += log.events[i].size;
    record_free(&log);
    CHECK(written < WRITES * PAGES * PAGE); /* whole values would be 244 pages each */
    verify(f);
    free(bytes);
    fixture_close(f);
}

void test_blob_appends_in_many_writes(void) {
    ctest_directory_in_memory();
    CHECK_EQ(ctest_child(append_in_many_writes, NULL), 0);
}

void test_blob_appends_in_one_write(void) {
    enum { APPENDS = 100000, ALL = APPENDS * LINE };
    ctest_directory_in_memory();
    fixture *f = open_log("one");
    uint8_t *bytes = pattern(ALL, 1);
    begin(f);
    uint64_t key = ADD(LOG, strata_null());
    strata_row row = row_of(f, LOG, key);
    for (size_t i = 0; i < APPENDS; i++) MUST(strata_blob_append(&row, BYTES, bytes + i * LINE, LINE, &f->error));
    commit(f);
    check_value(f, f->view, key, BYTES, bytes, ALL);
    CHECK(file_size("one") < ALL * 21 / 20 + 40 * PAGE);
    verify(f);
    free(bytes);
    fixture_close(f);
}

/* ---- How much a write leaves behind ------------------------------------ */

enum { LONG = 200 * 1000, TIMES = 2000 };

/* The log that grows by being set, and stays in the file once: in a value, an indexed one, an element; with what is
 * pending stored in between, and while a snapshot keeps LMDB from using any page again. */
static void replace_often(fixture *f, uint64_t key, const char *text, bool store_between) {
    for (size_t i = 1; i <= TIMES; i++) {
        size_t size = i * LINE;
        set(f, LOG, key, TEXT, strata_string(text, size));
        set(f, LOG, key, ANY, i % 3 == 0 ? strata_int(1) : strata_string(text, LONG - size + 1));
        if (!store_between) set(f, LOG, key, NAME, strata_string(text, i % 7 == 0 ? 10 : size));
        strata_row row = row_of(f, LOG, key);
        strata_value line = strata_string(text, i % 5 == 0 ? 5 : size);
        MUST(strata_list_set(&row, LINES, 0, &line, &f->error));
        if (i % 4 == 0) set(f, LOG, key, BYTES, strata_data(text, i % 8 == 0 ? LONG : 2000));
        if (i % 9 == 0) MUST(strata_object_delete(f->view, LOG, ADD(LOG, strata_string(text, LONG)), &f->error));
        if (store_between) (void)index_count(f, LOG, NAME, NULL);
    }
}

void test_blob_is_stored_once_in_a_write(void) {
    ctest_directory_in_memory();
    for (int round = 0; round < 4; round++) {
        char name[20];
        snprintf(name, sizeof name, "once%d", round);
        fixture *f = open_log(name);
        char *text = malloc(LONG);
        memset(text, 'x', LONG);
        begin(f);
        uint64_t key = ADD(LOG, strata_null());
        strata_row row = row_of(f, LOG, key);
        strata_value line = value_of("");
        MUST(strata_list_insert(&row, LINES, 0, &line, 1, &f->error));
        commit(f);
        strata_view *held = NULL;
        if (round >= 2) MUST(strata_view_open(f->store, &held, &f->error));
        for (int i = 0; held != NULL && i < 5; i++) { /* the pages that LMDB might use again are used up */
            begin(f);
            set(f, LOG, key, NUMBER, strata_int(i));
            commit(f);
        }
        begin(f);
        replace_often(f, key, text, round % 2 == 1);
        commit(f);
        CHECK(file_size(name) < 16 * LONG); /* there are five values, and each may be there twice */
        if (held != NULL) strata_view_close(held);
        verify(f);
        free(text);
        fixture_close(f);
    }
}
