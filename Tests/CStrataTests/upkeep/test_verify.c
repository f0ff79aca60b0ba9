/* SPDX-License-Identifier: MIT
 * test_verify.c -- what strata_verify() must notice: things stored outside of rows that belong to nobody, or to two. */
#include "block/block.h"
#include "base/bits.h"
#include "store/cursor.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/strata_support.h"

enum { DATA, NUMBERS, COLUMNS };
enum { LARGE = 2 * 4080 + 1000, MANY = 5000 };

/* Two objects, each with a large value of three pieces and a long list. */
static fixture *open_stored(void) {
    const strata_column_spec columns[COLUMNS] = { column("data", STRATA_DATA, 0),
                                                  { "numbers", STRATA_INT, STRATA_LIST, 0, NULL } };
    const strata_table_spec table = { "Thing", 0, COLUMNS, columns };
    static strata_value numbers[MANY];
    uint8_t *data = pattern(LARGE, 1);
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < MANY; i++) numbers[i] = strata_int(i * 1000);
    for (int i = 0; i < 2; i++) {
        strata_row row = row_of(f, 0, ADD(0, strata_data(data, LARGE)));
        MUST(strata_list_insert(&row, NUMBERS, 0, numbers, MANY, &f->error));
    }
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    free(data);
    return f;
}

static size_t make_key(uint8_t out[12], uint64_t identity, uint32_t part) {
    st_store_big64(out, identity);
    st_store_big32(out + 8, part);
    return 12;
}

/* Puts an entry into a tree, or takes it out if there are no bytes. */
static void plant(fixture *f, st_tree tree, strata_bytes key, const void *bytes, size_t size) {
    st_txn *txn;
    MUST(st_writer_begin(f->store, &txn, &f->error));
    if (bytes == NULL) MUST(st_tree_delete(txn, tree, key, &f->error));
    else MUST(st_tree_put(txn, tree, key, (strata_bytes){ bytes, size }, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
}

/* The identity of entry number `at` of a tree. */
static uint64_t identity_at(fixture *f, st_tree tree, uint64_t at) {
    st_txn *txn;
    st_cursor *cursor;
    strata_bytes key, value;
    MUST(st_snapshot_begin(f->store, &txn, &f->error));
    MUST(st_cursor_open(txn, tree, &cursor, &f->error));
    MUST(st_cursor_seek(cursor, (strata_bytes){ NULL, 0 }, &key, &value, &f->error));
    while (at-- > 0) MUST(st_cursor_next(cursor, &key, &value, &f->error));
    uint64_t identity = st_load_big64(key.data);
    st_cursor_close(cursor);
    st_snapshot_end(txn);
    return identity;
}

#define UNSOUND(...) REFUSED(strata_verify(f->view, NULL, &f->error), STRATA_CORRUPT, __VA_ARGS__)

void test_verify_finds_large_values_of_nobody(void) {
    fixture *f = open_stored();
    uint8_t key[12];
    uint64_t first = identity_at(f, ST_BLOBS, 0);
    strata_bytes stranger = { key, make_key(key, first + 1000, 0) };
    plant(f, ST_BLOBS, stranger, "stranger", 8);
    UNSOUND("large value", "belongs to no object");
    plant(f, ST_BLOBS, stranger, NULL, 0);
    verify(f);

    strata_bytes more = { key, make_key(key, first, 3) };
    plant(f, ST_BLOBS, more, "one piece too many", 18);
    UNSOUND("large value", "4 pieces", "has 3");
    plant(f, ST_BLOBS, more, NULL, 0);
    verify(f);
    plant(f, ST_BLOBS, (strata_bytes){ key, make_key(key, first, 1) }, NULL, 0);
    UNSOUND("piece 1", "large value");
    fixture_close(f);
}

void test_verify_finds_collections_of_nobody(void) {
    fixture *f = open_stored();
    static const uint8_t directory[16] = { 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
    uint8_t key[12];
    uint64_t first = identity_at(f, ST_COLLECTIONS, 0), count = tree_entries(f, ST_COLLECTIONS);
    uint64_t last = identity_at(f, ST_COLLECTIONS, count - 1);
    CHECK(first != last);
    make_key(key, last + 1000, 0);
    strata_bytes stranger = { key, 8 };
    plant(f, ST_COLLECTIONS, stranger, directory, sizeof directory);
    UNSOUND("collection", "belongs to no object");
    plant(f, ST_COLLECTIONS, stranger, NULL, 0);
    verify(f);

    strata_bytes block = { key, make_key(key, first, 4711) };
    plant(f, ST_COLLECTIONS, block, directory, sizeof directory); /* never looked into */
    UNSOUND("collection", "pieces");
    plant(f, ST_COLLECTIONS, block, NULL, 0);
    verify(f);

    make_key(key, last, 0);
    plant(f, ST_COLLECTIONS, (strata_bytes){ key, 8 }, NULL, 0);
    UNSOUND("collection", "damaged");
    fixture_close(f);
}

/* Two elements of one list that have the same reference. Elsewhere a reference is damage where it does not belong: see
 * test_reference.c. */
void test_verify_finds_two_owners_of_one_value(void) {
    const strata_column_spec list = { "texts", STRATA_DATA, STRATA_LIST, 0, NULL };
    const strata_table_spec table = { "Thing", 0, 1, &list };
    static uint8_t copy[8000];
    uint8_t *data = pattern(LARGE, 1), name[12];
    strata_value values[] = { strata_data(data, LARGE), strata_data(data, LARGE) };
    strata_bytes key, value;
    st_cursor *cursor;
    st_txn *txn;
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    strata_row row = row_of(f, 0, ADD(0, strata_null()));
    MUST(strata_list_insert(&row, 0, 0, values, 2, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    MUST(st_snapshot_begin(f->store, &txn, &f->error));
    MUST(st_cursor_open(txn, ST_COLLECTIONS, &cursor, &f->error));
    MUST(st_cursor_seek(cursor, (strata_bytes){ NULL, 0 }, &key, &value, &f->error));
    MUST(st_cursor_next(cursor, &key, &value, &f->error)); /* behind the directory */
    CHECK(key.size == sizeof name && value.size <= sizeof copy);
    memcpy(name, key.data, sizeof name);
    memcpy(copy, value.data, value.size);
    size_t size = value.size;
    st_cursor_close(cursor);
    st_snapshot_end(txn);
    uint32_t entry = strata_block_entry(copy, 0);
    strata_bytes first = st_block_bytes(copy, entry, 0), second = st_block_bytes(copy, entry, 1);
    CHECK_EQ(first.size, STRATA_BLOCK_REFERENCE);
    memcpy((uint8_t *)(uintptr_t)second.data, first.data, first.size);
    plant(f, ST_COLLECTIONS, (strata_bytes){ name, sizeof name }, copy, size);
    UNSOUND("large value", "two objects");
    fixture_close(f);
    free(data);
}

void test_verify_checks_the_next_identity(void) {
    static const uint8_t record[] = { 0, 'i', 'd', 'n', 0, 0, 0, 0 }, one[8] = { 1 }, none[8] = { 0 };
    fixture *f = open_stored();
    plant(f, ST_META, (strata_bytes){ record, sizeof record }, one, sizeof one);
    UNSOUND("number that was not given out");
    plant(f, ST_META, (strata_bytes){ record, sizeof record }, none, sizeof none);
    UNSOUND("next identity");
    fixture_close(f);
}

typedef struct watch {
    uint64_t calls, last, all, stop_at;
} watch;

static bool note_progress(void *context, uint64_t done, uint64_t all) {
    watch *w = context;
    CHECK(done > w->last && done <= all);
    w->calls++;
    w->last = done;
    w->all = all;
    return done < w->stop_at;
}

void test_verify_tells_how_far_it_is(void) {
    enum { OBJECTS = 5000 };
    fixture *f = fixture_open_memory();
    strata_column_spec number = column("number", STRATA_INT, STRATA_COLUMN_INDEXED);
    strata_table_spec tables[] = { { .name = "A", .column_count = 1, .columns = &number },
                                   { .name = "B", .column_count = 1, .columns = &number } };
    MUST(apply(f, 1, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < OBJECTS; i++) ADD((uint32_t)i % 2, strata_int(i));
    MUST(strata_view_commit(f->view, &f->error));
    watch w = { .stop_at = UINT64_MAX };
    strata_verify_report report;
    MUST(strata_verify_watched(f->view, note_progress, &w, &report, &f->error));
    CHECK(w.calls > 2 && w.last == OBJECTS && w.all == OBJECTS);
    w = (watch){ .stop_at = 1 };
    REFUSED(strata_verify_watched(f->view, note_progress, &w, &report, &f->error), STRATA_CANCELLED, "stopped", "5000");
    CHECK_EQ(w.calls, 1);
    CHECK_EQ(report.rows, w.last);
    fixture_close(f);
}
