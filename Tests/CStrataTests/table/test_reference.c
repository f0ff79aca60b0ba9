/* SPDX-License-Identifier: MIT
 *
 * test_reference.c -- references that lead to what belongs to another object, cell or element, or that have a wrong
 * byte: nothing is shown, nothing is deleted, and verifying finds them. */
#include "base/bits.h"
#include "block/block.h"
#include "store/cursor.h"
#include "store/tree.h"
#include "store/writer.h"
#include "strata_blob.h"
#include "support/strata_support.h"

enum { TEXT, DATA, ANY, OTHER, NUMBERS, TEXTS, COLUMNS };
enum { SIZE = 9000, MANY = 700, OBJECTS = 3, REFERENCE = STRATA_BLOCK_REFERENCE };

/* Objects 1 to 3, alike in all sizes. */
static fixture *open_alike(void) {
    const strata_column_spec columns[COLUMNS] = {
        column("text", STRATA_STRING, 0),
        column("data", STRATA_DATA, STRATA_COLUMN_NULLABLE),
        column("any", STRATA_MIXED, 0),
        column("other", STRATA_DATA, STRATA_COLUMN_NULLABLE),
        { .name = "numbers", .type = STRATA_INT, .collection = STRATA_LIST },
        { .name = "texts", .type = STRATA_STRING, .collection = STRATA_LIST },
    };
    const strata_table_spec tables[] = { { .name = "Thing", .column_count = COLUMNS, .columns = columns },
                                         { .name = "Other", .column_count = COLUMNS, .columns = columns } };
    static strata_value numbers[MANY];
    fixture *f = fixture_open_memory();
    MUST(apply(f, 1, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < OBJECTS; i++) {
        char *bytes = (char *)pattern(SIZE, (uint64_t)i);
        for (int at = 0; at < SIZE; at++) bytes[at] = (char)(32 + (bytes[at] & 63));
        strata_value text = strata_string(bytes, SIZE), data = strata_data(bytes, SIZE);
        strata_row row = row_of(f, 0, ADD(0, text, data, text, data));
        for (int n = 0; n < MANY; n++) numbers[n] = strata_int(i * 100000 + n);
        MUST(strata_list_insert(&row, NUMBERS, 0, numbers, MANY, &f->error));
        MUST(strata_list_insert(&row, TEXTS, 0, &text, 1, &f->error));
        MUST(strata_list_insert(&row, TEXTS, 1, &text, 1, &f->error));
        ADD(1, text);
        free(bytes);
    }
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    return f;
}

/* ---- Blocks ----------------------------------------------------------- */

/* A block of a tree that is being changed. */
typedef struct image {
    st_tree tree;
    uint8_t name[16], bytes[70000];
    size_t name_size, size;
} image;

/* Block number `at` of a tree of those that begin like a block, not like a directory. */
static void get_block(fixture *f, st_tree tree, int at, image *out) {
    st_txn *txn;
    st_cursor *cursor;
    strata_bytes key, value;
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_cursor_open(txn, tree, &cursor, &f->error));
    MUST(st_cursor_seek(cursor, (strata_bytes){ "\0", 1 }, &key, &value, &f->error));
    while (*(const uint8_t *)value.data != STRATA_BLOCK_FORMAT || at-- > 0)
        MUST(st_cursor_next(cursor, &key, &value, &f->error));
    CHECK(key.size <= sizeof out->name && value.size <= sizeof out->bytes);
    memcpy(out->name, key.data, out->name_size = key.size);
    memcpy(out->bytes, value.data, out->size = value.size);
    out->tree = tree;
    st_cursor_close(cursor);
    st_writer_abort(txn);
}

static void put_block(fixture *f, const image *it) {
    st_txn *txn;
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_put(txn, it->tree, (strata_bytes){ it->name, it->name_size }, (strata_bytes){ it->bytes, it->size },
                     &f->error));
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
}

static uint8_t *reference_in(image *it, uint32_t column, uint32_t slot) {
    uint32_t entry = strata_block_entry(it->bytes, column);
    CHECK(strata_block_large(it->bytes, entry, slot));
    strata_bytes bytes = st_block_bytes(it->bytes, entry, slot);
    CHECK_EQ(bytes.size, REFERENCE);
    return (uint8_t *)(uintptr_t)bytes.data;
}

static void swap(uint8_t *a, uint8_t *b, size_t size) {
    uint8_t kept[REFERENCE];
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

/* ---- What is refused -------------------------------------------------- */

#define DAMAGED(call) REFUSED(call, STRATA_CORRUPT, "damaged")

static void cannot_read(fixture *f, uint64_t key, uint32_t number) {
    strata_row row = row_of(f, 0, key);
    strata_value value;
    char some[10];
    size_t size;
    uint64_t count;
    if (number == NUMBERS) {
        DAMAGED(strata_collection_size(&row, number, &count, &f->error));
        DAMAGED(strata_collection_get(&row, number, 0, 1, &value, &f->error));
        return;
    }
    strata_value wanted = strata_string("x", 1);
    strata_node node = { .op = STRATA_CONTAINS, .left = path_of(number), .values = &wanted, .value_count = 1 };
    if (number == DATA || number == OTHER) wanted.type = STRATA_DATA;
    strata_query query = { .size = sizeof query, .table = 0, .nodes = &node, .node_count = 1 };
    DAMAGED(strata_row_get(&row, number, &value, &f->error));
    DAMAGED(strata_row_read(&row, number, 0, some, sizeof some, &size, &f->error));
    strata_bytes bytes; /* nobody gets memory for a size that no value has */
    if (number != ANY) CHECK(!strata_row_bytes(&row, number, &bytes) && bytes.size <= STRATA_MAX_VALUE);
    REFUSED(strata_query_count(f->view, &query, &count, NULL, &f->error), STRATA_CORRUPT, "damaged");
}

/* Each in a write of its own: what fails must not have given anything up. */
static void cannot_change(fixture *f, uint64_t key, uint32_t number) {
    static char bytes[SIZE];
    memset(bytes, 'n', sizeof bytes);
    strata_value values[] = { strata_string(bytes, SIZE), strata_string("short", 5) };
    for (int attempt = 0; attempt < 4; attempt++) {
        MUST(strata_view_begin(f->view, &f->error));
        strata_row row = row_of(f, 0, key);
        strata_value value = values[attempt % 2], element = strata_int(5);
        if (number == DATA || number == OTHER) value.type = STRATA_DATA;
        if (attempt == 1 && number != NUMBERS && number != ANY)
            DAMAGED(strata_blob_append(&row, number, "more", 4, &f->error));
        if (attempt == 2) DAMAGED(strata_object_delete(f->view, 0, key, &f->error));
        else if (attempt == 3) DAMAGED(strata_tables_clear(f->view, &(uint32_t){ 0 }, 1, &f->error));
        else if (number == NUMBERS) DAMAGED(strata_list_insert(&row, number, 0, &element, 1, &f->error));
        else DAMAGED(strata_row_set(&row, number, &value, &f->error));
        strata_view_cancel(f->view);
    }
}

static void is_refused(fixture *f, image *it, uint64_t key, uint32_t number) {
    put_block(f, it);
    cannot_read(f, key, number);
    DAMAGED(strata_verify(f->view, NULL, &f->error));
    cannot_change(f, key, number);
}

/* ---- Cells ------------------------------------------------------------ */

void test_reference_of_another_object(void) {
    static const uint32_t numbers[] = { TEXT, DATA, ANY, OTHER, NUMBERS };
    static const size_t sizes[] = { REFERENCE, REFERENCE - 4 }; /* with their checks, or without */
    static image it;
    fixture *f = open_alike();
    get_block(f, ST_ROWS, 0, &it);
    CHECK_EQ(strata_block_rows(it.bytes), OBJECTS);
    uint64_t blobs = tree_entries(f, ST_BLOBS), chunks = tree_entries(f, ST_COLLECTIONS);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (int with = 0; with < 2; with++) {
            uint8_t *first = reference_in(&it, numbers[i], 0), *second = reference_in(&it, numbers[i], 1);
            swap(first, second, sizes[with]);
            is_refused(f, &it, 1, numbers[i]);
            is_refused(f, &it, 2, numbers[i]);
            swap(first, second, sizes[with]);
            put_block(f, &it);
            verify(f);
        }
    }
    CHECK_EQ(tree_entries(f, ST_BLOBS), blobs);
    CHECK_EQ(tree_entries(f, ST_COLLECTIONS), chunks);
    fixture_close(f);
}

void test_reference_of_another_column(void) {
    static image it;
    fixture *f = open_alike();
    get_block(f, ST_ROWS, 0, &it);
    memcpy(reference_in(&it, DATA, 2), reference_in(&it, OTHER, 2), REFERENCE);
    is_refused(f, &it, 3, DATA);
    fixture_close(f);
}

void test_reference_of_another_table(void) {
    static image it, other;
    fixture *f = open_alike();
    get_block(f, ST_ROWS, 0, &it);
    get_block(f, ST_ROWS, 1, &other);
    memcpy(reference_in(&it, TEXT, 1), reference_in(&other, TEXT, 1), REFERENCE);
    is_refused(f, &it, 2, TEXT);
    fixture_close(f);
}

void test_reference_with_a_wrong_bit(void) {
    static image it;
    fixture *f = open_alike();
    get_block(f, ST_ROWS, 0, &it);
    for (uint32_t bit = 0; bit < 8 * REFERENCE; bit += ctest_tries_all() ? 1 : 7) {
        uint8_t *reference = reference_in(&it, DATA, 0);
        reference[bit / 8] ^= (uint8_t)(1 << bit % 8);
        put_block(f, &it);
        cannot_read(f, 1, DATA);
        DAMAGED(strata_verify(f->view, NULL, &f->error));
        reference[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    put_block(f, &it);
    verify(f);
    fixture_close(f);
}

/* ---- Elements --------------------------------------------------------- */

/* The block of the texts of the first, or the second, object. */
static void get_texts(fixture *f, int which, image *out) {
    for (int at = 0;; at++) {
        get_block(f, ST_COLLECTIONS, at, out);
        bool large = (strata_entry_flags(strata_block_entry(out->bytes, 0)) & STRATA_ENTRY_LARGE) != 0;
        if (large && which-- == 0) return;
    }
}

/* What says that bytes are not lent means nothing in a value that is given: the bytes of a reference, too, are stored as
 * what they are, and a value without bytes is refused. */
void test_reference_is_not_taken_from_programs(void) {
    static image first;
    strata_value value, stored;
    char read[SIZE];
    size_t size;
    fixture *f = open_alike();
    get_texts(f, 0, &first);
    uint8_t bytes[REFERENCE];
    memcpy(bytes, reference_in(&first, 0, 1), REFERENCE);
    MUST(strata_view_begin(f->view, &f->error));
    strata_row row = row_of(f, 0, 1);
    MUST(strata_row_get(&row, DATA, &value, &f->error));
    CHECK(strata_value_is_outside(&value) && value.as.bytes.size == SIZE);
    REFUSED(strata_row_set(&row, OTHER, &value, &f->error), STRATA_MISUSE, "Thing.other");
    MUST(strata_row_read(&row, DATA, 0, read, SIZE, &size, &f->error));
    value.as.bytes.data = read; /* still marked */
    MUST(strata_row_set(&row, OTHER, &value, &f->error));
    strata_value forged = strata_data(bytes, REFERENCE);
    forged.table = STRATA_OUTSIDE;
    row = row_of(f, 0, 2);
    MUST(strata_row_set(&row, OTHER, &forged, &f->error));
    MUST(strata_row_set(&row, ANY, &forged, &f->error));
    strata_value created[] = { value, forged, forged, forged };
    created[0].type = STRATA_STRING;
    created[0].as.bytes.size = 50;
    uint64_t key;
    MUST(strata_object_create(f->view, 0, created, 4, &key, &f->error));
    forged.type = STRATA_STRING;
    memset(bytes, 'x', REFERENCE);
    MUST(strata_list_insert(&row, TEXTS, 0, &forged, 1, &f->error));
    MUST(strata_list_set(&row, TEXTS, 1, &forged, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    row = row_of(f, 0, 2);
    MUST(strata_row_get(&row, OTHER, &stored, &f->error));
    CHECK(!strata_value_is_outside(&stored) && stored.as.bytes.size == REFERENCE);
    MUST(strata_collection_get(&row, TEXTS, 1, 1, &stored, &f->error));
    CHECK(!strata_value_is_outside(&stored) && memcmp(stored.as.bytes.data, bytes, REFERENCE) == 0);
    fixture_close(f);
}

/* An element that has the reference of an element of another object. Its size is shown; it is neither read nor found
 * nor replaced nor removed. */
void test_reference_of_another_collection(void) {
    static image first, second;
    strata_value value, text = strata_string("text", 4);
    uint64_t position;
    char some[10];
    size_t size;
    fixture *f = open_alike();
    get_texts(f, 0, &first);
    get_texts(f, 1, &second);
    uint64_t blobs = tree_entries(f, ST_BLOBS);
    memcpy(reference_in(&first, 0, 1), reference_in(&second, 0, 1), REFERENCE);
    put_block(f, &first);
    strata_row row = row_of(f, 0, 1);
    MUST(strata_collection_get(&row, TEXTS, 1, 1, &value, &f->error));
    CHECK(strata_value_is_outside(&value) && value.as.bytes.size == SIZE);
    DAMAGED(strata_collection_read(&row, TEXTS, 1, 0, some, sizeof some, &size, &f->error));
    DAMAGED(strata_collection_find(&row, TEXTS, &text, 1, &position, &f->error));
    DAMAGED(strata_verify(f->view, NULL, &f->error));

    /* A size that no value has is not shown: somebody would get memory for it. */
    uint8_t *reference = reference_in(&first, 0, 1);
    for (int byte = 3; byte < 8; byte++) {
        reference[byte] ^= 0x40;
        put_block(f, &first);
        row = row_of(f, 0, 1);
        DAMAGED(strata_collection_get(&row, TEXTS, 1, 1, &value, &f->error));
        DAMAGED(strata_collection_get(&row, TEXTS, 0, 2, (strata_value[2]){ value }, &f->error));
        reference[byte] ^= 0x40;
    }
    put_block(f, &first);
    for (int attempt = 0; attempt < 4; attempt++) {
        MUST(strata_view_begin(f->view, &f->error));
        row = row_of(f, 0, 1);
        if (attempt == 0) DAMAGED(strata_list_set(&row, TEXTS, 1, &text, &f->error));
        else if (attempt == 1) DAMAGED(strata_collection_remove(&row, TEXTS, 1, 1, &f->error));
        else if (attempt == 2) DAMAGED(strata_object_delete(f->view, 0, 1, &f->error));
        else DAMAGED(strata_tables_clear(f->view, &(uint32_t){ 0 }, 1, &f->error));
        REFUSED(strata_view_commit(f->view, &f->error), STRATA_CORRUPT, "damaged");
    }
    CHECK_EQ(tree_entries(f, ST_BLOBS), blobs);
    fixture_close(f);
}
