/* SPDX-License-Identifier: MIT
 * test_object.c -- values, keys and references of objects, and what is refused. */
#include <stdio.h>

#include "store/cursor.h"
#include "store/lmdb_status.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/strata_support.h"

/* Node: id (optional string, primary), number (int, indexed), text (optional string), bytes (data), next (link to
 * Node), nodes (list of Node), tag (link to Tag);  Tag: number (int, indexed), node (link to Node) */
enum { NODE, TAG };
enum { ID, NUMBER, TEXT, BYTES, NEXT, NODES, TO_TAG };

static void apply_nodes(fixture *f) {
    strata_column_spec node[] = {
        column("id", STRATA_STRING, STRATA_COLUMN_PRIMARY | STRATA_COLUMN_NULLABLE),
        column("number", STRATA_INT, STRATA_COLUMN_INDEXED), column("text", STRATA_STRING, STRATA_COLUMN_NULLABLE),
        column("bytes", STRATA_DATA, 0), link_to("next", "Node"), list_of("nodes", "Node"), link_to("tag", "Tag"),
    };
    strata_column_spec tag[] = { column("number", STRATA_INT, STRATA_COLUMN_INDEXED), link_to("node", "Node") };
    static const char *const by_next[] = { "next", "number" }, *const by_number[] = { "number", "node" };
    static const strata_index_spec node_index = { 2, by_next }, tag_index = { 2, by_number };
    strata_table_spec tables[] = { { "Node", 0, 7, node, &node_index, 1 }, { "Tag", 0, 2, tag, &tag_index, 1 } };
    MUST(apply(f, 0, tables, 2));
}

static uint64_t add_node(fixture *f, const char *id) { return ADD(NODE, value_of(id)); }

static void commit(fixture *f) { MUST(strata_view_commit(f->view, &f->error)); }
static void begin(fixture *f) { MUST(strata_view_begin(f->view, &f->error)); }

/* ---- Values ----------------------------------------------------------- */

void test_object_refuses_wrong_values(void) {
    fixture *f = fixture_open_memory();
    apply_nodes(f);
    begin(f);
    uint64_t key, node = add_node(f, "n");
    strata_value v[8] = { { 0 } };
    REFUSED(strata_object_create(f->view, NODE, v, 8, &key, &f->error), STRATA_MISUSE, "8 values", "Node", "7");
    REFUSED(strata_object_create(f->view, 9, v, 1, &key, &f->error), STRATA_MISUSE, "9");
    v[ID] = strata_int(4);
    REFUSED(strata_object_create(f->view, NODE, v, 1, &key, &f->error), STRATA_TYPE, "Node.id", "string", "int");
    v[ID] = value_of("n");
    v[NUMBER] = strata_int(1);
    REFUSED(strata_object_create(f->view, NODE, v, 2, &key, &f->error), STRATA_DUPLICATE, "Node", "id", "\"n\"");
    CHECK_EQ(key, node);
    v[ID] = value_of("m");
    v[NUMBER] = strata_null();
    REFUSED(strata_object_create(f->view, NODE, v, 2, &key, &f->error), STRATA_TYPE, "Node.number", "null");
    v[NUMBER] = strata_int(1);
    v[TEXT] = strata_string("ab\xC3", 3);
    REFUSED(strata_object_create(f->view, NODE, v, 3, &key, &f->error), STRATA_TYPE, "Node.text", "UTF-8");
    v[TEXT] = strata_string(NULL, 5);
    REFUSED(strata_object_create(f->view, NODE, v, 3, &key, &f->error), STRATA_MISUSE, "Node.text");
    v[TEXT] = strata_null();
    v[BYTES] = strata_data("x", 1);
    v[NEXT] = strata_link(77);
    REFUSED(strata_object_create(f->view, NODE, v, 5, &key, &f->error), STRATA_MISUSE, "Node.next", "77", "Node");
    v[NEXT] = strata_link(UINT64_MAX);
    REFUSED(strata_object_create(f->view, NODE, v, 5, &key, &f->error), STRATA_MISUSE, "Node.next", "no such object");
    v[NEXT] = strata_null();
    v[NODES] = strata_int(1);
    REFUSED(strata_object_create(f->view, NODE, v, 6, &key, &f->error), STRATA_TYPE, "Node.nodes", "list");
    CHECK_EQ(table_size(f, NODE), 1);

    strata_row row = row_of(f, NODE, node);
    strata_value value = strata_double(1);
    REFUSED(strata_row_set(&row, NUMBER, &value, &f->error), STRATA_TYPE, "Node.number", "int", "double");
    REFUSED(strata_row_set(&row, 7, &value, &f->error), STRATA_MISUSE, "Node", "7");
    value = strata_null();
    REFUSED(strata_row_set(&row, NODES, &value, &f->error), STRATA_MISUSE, "Node.nodes", "list");
    REFUSED(strata_row_get(&row, NODES, &value, &f->error), STRATA_MISUSE, "nodes", "list");
    value = strata_link(78);
    REFUSED(strata_row_set(&row, NEXT, &value, &f->error), STRATA_MISUSE, "Node.next", "78");
    value = strata_int(1);
    REFUSED(strata_object_find(f->view, TAG, &value, &key, &f->error), STRATA_MISUSE, "Tag", "primary key");
    CHECK_EQ(strata_object_delete(f->view, NODE, 0, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(strata_object_delete(f->view, NODE, UINT64_MAX, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(strata_row_bind(f->view, NODE, 99, &row, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(strata_row_set(&row, NUMBER, &value, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(strata_row_get(&row, NUMBER, &value, &f->error), STRATA_NOT_FOUND);
    commit(f); /* nothing of all this spoiled the write */
    verify(f);
    fixture_close(f);
}

/* Every form of UTF-8 that is not well-formed, at every place of a short string. */
void test_object_strings_are_utf8(void) {
    static const char *const bad[] = { "\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
                                       "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF",
                                       "\xE2\x82", "\xF0\x9F\x98" };
    fixture *f = fixture_open_memory();
    apply_nodes(f);
    begin(f);
    uint64_t key = add_node(f, "n");
    strata_row row = row_of(f, NODE, key);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (int before = 0; before < 20; before++) {
            char text[40];
            int size = snprintf(text, sizeof text, "%.*s%s%s", before, "aaaaaaaaaaaaaaaaaaaa", bad[i],
                                before % 2 ? "b" : "");
            strata_value value = strata_string(text, (size_t)size);
            REFUSED(strata_row_set(&row, TEXT, &value, &f->error), STRATA_TYPE, "Node.text");
            REFUSED(strata_object_find(f->view, NODE, &value, &key, &f->error), STRATA_TYPE, "Node.id");
            value = strata_data(text, (size_t)size);
            MUST(strata_row_set(&row, BYTES, &value, &f->error));
        }
    }
    strata_value fine = strata_string("\xF4\x8F\xBF\xBF\xEE\x80\x80\xC2\x80\0z", 11);
    MUST(strata_row_set(&row, TEXT, &fine, &f->error));
    commit(f);
    verify(f);
    fixture_close(f);
}

static void check_large(fixture *f, uint64_t key, uint32_t number, const uint8_t *expected, size_t size) {
    strata_row row = row_of(f, NODE, key);
    strata_bytes bytes;
    uint8_t *copy = malloc(size + 1);
    size_t read, half = size / 2;
    CHECK(!strata_row_bytes(&row, number, &bytes));
    CHECK_EQ(bytes.size, size);
    MUST(strata_row_read(&row, number, 0, copy, half, &read, &f->error));
    CHECK_EQ(read, half);
    MUST(strata_row_read(&row, number, half, copy + half, size + 1 - half, &read, &f->error));
    CHECK_EQ(read, size - half);
    CHECK(memcmp(copy, expected, size) == 0);
    MUST(strata_row_read(&row, number, size, copy, 1, &read, &f->error));
    CHECK_EQ(read, 0);
    free(copy);
}

void test_object_large_values(void) {
    enum { LIMIT = STRATA_MAX_VALUE, PIECE = 4080 };
    fixture *f = fixture_open("large");
    apply_nodes(f);
    uint8_t *text = pattern(LIMIT + 1, 5);
    begin(f);
    strata_value limit = strata_string((char *)text, LIMIT), over = strata_data(text, LIMIT + 1);
    uint64_t key = add_node(f, "n"), other;
    strata_row row = row_of(f, NODE, key);
    REFUSED(strata_row_set(&row, BYTES, &over, &f->error), STRATA_TOO_LARGE, "Node.bytes", "16777217", "16 MiB");
    over.type = STRATA_STRING;
    REFUSED(strata_object_create(f->view, NODE, &over, 1, &other, &f->error), STRATA_TOO_LARGE, "Node.id", "16777217");
    MUST(strata_row_set(&row, TEXT, &limit, &f->error));
    check_large(f, key, TEXT, text, LIMIT);
    commit(f);
    check_large(f, key, TEXT, text, LIMIT);
    CHECK_EQ(tree_entries(f, ST_BLOBS), LIMIT / PIECE + 1);
    verify(f);

    /* A replaced one is gone; so is what was never committed. */
    begin(f);
    for (size_t size = 1020; size < 1030; size++) set(f, NODE, key, TEXT, strata_string((char *)text, size));
    check_large(f, key, TEXT, text, 1029);
    set(f, NODE, key, BYTES, strata_data(text, 300000));
    set(f, NODE, key, BYTES, strata_data(text, 262144));
    commit(f);
    CHECK_EQ(tree_entries(f, ST_BLOBS), 1 + 262144 / PIECE + 1);
    begin(f);
    set(f, NODE, key, BYTES, strata_data(text, 1024));
    set(f, NODE, key, TEXT, strata_string((char *)text, 500000));
    strata_view_cancel(f->view);
    check_large(f, key, BYTES, text, 262144);
    CHECK_EQ(tree_entries(f, ST_BLOBS), 1 + 262144 / PIECE + 1);
    begin(f);
    set(f, NODE, key, TEXT, strata_null());
    set(f, NODE, key, BYTES, strata_data("", 0));
    uint64_t gone = ADD(NODE, strata_string((char *)text, 2000));
    MUST(strata_object_delete(f->view, NODE, gone, &f->error));
    commit(f);
    CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
    check_text(f, NODE, key, TEXT, NULL);
    check_text(f, NODE, key, BYTES, "");
    verify(f);
    free(text);
    fixture_close(f);
}

/* Long primary keys that differ behind the part that the index holds. */
enum { KEY_TEXT = 60, INDEXES = 8 };

static strata_value numbered(char out[KEY_TEXT + 1], int number) {
    snprintf(out, KEY_TEXT + 1, "%060d", number);
    return strata_string(out, KEY_TEXT);
}

/* A write so large that its index entries are stored in parts knows all its primary keys, and searches the trees for
 * hardly any other. */
void test_object_primary_keys_of_a_large_write(void) {
    enum { OBJECTS = 60000, STEP = 997, MISSING = 1000 };
    fixture *f = fixture_open_memory();
    static const char *const names[INDEXES] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    strata_column_spec columns[1 + INDEXES] = { column("id", STRATA_STRING, STRATA_COLUMN_PRIMARY) };
    for (int i = 0; i < INDEXES; i++) columns[1 + i] = column(names[i], STRATA_STRING, STRATA_COLUMN_INDEXED);
    strata_table_spec table = { .name = "Large", .columns = columns, .column_count = 1 + INDEXES };
    MUST(apply(f, 0, &table, 1));
    begin(f);
    char text[KEY_TEXT + 1], other[KEY_TEXT + 1];
    strata_value values[1 + INDEXES];
    uint64_t key;
    for (int i = 0; i < INDEXES; i++) values[1 + i] = numbered(other, 0);
    for (int i = 1; i <= OBJECTS; i++) {
        values[0] = numbered(text, i);
        CHECK_EQ(add(f, 0, 1 + INDEXES, values), (uint64_t)i);
        if (i % STEP != 0) continue;
        for (int k = 1; k <= i; k += STEP) {
            values[0] = numbered(text, k);
            REFUSED(strata_object_create(f->view, 0, values, 1, &key, &f->error), STRATA_DUPLICATE, "Large");
            CHECK_EQ(key, (uint64_t)k);
        }
    }
    uint64_t calls = st_store_calls();
    for (int i = 0; i < MISSING; i++) {
        values[0] = numbered(text, -1 - i);
        CHECK_EQ(strata_object_find(f->view, 0, &values[0], &key, &f->error), STRATA_NOT_FOUND);
    }
    CHECK(st_store_calls() - calls <= MISSING / 10);
    values[0] = numbered(text, 1);
    MUST(strata_object_delete(f->view, 0, 1, &f->error));
    CHECK_EQ(strata_object_find(f->view, 0, &values[0], &key, &f->error), STRATA_NOT_FOUND);
    CHECK_EQ(add(f, 0, 1 + INDEXES, values), (uint64_t)(OBJECTS + 1));
    MUST(strata_object_find(f->view, 0, &values[0], &key, &f->error));
    CHECK_EQ(key, (uint64_t)(OBJECTS + 1));
    commit(f);
    MUST(strata_object_find(f->view, 0, &values[0], &key, &f->error));
    CHECK_EQ(key, (uint64_t)(OBJECTS + 1));
    verify(f);
    fixture_close(f);
}

void test_object_long_primary_keys(void) {
    enum { COUNT = 40 };
    fixture *f = fixture_open_memory();
    apply_nodes(f);
    uint8_t *text = pattern(3000, 7);
    for (int round = 0; round < 2; round++) {
        begin(f);
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t found, size = 60 + i * 70;
            strata_value id = strata_string((char *)text, size), twice[] = { id, strata_int(1) };
            uint64_t key = round == 0 ? ADD(NODE, id) : 0;
            MUST(strata_object_find(f->view, NODE, &id, &found, &f->error));
            CHECK(round == 1 || found == key);
            REFUSED(strata_object_create(f->view, NODE, twice, 2, &key, &f->error), STRATA_DUPLICATE, "Node", "id",
                    "aho");
            CHECK_EQ(key, found);
            id.as.bytes.size--;
            CHECK_EQ(strata_object_find(f->view, NODE, &id, &found, &f->error), STRATA_NOT_FOUND);
            CHECK_EQ(found, 0);
        }
        commit(f);
        verify(f);
    }
    begin(f); /* deleted and created again in one write */
    for (size_t i = 0; i < COUNT; i++) {
        strata_value id = strata_string((char *)text, 60 + i * 70);
        uint64_t old, key, found;
        MUST(strata_object_find(f->view, NODE, &id, &old, &f->error));
        MUST(strata_object_delete(f->view, NODE, old, &f->error));
        CHECK_EQ(strata_object_find(f->view, NODE, &id, &found, &f->error), STRATA_NOT_FOUND);
        key = ADD(NODE, id);
        CHECK(key > old);
        MUST(strata_object_find(f->view, NODE, &id, &found, &f->error));
        CHECK_EQ(found, key);
    }
    commit(f);
    CHECK_EQ(table_size(f, NODE), COUNT);
    verify(f);
    free(text);
    fixture_close(f);
}

/* A value may be bytes of another row, or of the cell itself, while rows move and are flushed. */
void test_object_values_may_be_lent(void) {
    enum { ROWS = 45000, SIZE = 1000 };
    fixture *f = fixture_open_memory();
    apply_nodes(f);
    uint8_t *text = pattern(SIZE, 4);
    begin(f);
    uint64_t key = ADD(NODE, strata_null(), strata_int(0), strata_string((char *)text, SIZE));
    for (int i = 1; i < ROWS; i++) {
        char id[12];
        strata_row row = row_of(f, NODE, key);
        strata_bytes bytes;
        snprintf(id, sizeof id, "%d", i);
        CHECK(strata_row_bytes(&row, TEXT, &bytes));
        key = ADD(NODE, value_of(id), strata_int(i), strata_string(bytes.data, bytes.size));
    }
    strata_row last = row_of(f, NODE, key);
    strata_bytes bytes;
    CHECK(strata_row_bytes(&last, TEXT, &bytes));
    CHECK(bytes.size == SIZE && memcmp(bytes.data, text, SIZE) == 0);
    for (size_t cut = 1; cut < 20; cut++) { /* its own bytes, without the first */
        CHECK(strata_row_bytes(&last, TEXT, &bytes));
        strata_value value = strata_string((const char *)bytes.data + 1, bytes.size - 1);
        MUST(strata_row_set(&last, TEXT, &value, &f->error));
        CHECK(strata_row_bytes(&last, TEXT, &bytes));
        CHECK(bytes.size == SIZE - cut && memcmp(bytes.data, text + cut, bytes.size) == 0);
    }
    uint8_t *large = pattern(700000, 8);
    CHECK(strata_row_bytes(&last, TEXT, &bytes));
    key = ADD(NODE, strata_string((char *)large, 700000), strata_int(1), strata_string(bytes.data, bytes.size));
    strata_view_cancel(f->view);
    CHECK_EQ(table_size(f, NODE), 0);
    free(large);
    free(text);
    fixture_close(f);
}

/* ---- Keys ------------------------------------------------------------- */

void test_object_keys_are_never_used_again(void) {
    uint64_t last = 0;
    for (int round = 0; round < 4; round++) {
        fixture *f = fixture_open("keys");
        apply_nodes(f);
        begin(f);
        uint64_t key = ADD(TAG, strata_int(round));
        CHECK(key > last);
        if (round % 2 == 1) commit(f), begin(f);
        MUST(strata_object_delete(f->view, TAG, key, &f->error));
        last = ADD(TAG, strata_int(1));
        CHECK(last > key);
        commit(f);
        begin(f);
        if (round == 2) {
            uint32_t tag = TAG;
            MUST(strata_tables_clear(f->view, &tag, 1, &f->error));
        } else {
            MUST(strata_object_delete(f->view, TAG, last, &f->error));
        }
        commit(f);
        CHECK_EQ(table_size(f, TAG), 0);
        verify(f);
        fixture_close(f);
    }
}

void test_object_keys_can_be_used_up(void) {
    fixture *f = fixture_open_memory();
    apply_nodes(f);
    st_txn *txn;
    uint64_t state[2] = { 0, (UINT64_C(1) << 48) - 3 }, key;
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_put(txn, ST_META, (strata_bytes){ "\0cnt\0\0\0\1", 8 }, (strata_bytes){ state, 16 }, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    begin(f);
    strata_value number = strata_int(1);
    CHECK_EQ(ADD(TAG, number), (UINT64_C(1) << 48) - 3);
    CHECK_EQ(ADD(TAG, number), (UINT64_C(1) << 48) - 2);
    REFUSED(strata_object_create(f->view, TAG, &number, 1, &key, &f->error), STRATA_TOO_LARGE, "Tag", "object keys");
    commit(f);
    verify(f);
    strata_row row = row_of(f, TAG, (UINT64_C(1) << 48) - 2);
    CHECK_EQ(strata_row_int(&row, 0), 1);
    CHECK_EQ(index_count(f, TAG, 0, &number), 2);
    fixture_close(f);
}

/* ---- References ------------------------------------------------------- */

void test_object_that_links_to_itself(void) {
    fixture *f = fixture_open_memory();
    apply_nodes(f);
    for (int stored = 0; stored < 2; stored++) {
        begin(f);
        uint64_t a = add_node(f, "a"), b = add_node(f, "b");
        set(f, NODE, a, NEXT, strata_link(a));
        strata_row row = row_of(f, NODE, a);
        for (uint64_t i = 0; i < 700; i++) MUST(insert_keys(&row, NODES, i, i % 3 == 0 ? &b : &a, 1, &f->error));
        if (stored) commit(f), begin(f);
        set(f, NODE, b, NEXT, strata_link(a));
        REFUSED(strata_object_delete(f->view, NODE, a, &f->error), STRATA_REFERENCED, "Node", "1 links", "Node.next");
        set(f, NODE, b, NEXT, strata_null());
        REFUSED(strata_object_delete(f->view, NODE, b, &f->error), STRATA_REFERENCED, "234 links", "Node.nodes");
        MUST(strata_object_delete(f->view, NODE, a, &f->error)); /* its own links do not hold it */
        MUST(strata_object_delete(f->view, NODE, b, &f->error));
        commit(f);
        CHECK_EQ(tree_entries(f, ST_LINKS), 0);
        CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
        verify(f);
    }
    fixture_close(f);
}

void test_object_unlink(void) {
    enum { ORIGINS = 3000 };
    fixture *f = fixture_open("unlink");
    apply_nodes(f);
    begin(f);
    uint64_t target = add_node(f, "target"), other = add_node(f, "other"), tag = ADD(TAG, strata_int(1));
    for (int i = 0; i < ORIGINS; i++) {
        strata_value values[7] = { strata_null(), strata_int(i), strata_null(), strata_data("", 0),
                                   strata_link(i % 2 == 0 ? target : other), strata_null(), strata_link(tag) };
        char id[12];
        snprintf(id, sizeof id, "%d", i);
        values[ID] = value_of(id);
        uint64_t key = add(f, NODE, 7, values);
        strata_row row = row_of(f, NODE, key);
        uint64_t entries[] = { target, other, target, target, key };
        MUST(insert_keys(&row, NODES, 0, entries, 1 + (uint64_t)i % 5, &f->error));
    }
    strata_row big = row_of(f, NODE, other);
    for (uint64_t i = 0; i < 1500; i++)
        MUST(insert_keys(&big, NODES, i, i % 4 == 3 ? &other : &target, 1, &f->error));
    set(f, NODE, target, NEXT, strata_link(target));
    commit(f);
    verify(f);
    begin(f);
    MUST(strata_object_unlink(f->view, NODE, target, &f->error));
    CHECK_EQ(backlinks(f, NODE, target, NODE, NEXT), 0);
    CHECK_EQ(backlinks(f, NODE, target, NODE, NODES), 0);
    CHECK_EQ(backlinks(f, NODE, other, NODE, NEXT), ORIGINS / 2);
    uint64_t size;
    MUST(strata_collection_size(&big, NODES, &size, &f->error));
    CHECK_EQ(size, 1500 / 4);
    MUST(strata_object_delete(f->view, NODE, target, &f->error));
    commit(f);
    verify(f);
    begin(f);
    MUST(strata_object_unlink(f->view, TAG, tag, &f->error));
    MUST(strata_object_unlink(f->view, TAG, 4711, &f->error)); /* nothing links to what is not there */
    MUST(strata_object_delete(f->view, TAG, tag, &f->error));
    commit(f);
    verify(f);
    fixture_close(f);
}

void test_object_clear_tables(void) {
    fixture *f = fixture_open("clear");
    apply_nodes(f);
    uint8_t *text = pattern(5000, 2);
    uint32_t both[] = { NODE, TAG, NODE }, none[] = { NODE, 5 };
    for (int round = 0; round < 2; round++) {
        begin(f);
        uint64_t tag = ADD(TAG, strata_int(1));
        for (int i = 0; i < 300; i++) {
            char id[12];
            snprintf(id, sizeof id, "%d", i);
            strata_value string = strata_string((char *)text, i % 3 == 0 ? 5000 : 30);
            uint64_t key = ADD(NODE, value_of(id), strata_int(i), string, strata_data(text, 1025), strata_null(),
                               strata_null(), strata_link(tag));
            strata_row row = row_of(f, NODE, key);
            for (uint64_t k = 0; i % 100 == 0 && k < 600; k++)
                MUST(insert_keys(&row, NODES, k, &key, 1, &f->error));
        }
        if (round == 0) commit(f), begin(f);
        REFUSED(strata_tables_clear(f->view, none, 2, &f->error), STRATA_MISUSE, "5");
        REFUSED(strata_tables_clear(f->view, &both[1], 1, &f->error), STRATA_REFERENCED, "Tag", "300 links",
                "Node.tag");
        CHECK_EQ(table_size(f, NODE), 300);
        strata_row row = row_of(f, TAG, tag);
        MUST(strata_tables_clear(f->view, both, 3, &f->error));
        CHECK_EQ(strata_row_ready(&row), STRATA_NOT_FOUND);
        CHECK_EQ(table_size(f, NODE), 0);
        ADD(NODE, value_of("5"));
        commit(f);
        CHECK_EQ(table_size(f, NODE), 1);
        CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
        CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
        CHECK_EQ(tree_entries(f, ST_LINKS), 0);
        verify(f);
        begin(f);
        MUST(strata_tables_clear(f->view, both, 2, &f->error));
        strata_view_cancel(f->view);
        CHECK_EQ(table_size(f, NODE), 1);
        verify(f);
        begin(f);
        MUST(strata_tables_clear(f->view, both, 2, &f->error));
        commit(f);
        CHECK_EQ(tree_entries(f, ST_ROWS), 0);
        CHECK_EQ(tree_entries(f, ST_INDEX), 0);
        verify(f);
    }
    free(text);
    fixture_close(f);
}

/* ---- Damage ----------------------------------------------------------- */

static void fill(fixture *f) {
    uint8_t *text = pattern(1500, 6);
    begin(f);
    uint64_t tag = ADD(TAG, strata_int(1)), first = 0;
    for (int i = 0; i < 60; i++) {
        char id[12];
        snprintf(id, sizeof id, "%d", i);
        strata_value string = strata_string((char *)text, i % 9 == 0 ? 1500 : 20);
        uint64_t key = ADD(NODE, value_of(id), strata_int(i * 1000), string, strata_data(text, (size_t)i % 7),
                           strata_link(first), strata_null(), strata_link(tag));
        if (first == 0) first = key;
        strata_row row = row_of(f, NODE, key);
        for (uint64_t k = 0; k < (i % 20 == 0 ? 400u : 3u); k++)
            MUST(insert_keys(&row, NODES, k, &key, 1, &f->error));
    }
    commit(f);
    free(text);
}

/* Changes some bytes of some value of a tree. */
static void damage(fixture *f, st_tree tree, uint64_t *random) {
    static uint8_t copy[300000];
    st_txn *txn;
    st_cursor *cursor;
    strata_bytes key, value;
    uint8_t name[400];
    uint64_t count;
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_count(txn, tree, &count, &f->error));
    MUST(st_cursor_open(txn, tree, &cursor, &f->error));
    MUST(st_cursor_seek(cursor, (strata_bytes){ "\0", 1 }, &key, &value, &f->error));
    for (uint64_t i = ctest_random(random) % count; i > 0; i--) MUST(st_cursor_next(cursor, &key, &value, &f->error));
    memcpy(name, key.data, key.size);
    memcpy(copy, value.data, value.size);
    size_t size = value.size;
    st_cursor_close(cursor);
    for (uint64_t k = ctest_random(random) % 3; k < 3; k++) {
        uint64_t r = ctest_random(random), near = r >> 16 & 1 ? size : size < 100 ? size : 100;
        copy[r % near] = (uint8_t)(r >> 17 & 1 ? r >> 40 : copy[r % near] ^ 1u << (r >> 40 & 7));
    }
    if (ctest_random(random) % 10 == 0) size = ctest_random(random) % size;
    MUST(st_tree_put(txn, tree, (strata_bytes){ name, key.size }, (strata_bytes){ copy, size }, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
}

static uint64_t read_all(fixture *f) {
    strata_cursor *cursor;
    strata_row row;
    uint64_t sum = 0, size, keys[500];
    static uint8_t text[3000];
    for (uint32_t table = NODE; table <= TAG; table++) {
        MUST(strata_scan(f->view, table, false, &cursor, &f->error));
        while (strata_cursor_next(cursor, &row, &f->error) == STRATA_OK) {
            for (uint32_t c = 0; c < (table == NODE ? 7u : 2u); c++) {
                strata_value value;
                size_t read;
                if (table == NODE && c == NODES) continue;
                MUST(strata_row_get(&row, c, &value, &f->error));
                if (value.type == STRATA_STRING || value.type == STRATA_DATA)
                    MUST(strata_row_read(&row, c, 0, text, sizeof text, &read, &f->error));
                sum += value.type;
            }
            if (table == TAG) continue;
            MUST(strata_collection_size(&row, NODES, &size, &f->error));
            if (size <= 500) MUST(get_keys(&row, NODES, 0, size, keys, &f->error));
        }
        strata_cursor_close(cursor);
    }
    return sum;
}

/* Changes a file without having verified it: everything that is rewritten must be checked first. */
static void change_all(fixture *f, uint64_t *random) {
    uint32_t both[] = { NODE, TAG };
    uint8_t *text = pattern(2000, 1);
    if (strata_view_begin(f->view, &f->error) != STRATA_OK) return;
    for (int i = 0; i < 40; i++) {
        uint64_t key = 1 + ctest_random(random) % 62, other = 1 + ctest_random(random) % 62;
        strata_row row;
        strata_value value;
        if (strata_row_bind(f->view, NODE, key, &row, &f->error) != STRATA_OK) continue;
        switch (ctest_random(random) % 7) {
        case 0: (void)!strata_object_delete(f->view, NODE, key, &f->error); break;
        case 1: (void)!strata_object_unlink(f->view, NODE, key, &f->error); break;
        case 2:
            value = strata_string((char *)text, other * 30);
            (void)!strata_row_set(&row, TEXT, &value, &f->error);
            break;
        case 3: value = strata_link(other); (void)!strata_row_set(&row, NEXT, &value, &f->error); break;
        case 4: (void)!insert_keys(&row, NODES, 0, &other, 1, &f->error); break;
        case 5: (void)!strata_collection_remove(&row, NODES, 0, 1, &f->error); break;
        default: (void)!strata_object_create(f->view, NODE, &(strata_value){ 0 }, 1, &other, &f->error); break;
        }
    }
    if (ctest_random(random) % 4 == 0) (void)!strata_tables_clear(f->view, both, 2, &f->error);
    (void)!strata_view_commit(f->view, &f->error);
    free(text);
}

void test_object_survives_damage(void) {
    static const st_tree trees[] = { ST_ROWS, ST_ROWS, ST_COLLECTIONS, ST_INDEX, ST_LINKS, ST_BLOBS };
    uint64_t random = ctest_seed(), sound = 0, refused_ = 0;
    unsigned rounds = ctest_rounds(600);
    for (unsigned round = 0; round < rounds; round++) {
        fixture *f = fixture_open_memory();
        apply_nodes(f);
        fill(f);
        damage(f, trees[(size_t)ctest_random(&random) % 6], &random);
        strata_status status = strata_verify(f->view, NULL, &f->error);
        if (status == STRATA_OK) {
            sound++;
            CHECK(read_all(f) > 0);
        } else {
            refused_++;
            CHECK_EQ(status, STRATA_CORRUPT);
            CHECK(f->error.message[0] != 0);
        }
        change_all(f, &random);
        fixture_close(f);
    }
    CHECK(sound > rounds / 30 && refused_ > rounds / 30);
}

/* ---- Embedded objects ------------------------------------------------- */

/* Nobody but the program sees to the one owner of an embedded object. */
void test_object_embedded_is_what_links_make_it(void) {
    enum { OWNER, PART };
    fixture *f = fixture_open_memory();
    strata_column_spec owner = link_to("part", "Part"), part = column("number", STRATA_INT, 0);
    strata_table_spec tables[] = { { "Owner", 0, 1, &owner }, { "Part", STRATA_TABLE_EMBEDDED, 1, &part } };
    MUST(apply(f, 0, tables, 2));
    begin(f);
    uint64_t of_two = ADD(PART, strata_int(1)), replaced = ADD(PART, strata_int(2));
    uint64_t first = ADD(OWNER, strata_link(of_two)), second = ADD(OWNER, strata_link(of_two));
    uint64_t third = ADD(OWNER, strata_link(replaced));
    set(f, OWNER, third, 0, strata_null());
    commit(f);
    verify(f);
    CHECK_EQ(table_size(f, PART), 2); /* one has two owners, the other none */
    begin(f);
    MUST(strata_object_remove(f->view, OWNER, first, &f->error));
    strata_row row = row_of(f, OWNER, second);
    CHECK_EQ(strata_row_link(&row, 0), 0);
    CHECK_EQ(table_size(f, PART), 1);
    set(f, OWNER, second, 0, strata_link(replaced));
    MUST(strata_object_delete(f->view, OWNER, second, &f->error));
    CHECK_EQ(table_size(f, PART), 1);
    commit(f);
    verify(f);
    fixture_close(f);
}
