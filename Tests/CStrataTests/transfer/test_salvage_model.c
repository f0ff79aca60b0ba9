/* SPDX-License-Identifier: MIT
 *
 * test_salvage_model.c -- what is salvaged is what some commit held.
 *
 * All properties of an item follow from its id and from the commit that wrote it last. Whole pages are lost, or in the
 * wrong place: the items of a new file then have what they had as of one commit, or nothing. What is stored outside of
 * rows has no commit of its own: it is as exact only where the newest commit is known, and only that was asked for. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "strata_salvage.h"
#include "support/damage.h"
#include "support/salvage_support.h"
#include "support/strata_support.h"

enum { ITEM, ITEMS = 600, COMMITS = 12, EACH = 70 /* items that a commit changes */, PAGE = DAMAGE_PAGE };
enum { ID, COMMIT, NUMBER, TEXT, NEXT, NUMBERS, DATA, OTHERS };

/* ---- Items ------------------------------------------------------------ */

static int64_t number_of(int id, int commit) { return (int64_t)id * 1000003 + commit * 7919; }
static int next_of(int id, int commit) { return (id * 7 + commit) % ITEMS; }
/* Some have more than a row has room for. */
static int numbers_of(int id, int commit) { return id % 16 == 0 ? 1500 + commit : id % 5; }
/* Of a value on several pages only the first says what it is, so here none has more than one. */
static size_t data_of(int id, int commit) { return id % 9 == 0 ? 2100 + 100 * (size_t)commit : 20 + (size_t)commit; }
static int text_of(int id, int commit, char *out, size_t size) {
    return snprintf(out, size, "item %d as of commit %d", id, commit);
}

static bool find(fixture *f, int id, uint64_t *out) {
    strata_value value = strata_int(id);
    return strata_object_find(f->view, ITEM, &value, out, &f->error) == STRATA_OK;
}

/* Writes an item. A list is written anew as a whole. */
static void write_item(fixture *f, int id, int commit) {
    uint64_t key, next = 0, size = 0;
    char text[60];
    if (!find(f, id, &key)) key = ADD(ITEM, strata_int(id));
    strata_row row = row_of(f, ITEM, key);
    uint8_t *data = pattern(data_of(id, commit), (uint64_t)number_of(id, commit));
    set(f, ITEM, key, COMMIT, strata_int(commit));
    set(f, ITEM, key, NUMBER, strata_int(number_of(id, commit)));
    set(f, ITEM, key, TEXT, strata_string(text, (size_t)text_of(id, commit, text, sizeof text)));
    set(f, ITEM, key, NEXT, find(f, next_of(id, commit), &next) ? strata_link(next) : strata_null());
    set(f, ITEM, key, DATA, strata_data(data, data_of(id, commit)));
    free(data);
    MUST(strata_collection_size(&row, NUMBERS, &size, &f->error));
    if (size > 0) MUST(strata_collection_remove(&row, NUMBERS, 0, size, &f->error));
    for (int i = 0, count = numbers_of(id, commit); i < count; i++) {
        strata_value value = strata_int(number_of(id, commit) + i);
        MUST(strata_list_insert(&row, NUMBERS, (uint64_t)i, &value, 1, &f->error));
    }
    MUST(strata_collection_size(&row, OTHERS, &size, &f->error));
    if (size > 0) MUST(strata_collection_remove(&row, OTHERS, 0, size, &f->error));
    if (next != 0) MUST(insert_keys(&row, OTHERS, 0, &next, 1, &f->error));
}

static void delete_item(fixture *f, int id) {
    uint64_t key;
    if (!find(f, id, &key)) return;
    MUST(strata_object_unlink(f->view, ITEM, key, &f->error));
    MUST(strata_object_delete(f->view, ITEM, key, &f->error));
}

static fixture *make_store(void) {
    const strata_column_spec columns[] = {
        column("id", STRATA_INT, STRATA_COLUMN_PRIMARY),
        column("commit", STRATA_INT, STRATA_COLUMN_INDEXED),
        column("number", STRATA_INT, 0),
        column("text", STRATA_STRING, STRATA_COLUMN_INDEXED | STRATA_COLUMN_NULLABLE),
        link_to("next", "Item"),
        { .name = "numbers", .type = STRATA_INT, .collection = STRATA_LIST },
        column("data", STRATA_DATA, STRATA_COLUMN_NULLABLE),
        list_of("others", "Item"),
    };
    const strata_table_spec table = { .name = "Item", .column_count = 8, .columns = columns };
    fixture *f = fixture_open("model");
    MUST(apply(f, 1, &table, 1));
    return f;
}

static void make_file(uint64_t *random) {
    fixture *f = make_store();
    for (int commit = 1; commit <= COMMITS; commit++) {
        MUST(strata_view_begin(f->view, &f->error));
        for (int i = 0; i < (commit == 1 ? ITEMS : EACH); i++)
            write_item(f, commit == 1 ? i : (int)(ctest_random(random) % ITEMS), commit);
        for (int i = 0; commit > 1 && i < EACH / 4; i++) delete_item(f, (int)(ctest_random(random) % ITEMS));
        MUST(strata_view_commit(f->view, &f->error));
    }
    fixture_close(f);
}

/* ---- Salvaged items --------------------------------------------------- */

static int64_t int_of(fixture *f, const strata_row *row, uint32_t column) {
    strata_value value;
    MUST(strata_row_get(row, column, &value, &f->error));
    return value.as.integer;
}

/* The link leads to the item that it led to, or nowhere. */
static void check_link(fixture *f, const strata_value *link, int id, int commit) {
    if (link->type == STRATA_NULL) return;
    strata_row row = row_of(f, ITEM, link->as.link);
    CHECK_EQ(int_of(f, &row, ID), next_of(id, commit));
}

/* Text or data, which may lie outside of the row. */
static void check_bytes(fixture *f, const strata_row *row, uint32_t column, const void *expected, size_t size) {
    static uint8_t bytes[16384];
    strata_value value;
    size_t read;
    MUST(strata_row_get(row, column, &value, &f->error));
    if (value.type == STRATA_NULL) return;
    MUST(strata_row_read(row, column, 0, bytes, sizeof bytes, &read, &f->error));
    CHECK(value.as.bytes.size == size && read == size && memcmp(bytes, expected, size) == 0);
}

static void check_collections(fixture *f, strata_row *row, int id, int commit) {
    strata_value values[2000];
    uint64_t size;
    MUST(strata_collection_size(row, NUMBERS, &size, &f->error));
    CHECK(size == 0 || size == (uint64_t)numbers_of(id, commit));
    if (size > 0) MUST(strata_collection_get(row, NUMBERS, 0, size, values, &f->error));
    for (uint64_t i = 0; i < size; i++) CHECK_EQ(values[i].as.integer, number_of(id, commit) + (int64_t)i);
    MUST(strata_collection_size(row, OTHERS, &size, &f->error));
    CHECK(size <= 1);
    if (size == 0) return;
    MUST(strata_collection_get(row, OTHERS, 0, 1, values, &f->error));
    check_link(f, &values[0], id, commit);
}

static void check_item(fixture *f, strata_row *row, bool exact, bool *seen) {
    int64_t id = int_of(f, row, ID), commit = int_of(f, row, COMMIT);
    char text[60];
    strata_value value;
    CHECK(id >= 0 && id < ITEMS && commit >= 1 && commit <= COMMITS && !seen[id]);
    seen[id] = true;
    CHECK_EQ(int_of(f, row, NUMBER), number_of((int)id, (int)commit));
    int size = text_of((int)id, (int)commit, text, sizeof text);
    check_bytes(f, row, TEXT, text, (size_t)size);
    MUST(strata_row_get(row, NEXT, &value, &f->error));
    check_link(f, &value, (int)id, (int)commit);
    if (!exact && (id % 9 == 0 || id % 16 == 0)) return; /* stored outside */
    uint8_t *data = pattern(data_of((int)id, (int)commit), (uint64_t)number_of((int)id, (int)commit));
    check_bytes(f, row, DATA, data, data_of((int)id, (int)commit));
    free(data);
    check_collections(f, row, (int)id, (int)commit);
}

static void check_items(uint64_t saved, bool exact) {
    bool seen[ITEMS] = { false };
    strata_cursor *cursor;
    strata_row row;
    uint64_t found = 0;
    size_t count;
    fixture *f = fixture_open("saved");
    verify(f);
    MUST(strata_scan(f->view, ITEM, false, &cursor, &f->error));
    while (strata_cursor_next_rows(cursor, &row, 1, &count, &f->error) == STRATA_OK) {
        check_item(f, &row, exact, seen);
        found += count;
    }
    strata_cursor_close(cursor);
    CHECK_EQ(found, saved);
    fixture_close(f);
}

/* ---- Lost pages ------------------------------------------------------- */

/* Is this a page that says which pages are those of the newest commit? */
static bool says_what_is_free(const image *it, uint64_t number) {
    st_page page;
    st_page_node node;
    uint64_t root = image_file(it).free_tree.root;
    if (number < 2 || number == root) return true;
    CHECK(st_page_open(image_page(it, root), root, PAGE, &page) == NULL && page.leaf);
    for (uint32_t i = 0; i < page.nodes; i++) {
        CHECK(st_page_node_read(&page, i, &node));
        bool big = (node.flags & ST_NODE_BIG) != 0;
        if (big && number - strata_load64(node.value) <= node.value_size / PAGE) return true;
    }
    return false;
}

static void lose_page(const image *it, bool exact, uint64_t *random) {
    uint64_t pages = it->size / PAGE, number = ctest_random(random) % pages, from = ctest_random(random) % pages;
    uint8_t *page = it->bytes + number * PAGE;
    if (exact && says_what_is_free(it, number)) return;
    switch (ctest_random(random) % (exact ? 3 : 5)) {
    case 0: memset(page, 0, PAGE); break;
    case 1:
        for (size_t i = 0; i < PAGE; i++) page[i] = (uint8_t)ctest_random(random);
        break;
    case 2: memmove(page, it->bytes + from * PAGE, PAGE); break;
    case 3: /* as if it had been written there */
        memmove(page, it->bytes + from * PAGE, PAGE);
        memcpy(page, &number, 8);
        break;
    default: image_wipe(it, number % 2); break;
    }
}

void test_salvage_saves_what_a_commit_held(void) {
    enum { ROUNDS = 40 };
    uint64_t random = ctest_seed(), saved = 0;
    ctest_directory_in_memory();
    make_file(&random);
    image sound = image_read("model");
    for (int round = 0; round < ROUNDS; round++) {
        bool exact = round % 2 == 0;
        image it = { malloc(sound.size), sound.size };
        strata_salvage_report report;
        strata_error error;
        strata_salvage_options options = strata_salvage_options_blank();
        options.flags = round % 4 == 3;
        memcpy(it.bytes, sound.bytes, it.size);
        for (uint64_t i = 0, count = 1 + ctest_random(&random) % 12; i < count; i++) lose_page(&it, exact, &random);
        strata_status status = salvage(&it, &options, &report, &error);
        CHECK(status == STRATA_OK || !exact);
        if (status == STRATA_OK) {
            check_items(report.saved, exact);
            saved += report.saved;
        }
        free(it.bytes);
    }
    CHECK(saved > 0);
    free(sound.bytes);
}

/* All items are deleted, and made again with the same primary keys: none is as it was before. */
void test_salvage_of_items_that_were_made_again(void) {
    enum { COUNT = 200 };
    strata_view *reader = NULL;
    ctest_directory_in_memory();
    fixture *f = make_store();
    for (int commit = 1; commit <= 3; commit++) {
        MUST(strata_view_begin(f->view, &f->error));
        for (int id = 1; id < COUNT; id++) {
            if (commit == 2) delete_item(f, id);
            else write_item(f, id, commit);
        }
        MUST(strata_view_commit(f->view, &f->error));
        if (commit == 1) MUST(strata_view_open(f->store, &reader, &f->error)); /* its pages are not used again */
    }
    strata_view_close(reader);
    fixture_close(f);
    image it = image_read("model");
    strata_salvage_options options = strata_salvage_options_blank();
    options.flags = STRATA_SALVAGE_OLD;
    CHECK_EQ(salvaged(&it, &options).saved, COUNT - 1);
    f = fixture_open("saved");
    for (int id = 1; id < COUNT; id++) {
        uint64_t key;
        CHECK(find(f, id, &key));
        strata_row row = row_of(f, ITEM, key);
        CHECK_EQ(int_of(f, &row, COMMIT), 3);
    }
    fixture_close(f);
    free(it.bytes);
}
