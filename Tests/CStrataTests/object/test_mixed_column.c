/* SPDX-License-Identifier: MIT
 * test_mixed_column.c -- mixed and decimal columns: schema, refusals, large values, links, damage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "store/cursor.h"
#include "store/tree.h"
#include "support/mixed_support.h"
#include "support/strata_support.h"
#include "table/view.h"

enum { BOX, ITEM, TABLES };
enum { CONTENT, NUMBER };

static fixture *open_boxes(uint32_t flags) {
    fixture *f = fixture_open_memory();
    strata_column_spec box[] = { column("content", STRATA_MIXED, flags), column("number", STRATA_INT, 0) };
    strata_column_spec item[] = { column("name", STRATA_STRING, STRATA_COLUMN_NULLABLE) };
    strata_table_spec tables[] = { { "Box", 0, 2, box }, { "Item", 0, 1, item } };
    MUST(apply(f, 1, tables, TABLES));
    return f;
}

/* A list of up to three values. */
static strata_value list_value(strata_nested *n, int count, const strata_value *values) {
    strata_value out;
    CHECK_EQ(strata_nested_begin_list(n, NULL, NULL), STRATA_OK);
    for (int i = 0; i < count; i++) CHECK_EQ(strata_nested_append(n, &values[i], NULL), STRATA_OK);
    CHECK_EQ(strata_nested_end(n, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_finish(n, &out, NULL), STRATA_OK);
    return out;
}

static strata_value content_of(fixture *f, uint64_t key) {
    strata_row row = row_of(f, BOX, key);
    strata_value value;
    MUST(strata_row_get(&row, CONTENT, &value, &f->error));
    return value;
}

void test_mixed_column_refuses_wrong_values(void) {
    fixture *f = open_boxes(STRATA_COLUMN_INDEXED);
    strata_nested *n = strata_nested_make();
    CHECK(n != NULL);
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t key = ADD(BOX, strata_int(1)), out;
    strata_row row = row_of(f, BOX, key);
    strata_value text = strata_string("a\xFF", 2), typeless = { .type = STRATA_MIXED }, unknown = { .type = 99 };
    strata_value lost = strata_data(NULL, 3), large = strata_string(NULL, (size_t)STRATA_MAX_VALUE + 1);
    uint8_t bytes[ST_MIXED_NESTED_HEAD] = { STRATA_NESTED | STRATA_LIST << 4, 1 };
    strata_value nested = { .type = STRATA_NESTED };
    REFUSED(strata_row_set(&row, CONTENT, &text, &f->error), STRATA_TYPE, "Box.content", "UTF-8");
    REFUSED(strata_row_set(&row, CONTENT, &typeless, &f->error), STRATA_TYPE, "Box.content");
    REFUSED(strata_row_set(&row, CONTENT, &unknown, &f->error), STRATA_TYPE, "Box.content");
    REFUSED(strata_row_set(&row, CONTENT, &lost, &f->error), STRATA_MISUSE, "Box.content");
    REFUSED(strata_row_set(&row, CONTENT, &large, &f->error), STRATA_TOO_LARGE, "Box.content", "16 MiB");
    REFUSED(strata_row_set(&row, CONTENT, &nested, &f->error), STRATA_TYPE, "Box.content", "well formed");
    nested.as.bytes = (strata_bytes){ bytes, sizeof bytes };
    REFUSED(strata_row_set(&row, CONTENT, &nested, &f->error), STRATA_TYPE, "Box.content", "well formed");
    REFUSED(strata_object_create(f->view, BOX, &nested, 1, &out, &f->error), STRATA_TYPE, "Box.content");
    bytes[1] = 0;
    MUST(strata_row_set(&row, CONTENT, &nested, &f->error));
    strata_value link = { .type = STRATA_LINK, .as.link = 0 };
    REFUSED(strata_row_set(&row, CONTENT, &link, &f->error), STRATA_TYPE, "Box.content");
    link.as.link = UINT64_MAX;
    REFUSED(strata_row_set(&row, CONTENT, &link, &f->error), STRATA_TYPE, "Box.content");
    link = strata_mixed_link(ITEM, 1);
    REFUSED(strata_object_create(f->view, BOX, &link, 1, &out, &f->error), STRATA_MISUSE, "object 1 of Item");
    CHECK_EQ(content_of(f, key).type, STRATA_NESTED);
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    strata_node node = { .op = STRATA_EQUAL, .left = path_of(CONTENT), .value_count = 1,
                         .values = &text };
    strata_query q = { .size = sizeof q, .table = BOX, .nodes = &node, .node_count = 1 };
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_TYPE, "content of Box", "UTF-8");
    node.values = &typeless;
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_TYPE, "content of Box");
    static const strata_step through[] = { { .column = CONTENT }, { .column = 0 } };
    node.left = (strata_operand){ .path = through, .path_length = 2 };
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_TYPE, "content", "links");
    strata_nested_free(n);
    fixture_close(f);
}

void test_mixed_column_schema(void) {
    fixture *f = fixture_open("schema");
    strata_column_spec bad[] = { column("a", STRATA_MIXED, STRATA_COLUMN_PRIMARY) };
    strata_table_spec table = { "T", 0, 1, bad };
    REFUSED(apply(f, 1, &table, 1), STRATA_INVALID_SCHEMA, "T.a", "primary key");
    bad[0] = column("a", STRATA_DECIMAL, STRATA_COLUMN_INDEXED);
    REFUSED(apply(f, 1, &table, 1), STRATA_INVALID_SCHEMA, "T.a", "indexed");
    bad[0] = column("a", STRATA_NESTED, 0);
    REFUSED(apply(f, 1, &table, 1), STRATA_INVALID_SCHEMA, "T.a", "type");
    bad[0] = column("a", STRATA_MIXED, 0);
    bad[0].target = "T";
    REFUSED(apply(f, 1, &table, 1), STRATA_INVALID_SCHEMA, "T.a", "target");

    strata_column_spec columns[] = { column("number", STRATA_INT, 0), column("any", STRATA_MIXED, 0),
                                     column("price", STRATA_DECIMAL, 0) };
    table = (strata_table_spec){ "T", 0, 1, columns };
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t old = ADD(0, strata_int(5));
    MUST(strata_view_commit(f->view, &f->error));
    table.column_count = 3;
    MUST(apply(f, 2, &table, 1)); /* the old row reads as null and 0 */
    strata_row row = row_of(f, 0, old);
    strata_value value;
    MUST(strata_row_get(&row, 1, &value, &f->error));
    CHECK_EQ(value.type, STRATA_NULL);
    MUST(strata_row_get(&row, 2, &value, &f->error));
    CHECK_EQ(value.type, STRATA_DECIMAL);
    char text[STRATA_DECIMAL_TEXT];
    strata_decimal_print(strata_decimal_load(value.as.fixed), text);
    CHECK_TEXT(text, "0");
    strata_column_info info;
    MUST(strata_column_get(f->view, 0, 1, &info));
    CHECK_EQ(info.flags, STRATA_COLUMN_NULLABLE);
    CHECK_EQ(info.target, UINT32_MAX);

    /* An index is built over what is there, and a column that is dropped no longer holds its targets. */
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t target = ADD(0, strata_int(6));
    set(f, 0, old, 1, strata_mixed_link(0, target));
    MUST(strata_view_commit(f->view, &f->error));
    columns[1].flags = STRATA_COLUMN_INDEXED;
    MUST(apply(f, 2, &table, 1));
    verify(f);
    value = strata_mixed_link(0, target);
    CHECK_EQ(index_count(f, 0, 1, &value), 1);
    CHECK_EQ(backlinks(f, 0, target, 0, 1), 1);
    fixture_close(f);
    f = fixture_open("schema");
    MUST(apply(f, 2, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(strata_object_delete(f->view, 0, target, &f->error), STRATA_REFERENCED, "T.any");
    strata_view_cancel(f->view);
    table.column_count = 1;
    MUST(apply(f, 3, &table, 1));
    verify(f);
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_delete(f->view, 0, target, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    fixture_close(f);
}

/* Sizes around what a row holds, of bytes and of lists; nothing is left behind. */
void test_mixed_column_gives_up_large_values(void) {
    static const size_t sizes[] = { 0, 1022, 1023, 1024, 1025, 5000, 600000 };
    fixture *f = open_boxes(0);
    strata_nested *n = strata_nested_make();
    CHECK(n != NULL);
    uint8_t *bytes = pattern(600000, 7), *back = malloc(700000);
    CHECK(back != NULL);
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t item = ADD(ITEM, strata_null()), key = ADD(BOX, strata_null());
    MUST(strata_view_commit(f->view, &f->error));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        strata_value data = strata_data(bytes, sizes[i]);
        strata_value both[] = { data, strata_mixed_link(ITEM, item) };
        for (int nested = 0; nested <= 1; nested++) {
            strata_value value = nested == 0 ? data : list_value(n, 2, both), actual;
            MUST(strata_view_begin(f->view, &f->error));
            set(f, BOX, key, CONTENT, value);
            uint64_t copy = ADD(BOX, value);
            MUST(strata_view_commit(f->view, &f->error));
            verify(f);
            actual = content_of(f, copy);
            CHECK_EQ(actual.type, value.type);
            CHECK_EQ(actual.as.bytes.size, value.as.bytes.size);
            CHECK_EQ(strata_value_is_outside(&actual), st_mixed_size(&value) > 1024);
            strata_row row = row_of(f, BOX, copy);
            size_t got;
            MUST(strata_row_read(&row, CONTENT, 0, back, 700000, &got, &f->error));
            CHECK_EQ(got, value.as.bytes.size);
            CHECK(got == 0 || memcmp(back, value.as.bytes.data, got) == 0);
            CHECK_EQ(backlinks(f, ITEM, item, BOX, CONTENT), 2 * nested);
            CHECK_EQ(tree_entries(f, ST_BLOBS) != 0, st_mixed_size(&value) > 1024);
            MUST(strata_view_begin(f->view, &f->error));
            MUST(strata_object_delete(f->view, BOX, copy, &f->error));
            MUST(strata_view_commit(f->view, &f->error));
        }
    }
    MUST(strata_view_begin(f->view, &f->error));
    set(f, BOX, key, CONTENT, strata_null());
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    strata_nested_free(n);
    free(bytes);
    free(back);
    fixture_close(f);
}

/* Elements of all sizes that hold links go with their whole table, or with their column; nothing is left behind. */
static void lose_elements(size_t size, bool clears) {
    enum { HOLDER, LIST = 0, MAP, ITEMS = 1 };
    fixture *f = fixture_open_memory();
    strata_nested *n = strata_nested_make();
    CHECK(n != NULL);
    const strata_column_spec holder[] = { { "list", STRATA_MIXED, STRATA_LIST, 0, NULL },
                                          { "map", STRATA_MIXED, STRATA_MAP, 0, NULL },
                                          column("content", STRATA_MIXED, 0), column("number", STRATA_INT, 0) };
    const strata_column_spec item[] = { column("name", STRATA_STRING, STRATA_COLUMN_NULLABLE) };
    const strata_table_spec before[] = { { "Holder", 0, 4, holder }, { "Item", 0, 1, item } };
    const strata_table_spec after[] = { { "Holder", 0, 1, &holder[3] }, { "Item", 0, 1, item } };
    MUST(apply(f, 1, before, 2));
    MUST(strata_view_begin(f->view, &f->error));
    uint8_t *bytes = pattern(size, 7);
    uint64_t target = ADD(ITEMS, strata_null());
    for (int i = 0; i < 3; i++) {
        strata_value both[] = { strata_data(bytes, size), strata_mixed_link(ITEMS, target) };
        strata_value value = list_value(n, 2, both);
        uint64_t key = ADD(HOLDER, strata_null(), strata_null(), value, strata_int(i));
        for (int k = 0; k < 3; k++) {
            const char *names[] = { "a", "b", "c" };
            const strata_value parts[] = { value, both[0], both[1] };
            strata_row row = row_of(f, HOLDER, key);
            MUST(strata_list_insert(&row, LIST, 0, &parts[k], 1, &f->error));
            row = row_of(f, HOLDER, key);
            MUST(strata_map_set(&row, MAP, (strata_bytes){ names[k], 1 }, &parts[k], &f->error));
        }
    }
    free(bytes);
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    CHECK_EQ(backlinks(f, ITEMS, target, HOLDER, LIST), 6);
    if (clears) {
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_tables_clear(f->view, (uint32_t[]){ HOLDER, ITEMS }, 2, &f->error));
        MUST(strata_view_commit(f->view, &f->error));
    } else {
        MUST(apply(f, 2, after, 2));
        CHECK_EQ(table_size(f, HOLDER), 3);
    }
    verify(f);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
    CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
    strata_nested_free(n);
    fixture_close(f);
}

void test_mixed_column_loses_elements_of_all_sizes(void) {
    static const size_t sizes[] = { 0, 200, 1000, 1024, 4000, 70000 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        lose_elements(sizes[i], true);
        lose_elements(sizes[i], false);
    }
}

/* What is embedded has one owner, through a column of its own type. */
void test_mixed_column_never_links_to_embedded_objects(void) {
    enum { PART, OWNER };
    enum { ANY, LIST, MAP, SET, OWN };
    strata_column_spec part = column("x", STRATA_INT, 0);
    strata_column_spec owner[] = { column("any", STRATA_MIXED, STRATA_COLUMN_NULLABLE),
                                   { "list", STRATA_MIXED, STRATA_LIST, STRATA_COLUMN_NULLABLE, NULL },
                                   { "map", STRATA_MIXED, STRATA_MAP, STRATA_COLUMN_NULLABLE, NULL },
                                   { "set", STRATA_MIXED, STRATA_SET, STRATA_COLUMN_NULLABLE, NULL },
                                   link_to("own", "Part") };
    strata_table_spec tables[] = { { "Part", STRATA_TABLE_EMBEDDED, 1, &part }, { "Owner", 0, 5, owner } };
    fixture *f = fixture_open_memory();
    strata_nested *n = strata_nested_make();
    bool inserted;
    uint64_t position, key;
    CHECK(n != NULL);
    MUST(apply(f, 0, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t whole = ADD(PART, strata_int(1)), holder = ADD(OWNER, strata_null());
    set(f, OWNER, holder, OWN, strata_link(whole));
    strata_value link = strata_mixed_link(PART, whole), nested = list_value(n, 1, &link);
    strata_row row = row_of(f, OWNER, holder);
    REFUSED(strata_row_set(&row, ANY, &link, &f->error), STRATA_MISUSE, "Owner.any", "Part", "embedded");
    REFUSED(strata_row_set(&row, ANY, &nested, &f->error), STRATA_MISUSE, "Owner.any", "Part", "embedded");
    REFUSED(strata_list_insert(&row, LIST, 0, &link, 1, &f->error), STRATA_MISUSE, "Owner.list", "embedded");
    REFUSED(strata_map_set(&row, MAP, (strata_bytes){ "k", 1 }, &nested, &f->error), STRATA_MISUSE, "Owner.map");
    REFUSED(strata_set_insert(&row, SET, &link, &inserted, &position, &f->error), STRATA_MISUSE, "Owner.set");
    REFUSED(strata_object_create(f->view, OWNER, &link, 1, &key, &f->error), STRATA_MISUSE, "Owner.any", "embedded");
    MUST(strata_view_commit(f->view, &f->error)); /* nothing of it spoiled the write */
    CHECK_EQ(backlinks(f, PART, whole, OWNER, OWN), 1);
    CHECK_EQ(tree_entries(f, ST_LINKS), 1);
    verify(f);
    strata_nested_free(n);
    fixture_close(f);
}

void test_mixed_column_links_of_tables(void) {
    fixture *f = open_boxes(0);
    strata_nested *n = strata_nested_make();
    CHECK(n != NULL);
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t item = ADD(ITEM, value_of("a")), box = ADD(BOX, strata_null());
    strata_value links[] = { strata_mixed_link(ITEM, item), strata_mixed_link(BOX, box), strata_mixed_link(ITEM, item) };
    uint64_t holder = ADD(BOX, list_value(n, 3, links), strata_int(1));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    CHECK_EQ(backlinks(f, ITEM, item, BOX, CONTENT), 2);
    CHECK_EQ(backlinks(f, BOX, box, BOX, CONTENT), 1);
    CHECK_EQ(item, box); /* the same key in two tables is two objects */

    MUST(strata_view_begin(f->view, &f->error));
    REFUSED(strata_tables_clear(f->view, (uint32_t[]){ ITEM }, 1, &f->error), STRATA_REFERENCED, "Item", "Box.content");
    REFUSED(strata_object_delete(f->view, ITEM, item, &f->error), STRATA_REFERENCED, "Item", "Box.content", "2 links");
    MUST(strata_object_unlink(f->view, ITEM, item, &f->error));
    CHECK_EQ(backlinks(f, ITEM, item, BOX, CONTENT), 0);
    CHECK_EQ(backlinks(f, BOX, box, BOX, CONTENT), 1);
    strata_value left = content_of(f, holder);
    strata_nested_iterator it;
    MUST(strata_nested_open(left.as.bytes, &it, &f->error));
    CHECK_EQ(it.count, 1);
    MUST(strata_tables_clear(f->view, (uint32_t[]){ ITEM }, 1, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    CHECK_EQ(table_size(f, ITEM), 0);
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_tables_clear(f->view, (uint32_t[]){ BOX, ITEM }, 2, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);

    /* A table that is added later is linked to as well. */
    strata_column_spec later[] = { column("x", STRATA_INT, 0) };
    strata_table_spec table = { "Later", 0, 1, later };
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t target = ADD(2, strata_int(1));
    ADD(BOX, strata_mixed_link(2, target));
    REFUSED(strata_object_delete(f->view, 2, target, &f->error), STRATA_REFERENCED, "Later", "Box.content");
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    strata_nested_free(n);
    fixture_close(f);
}

void test_mixed_column_that_links_to_itself(void) {
    fixture *f = open_boxes(STRATA_COLUMN_INDEXED);
    strata_nested *n = strata_nested_make();
    CHECK(n != NULL);
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t box = ADD(BOX, strata_null()), other = ADD(BOX, strata_null());
    strata_value links[] = { strata_mixed_link(BOX, box), strata_mixed_link(BOX, box) };
    set(f, BOX, box, CONTENT, list_value(n, 2, links));
    MUST(strata_object_delete(f->view, BOX, box, &f->error)); /* only it links to itself */
    set(f, BOX, other, CONTENT, strata_mixed_link(BOX, other));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_object_delete(f->view, BOX, other, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    CHECK_EQ(tree_entries(f, ST_LINKS), 0);
    strata_nested_free(n);
    fixture_close(f);
}

/* Without long strings and lists the order of the index is the one wanted. */
void test_mixed_column_orders_by_its_index(void) {
    fixture *f = open_boxes(STRATA_COLUMN_INDEXED);
    strata_value values[] = { strata_double(1), strata_null(), value_of("b"), strata_int(1), decimal_value("1.0"),
                              value_of("a"), strata_int(-3), strata_bool(true), strata_float(0.5F) };
    static const uint64_t up[] = { 2, 8, 7, 9, 1, 4, 5, 6, 3 }, down[] = { 3, 6, 1, 4, 5, 9, 7, 8, 2 };
    MUST(strata_view_begin(f->view, &f->error));
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) ADD(BOX, values[i]);
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    static const strata_step content = { .column = CONTENT };
    strata_sort sort = { &content, 1, false };
    strata_stage stage = { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &sort };
    strata_query q = { .size = sizeof q, .table = BOX, .stages = &stage, .stage_count = 1 };
    strata_keys keys;
    strata_query_stats stats;
    for (int backward = 0; backward <= 1; backward++) {
        sort.descending = backward != 0;
        MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
        CHECK_EQ(keys.count, 9);
        for (int i = 0; i < 9; i++) CHECK_EQ(keys.data[i], backward ? down[i] : up[i]);
        CHECK_TEXT(stats.plan, "index content");
        strata_keys_free(&keys);
    }
    strata_value one = strata_int(1);
    strata_node node = { .op = STRATA_EQUAL, .left = path_of(CONTENT), .value_count = 1,
                         .values = &one };
    uint64_t count;
    q = (strata_query){ .size = sizeof q, .table = BOX, .nodes = &node, .node_count = 1 };
    MUST(strata_query_count(f->view, &q, &count, &stats, &f->error));
    CHECK_EQ(count, 3);
    CHECK_TEXT(stats.plan, "index content = 1");
    CHECK_EQ(stats.rows_visited, 0);
    fixture_close(f);
}

/* ---- Damage ----------------------------------------------------------- */

/* Changes a byte inside of the stored block of the boxes. */
static void damage_block(fixture *f, uint64_t *random) {
    st_cursor *cursor;
    strata_bytes key, value;
    uint8_t name[8], copy[8192];
    MUST(strata_view_begin(f->view, &f->error));
    MUST(st_cursor_open(f->view->txn, ST_ROWS, &cursor, &f->error));
    MUST(st_cursor_seek(cursor, st_row_tree_key(name, BOX, 0), &key, &value, &f->error));
    CHECK(value.size <= sizeof copy && key.size == sizeof name);
    memcpy(copy, value.data, value.size);
    memcpy(name, key.data, key.size);
    st_cursor_close(cursor);
    uint64_t r = ctest_random(random), at = r % value.size;
    copy[at] = (uint8_t)(copy[at] ^ (1u << (r >> 32) % 8));
    MUST(st_tree_put(f->view->txn, ST_ROWS, (strata_bytes){ name, sizeof name }, (strata_bytes){ copy, value.size },
                     &f->error));
    f->view->tree_epoch++;
}

void test_mixed_column_survives_damage(void) {
    uint64_t random = ctest_seed();
    fixture *f = open_boxes(STRATA_COLUMN_INDEXED);
    strata_nested *n = strata_nested_make();
    CHECK(n != NULL);
    uint8_t *bytes = pattern(3000, 3);
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t item = ADD(ITEM, strata_null());
    for (int i = 0; i < 40; i++) {
        strata_value parts[] = { strata_int(i), strata_mixed_link(ITEM, item), value_of("text") };
        strata_value all[] = { list_value(n, 3, parts), strata_mixed_link(ITEM, item), strata_data(bytes, 2000),
                               decimal_value("1.5"), value_of("abc") };
        ADD(BOX, all[i % 5], strata_int(i));
    }
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    for (int round = 0; round < 400; round++) {
        strata_value five = strata_int(5);
        strata_node node = { .op = STRATA_LESS, .left = path_of(CONTENT), .value_count = 1,
                             .values = &five };
        strata_sort sort = { node.left.path, 1, true };
        strata_stage stage = { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &sort };
        strata_query q = { .size = sizeof q, .table = BOX, .nodes = &node, .node_count = 1, .stages = &stage,
                           .stage_count = 1 };
        strata_keys keys;
        damage_block(f, &random);
        strata_status status = strata_query_run(f->view, &q, &keys, NULL, &f->error);
        CHECK(status == STRATA_OK || status == STRATA_CORRUPT);
        strata_keys_free(&keys);
        status = strata_object_unlink(f->view, ITEM, item, &f->error);
        if (status != STRATA_OK && status != STRATA_CORRUPT && status != STRATA_NOT_FOUND && status != STRATA_MISUSE)
            ctest_fail(__FILE__, __LINE__, f->error.message);
        strata_view_cancel(f->view);
    }
    verify(f);
    strata_nested_free(n);
    free(bytes);
    fixture_close(f);
}

/* ---- Decimals --------------------------------------------------------- */

static uint64_t count_where(fixture *f, uint32_t column, strata_operator op, uint32_t count, const strata_value *values) {
    strata_node node = { .op = op, .left = path_of(column), .value_count = count, .values = values };
    strata_query q = { .size = sizeof q, .nodes = &node, .node_count = 1 };
    uint64_t out;
    MUST(strata_query_count(f->view, &q, &out, NULL, &f->error));
    return out;
}

void test_decimal_column(void) {
    fixture *f = fixture_open("decimals");
    strata_column_spec columns[] = { column("price", STRATA_DECIMAL, 0),
                                     column("discount", STRATA_DECIMAL, STRATA_COLUMN_NULLABLE) };
    strata_table_spec table = { "Product", 0, 2, columns };
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    static const char *const prices[] = { "1.10", "1.1", "-0", "0.00", "NaN", "Infinity", "1E+10", "9.99" };
    for (size_t i = 0; i < 8; i++) ADD(0, decimal_value(prices[i]), i % 2 == 0 ? strata_null() : decimal_value("0.5"));
    strata_value wrong = strata_double(1), none = strata_null();
    uint64_t key;
    REFUSED(strata_object_create(f->view, 0, &wrong, 1, &key, &f->error), STRATA_TYPE, "Product.price", "decimal",
            "double");
    REFUSED(strata_object_create(f->view, 0, &none, 1, &key, &f->error), STRATA_TYPE, "Product.price", "null");
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    char text[STRATA_DECIMAL_TEXT];
    for (uint64_t i = 0; i < 8; i++) { /* digits and signs are kept */
        strata_row row = row_of(f, 0, i + 1);
        uint8_t bytes[16];
        strata_row_fixed(&row, 0, bytes, 16);
        strata_decimal_print(strata_decimal_load(bytes), text);
        CHECK_TEXT(text, prices[i]);
        CHECK_EQ(strata_row_null(&row, 1), i % 2 == 0);
    }
    strata_value v[] = { decimal_value("1.100"), decimal_value("0"), decimal_value("NaN"), decimal_value("10") };
    CHECK_EQ(count_where(f, 0, STRATA_EQUAL, 1, v), 2);
    CHECK_EQ(count_where(f, 0, STRATA_NOT_EQUAL, 1, v), 6);
    CHECK_EQ(count_where(f, 0, STRATA_EQUAL, 1, v + 1), 2);
    CHECK_EQ(count_where(f, 0, STRATA_EQUAL, 1, v + 2), 1); /* NaN equals itself */
    CHECK_EQ(count_where(f, 0, STRATA_LESS, 1, v + 1), 1);  /* and is below all others */
    CHECK_EQ(count_where(f, 0, STRATA_IN, 3, v), 5);
    CHECK_EQ(count_where(f, 0, STRATA_BETWEEN, 2, (strata_value[]){ v[1], v[3] }), 5);
    CHECK_EQ(count_where(f, 0, STRATA_BETWEEN, 2, (strata_value[]){ v[3], v[1] }), 0);
    CHECK_EQ(count_where(f, 0, STRATA_GREATER, 1, v + 3), 2);
    CHECK_EQ(count_where(f, 1, STRATA_EQUAL, 1, &none), 4);
    CHECK_EQ(count_where(f, 1, STRATA_NOT_EQUAL, 1, &none), 4);
    CHECK_EQ(count_where(f, 1, STRATA_LESS, 1, v), 4);
    strata_node node = { .op = STRATA_CONTAINS, .left = path_of(0), .value_count = 1, .values = v };
    strata_query q = { .size = sizeof q, .nodes = &node, .node_count = 1 };
    REFUSED(strata_query_check(f->view, &q, &f->error), STRATA_TYPE, "price", "CONTAINS");
    fixture_close(f);
}
