/* SPDX-License-Identifier: MIT
 *
 * test_pages.c -- every rule that the pages of a file must follow, broken alone in a file that is sound otherwise: it
 * is refused, in words that say which rule it was. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/cursor.h"
#include "store/snapshot.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/store_support.h"

/* Where things are in LMDB's pages; see page.c and preflight.c of the store. */
enum { META = 152, MAGIC = 16, VERSION = 20, FREE_TREE = 40, MAIN_TREE = 88, LAST_PAGE = 136, TXNID = 144 };
enum { FLAGS = 4, DEPTH = 6, BRANCHES = 8, LEAVES = 16, BIG_PAGES = 24, ENTRIES = 32, ROOT = 40 }; /* of a tree */
enum { KIND = 10, LOWER = 12, UPPER = 14, SLOTS = 16 };                                            /* of a page */
enum { VALUE_SIZE = 0, NODE_FLAGS = 4, KEY_SIZE = 6, KEY = 8 };                                    /* of a node */
enum { BIG = 1, TREE = 2 };

typedef struct image {
    uint8_t *bytes;
    size_t size, page_size;
} image;

static uint64_t get(const uint8_t *at, size_t size) {
    uint64_t value = 0;
    memcpy(&value, at, size);
    return value;
}

static void put(uint8_t *at, uint64_t value, size_t size) { memcpy(at, &value, size); }
static void raise(uint8_t *at, uint64_t by, size_t size) { put(at, get(at, size) + by, size); }

/* ---- A sound file ----------------------------------------------------- */

enum { ROWS = 3000, BLOBS = 300, RECORDS = 200 };

/* Trees with branches, the main one, too; values on pages of their own; a list of free pages that is one. */
static void make_file(const char *path) {
    static char large[5000];
    char key[16];
    st_txn *txn;
    strata_store *store = must_open(path);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (int i = 0; i < ROWS; i++) {
        snprintf(key, sizeof key, "%08d", i);
        CHECK_EQ(st_tree_put(txn, ST_ROWS, text(key), bytes(large, 48), NULL), STRATA_OK);
        if (i < BLOBS) CHECK_EQ(st_tree_put(txn, ST_BLOBS, text(key), bytes(large, sizeof large), NULL), STRATA_OK);
        key[0] = 0; /* before the names of the trees, as records are */
        if (i < RECORDS) CHECK_EQ(st_tree_put(txn, ST_META, bytes(key, 8), bytes(large, 100), NULL), STRATA_OK);
    }
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    for (int i = 1; i < BLOBS; i++) {
        snprintf(key, sizeof key, "%08d", i);
        CHECK_EQ(st_tree_delete(txn, ST_BLOBS, text(key), NULL), STRATA_OK);
    }
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    strata_store_close(store);
}

static image load(const char *path) {
    enum { ROOM = 8 << 20 };
    image it = { .bytes = malloc(ROOM) };
    int file = open(path, O_RDONLY);
    CHECK(it.bytes != NULL && file >= 0);
    ssize_t size = read(file, it.bytes, ROOM);
    CHECK(size > 0 && size < ROOM);
    close(file);
    it.size = (size_t)size;
    it.page_size = it.size < META ? 0 : get(it.bytes + FREE_TREE, 4);
    return it;
}

/* ---- Finding things in it --------------------------------------------- */

static uint8_t *page_of(const image *it, uint64_t number) {
    CHECK((number + 1) * it->page_size <= it->size);
    return it->bytes + number * it->page_size;
}

static uint8_t *meta(const image *it) {
    uint8_t *first = it->bytes, *second = page_of(it, 1);
    return get(first + TXNID, 8) > get(second + TXNID, 8) ? first : second;
}

static uint8_t *older_meta(const image *it) { return meta(it) == it->bytes ? page_of(it, 1) : it->bytes; }

static uint8_t *slot(uint8_t *page, unsigned i) { return page + SLOTS + 2 * i; }
static uint8_t *node(uint8_t *page, unsigned i) { return page + get(slot(page, i), 2); }
static unsigned nodes(const uint8_t *page) { return (unsigned)(get(page + LOWER, 2) - SLOTS) / 2; }
static uint8_t *value(uint8_t *node) { return node + KEY + get(node + KEY_SIZE, 2); }
static bool is_branch(const uint8_t *page) { return get(page + KIND, 2) == 1; }

static uint8_t *root_of(const image *it, const uint8_t *tree) { return page_of(it, get(tree + ROOT, 8)); }
static uint8_t *child(const image *it, uint8_t *page, unsigned i) { return page_of(it, get(node(page, i), 4)); }

/* The leaf that has the child numbers `first` (then 0, 0, ...) above it. */
static uint8_t *leaf_of(const image *it, const uint8_t *tree, unsigned first) {
    uint8_t *page = root_of(it, tree);
    for (; is_branch(page); first = 0) page = child(it, page, first);
    return page;
}

/* The record of a named tree: the names are the last entries of the main tree. */
static uint8_t *tree_named(const image *it, const char *name) {
    uint8_t *page = root_of(it, meta(it) + MAIN_TREE);
    while (is_branch(page)) page = child(it, page, nodes(page) - 1);
    for (unsigned i = 0; i < nodes(page); i++) {
        uint8_t *found = node(page, i);
        if (get(found + KEY_SIZE, 2) == strlen(name) && memcmp(found + KEY, name, strlen(name)) == 0)
            return value(found);
    }
    ctest_fail(__FILE__, __LINE__, "no such thing in the file");
    return NULL;
}

static uint8_t *rows(const image *it) { return tree_named(it, "rows"); }
static uint8_t *row_leaf(const image *it) { return leaf_of(it, rows(it), 1); }
static uint8_t *row_root(const image *it) { return root_of(it, rows(it)); }
static uint8_t *blob_node(const image *it) { return node(leaf_of(it, tree_named(it, "blobs"), 0), 0); }
static uint8_t *blob_page(const image *it) { return page_of(it, get(value(blob_node(it)), 8)); }

/* An entry of the tree of free pages, with its list in its page or on pages of its own. */
static uint8_t *free_node(const image *it, bool big) {
    uint8_t *page = root_of(it, meta(it) + FREE_TREE);
    CHECK(!is_branch(page));
    for (unsigned i = 0; i < nodes(page); i++)
        if ((get(node(page, i) + NODE_FLAGS, 2) == BIG) == big) return node(page, i);
    ctest_fail(__FILE__, __LINE__, "no such thing in the file");
    return NULL;
}

static uint8_t *free_list(const image *it) { return page_of(it, get(value(free_node(it, true)), 8)) + SLOTS; }

/* ---- Breaking the rules ----------------------------------------------- */

/* First pages. */
static void number_of_meta(image *it) { put(older_meta(it), 9, 8); }
static void kind_of_meta(image *it) { put(page_of(it, 1) + KIND, 2, 2); }
static void magic_of_meta(image *it) { put(page_of(it, 1) + MAGIC, 1, 4); }
static void first_page_of_zeros(image *it) { memset(it->bytes, 0, it->page_size); }
static void both_metas_of_zeros(image *it) { memset(it->bytes, 0, 2 * it->page_size); }
static void version_of_meta(image *it) { put(page_of(it, 1) + VERSION, 7, 4); }
static void page_size_of_meta(image *it) { put(page_of(it, 1) + FREE_TREE, 512, 4); }
static void parity_of_meta(image *it) { raise(older_meta(it) + TXNID, 1, 8); }
static void file_of_100_bytes(image *it) { it->size = 100; }
static void file_of_one_page(image *it) { it->size = it->page_size; }
static void last_page_far_away(image *it) { put(meta(it) + LAST_PAGE, UINT64_C(1) << 40, 8); }
static void last_page_beyond_all(image *it) { put(meta(it) + LAST_PAGE, UINT64_C(1) << 50, 8); }
static void main_tree_too_deep(image *it) { put(meta(it) + MAIN_TREE + DEPTH, 33, 2); }
static void main_tree_of_nothing(image *it) { put(meta(it) + MAIN_TREE + ROOT, UINT64_MAX, 8); }
static void main_tree_of_too_many_pages(image *it) {
    uint64_t last = get(meta(it) + LAST_PAGE, 8);
    for (size_t at = BRANCHES; at <= BIG_PAGES; at += 8) put(meta(it) + MAIN_TREE + at, last, 8);
}
static void main_tree_in_a_circle(image *it) {
    uint8_t *root = root_of(it, meta(it) + MAIN_TREE);
    for (unsigned i = 0; i < nodes(root); i++) put(node(root, i), get(root, 8), 4);
}
static void main_leaf_with_a_wild_entry(image *it) {
    put(slot(leaf_of(it, meta(it) + MAIN_TREE, 0), 0), 3, 2);
}

/* Pages. */
static void child_below_all(image *it) { put(node(row_root(it), 1), 1, 4); }
static void child_beyond_all(image *it) { put(node(row_root(it), 1), get(meta(it) + LAST_PAGE, 8) + 5, 4); }
static void child_twice(image *it) { put(node(row_root(it), 1), get(node(row_root(it), 0), 4), 4); }
static void page_in_place_of_another(image *it) { raise(row_leaf(it), 1, 8); }
static void page_of_no_kind(image *it) { put(row_leaf(it) + KIND, 0x22, 2); }
static void lower_below_the_slots(image *it) { put(row_leaf(it) + LOWER, SLOTS, 2); }
static void lower_odd(image *it) { raise(row_leaf(it) + LOWER, 1, 2); }
static void lower_above_upper(image *it) { put(row_leaf(it) + LOWER, get(row_leaf(it) + UPPER, 2) + 2, 2); }
static void upper_beyond_the_page(image *it) { put(row_leaf(it) + UPPER, it->page_size + 2, 2); }
static void branch_of_one(image *it) { put(row_root(it) + LOWER, SLOTS + 2, 2); }
static void file_cut_short(image *it) {
    uint64_t page = 0;
    for (unsigned i = 0; i < nodes(row_root(it)); i++)
        if (get(node(row_root(it), i), 4) > page) page = get(node(row_root(it), i), 4);
    it->size = page * it->page_size;
}

/* Entries of a page. */
static void entry_in_the_slots(image *it) { put(slot(row_leaf(it), 2), SLOTS + 2, 2); }
static void entry_beyond_the_page(image *it) { put(slot(row_leaf(it), 2), it->page_size - 6, 2); }
static void key_beyond_the_page(image *it) { put(node(row_leaf(it), 2) + KEY_SIZE, it->page_size, 2); }
static void value_beyond_the_page(image *it) { put(node(row_leaf(it), 2) + VALUE_SIZE, it->page_size, 4); }
static void entry_of_no_kind(image *it) { put(node(row_leaf(it), 2) + NODE_FLAGS, 4, 2); }
static void tree_of_wrong_size(image *it) {
    put(node(row_leaf(it), 2) + NODE_FLAGS, TREE, 2);
    put(node(row_leaf(it), 2) + VALUE_SIZE, 46, 4);
}
static void tree_in_a_tree(image *it) { put(node(row_leaf(it), 2) + NODE_FLAGS, TREE, 2); }
static void entry_at_an_odd_place(image *it) {
    uint8_t *entry = node(row_leaf(it), 2);
    memmove(entry - 1, entry, KEY + 8);
    raise(slot(row_leaf(it), 2), (uint64_t)-1, 2);
}
static void entry_before_the_others(image *it) { raise(row_leaf(it) + UPPER, 2, 2); }
static void entry_twice(image *it) { put(slot(row_leaf(it), 2), get(slot(row_leaf(it), 3), 2), 2); }
static void gap_before_the_entries(image *it) { raise(row_leaf(it) + UPPER, (uint64_t)-2, 2); }

/* Keys. */
static void empty_key(image *it) { /* its bytes become the value's */
    uint8_t *first = node(row_leaf(it), 0);
    raise(first + VALUE_SIZE, get(first + KEY_SIZE, 2), 4);
    put(first + KEY_SIZE, 0, 2);
}
/* Makes an entry the only one of its page. */
static void leave_one(image *it, uint8_t *page, size_t key_size, size_t value_size) {
    size_t at = it->page_size - KEY - key_size - value_size;
    put(page + LOWER, SLOTS + 2, 2);
    put(page + UPPER, at, 2);
    put(slot(page, 0), at, 2);
    put(page + at + KEY_SIZE, key_size, 2);
    put(page + at + NODE_FLAGS, 0, 2);
    put(page + at + VALUE_SIZE, value_size, 4);
}
static void long_key(image *it) { leave_one(it, leaf_of(it, rows(it), 0), 600, 8); }
static void entry_too_large(image *it) { leave_one(it, leaf_of(it, rows(it), 0), 8, 2024); }
static void long_key_of_a_branch(image *it) { /* the first, which nobody compares, takes the second's place */
    uint8_t *page = row_root(it);
    size_t first = get(slot(page, 0), 2), size = it->page_size - get(page + UPPER, 2);
    CHECK(first + KEY + get(node(page, 0) + KEY_SIZE, 2) == it->page_size && size > 700);
    put(slot(page, 0), it->page_size - KEY - 600, 2);
    memmove(page + it->page_size - KEY - 600, page + first, KEY);
    put(node(page, 0) + KEY_SIZE, 600, 2);
    put(page + LOWER, SLOTS + 4, 2);
    put(page + UPPER, it->page_size - KEY - 600 - KEY - 8, 2);
    put(slot(page, 1), it->page_size - KEY - 600 - KEY - 8, 2);
    put(node(page, 1) + KEY_SIZE, 8, 2);
}
static void keys_exchanged(image *it) {
    uint8_t *page = row_leaf(it);
    uint64_t first = get(slot(page, 1), 2);
    put(slot(page, 1), get(slot(page, 2), 2), 2);
    put(slot(page, 2), first, 2);
}
static void key_below_its_branch(image *it) { memset(node(row_leaf(it), 0) + KEY, 1, 8); }
static void key_above_its_branch(image *it) {
    memset(node(row_leaf(it), nodes(row_leaf(it)) - 1) + KEY, 0xFF, 8);
}
static void key_that_is_no_number(image *it) {
    uint8_t *entry = free_node(it, false);
    raise(entry + VALUE_SIZE, 2, 4);
    put(entry + KEY_SIZE, 6, 2);
}

/* Trees. */
static void tree_of_duplicates(image *it) { put(rows(it) + FLAGS, 4, 2); }
static void tree_with_a_wild_root(image *it) { put(rows(it) + ROOT, 1, 8); }
static void tree_without_a_root(image *it) { put(rows(it) + ROOT, UINT64_MAX, 8); }
static void tree_too_deep(image *it) { raise(rows(it) + DEPTH, 1, 2); }
static void tree_without_depth(image *it) { put(rows(it) + DEPTH, 0, 2); }
static void branches_miscounted(image *it) { raise(rows(it) + BRANCHES, 1, 8); }
static void leaves_miscounted(image *it) { raise(rows(it) + LEAVES, 1, 8); }
static void big_pages_miscounted(image *it) { raise(rows(it) + BIG_PAGES, 1, 8); }
static void entries_miscounted(image *it) { raise(rows(it) + ENTRIES, 1, 8); }

/* Values on pages of their own. */
static void value_of_the_whole_file(image *it) { put(blob_node(it) + VALUE_SIZE, 0x7FFFFFFF, 4); }
static void value_with_another_number(image *it) { raise(blob_page(it), 1, 8); }
static void value_that_is_a_leaf(image *it) { put(blob_page(it) + KIND, 2, 2); }
static void value_of_more_pages(image *it) { raise(blob_page(it) + LOWER, 1, 4); }
static void value_of_fewer_pages(image *it) { raise(blob_page(it) + LOWER, (uint64_t)-1, 4); }

/* Free pages. */
static void list_of_half_a_number(image *it) { /* its last bytes become a gap, which it takes with it */
    raise(free_node(it, true) + VALUE_SIZE, (uint64_t)-4, 4);
}
static void list_of_no_bytes(image *it) { put(free_node(it, true) + VALUE_SIZE, 0, 4); }
static void list_of_more_than_it_has(image *it) { raise(free_list(it), 1000, 8); }
static void list_with_a_meta_page(image *it) { put(free_list(it) + 8 * get(free_list(it), 8), 1, 8); }
static void list_beyond_all(image *it) { put(free_list(it) + 8, get(meta(it) + LAST_PAGE, 8) + 1, 8); }
static void list_out_of_order(image *it) { put(free_list(it) + 16, get(free_list(it) + 8, 8), 8); }
static void list_with_a_page_in_use(image *it) {
    uint64_t count = get(free_list(it), 8), used = get(meta(it) + MAIN_TREE + ROOT, 8);
    for (uint64_t i = 1; i <= count; i++) { /* keeps the order */
        uint8_t *at = free_list(it) + 8 * i;
        if (get(at, 8) > used && i < count) continue;
        put(at, used, 8);
        break;
    }
}
static void list_of_no_commit(image *it) { put(node(root_of(it, meta(it) + FREE_TREE), 0) + KEY, 0, 8); }
static void list_that_is_a_tree(image *it) {
    uint8_t *page = root_of(it, meta(it) + FREE_TREE);
    leave_one(it, page, 8, 48);
    put(node(page, 0) + NODE_FLAGS, TREE, 2);
    put(node(page, 0) + KEY, 1, 8);
}
static void list_of_the_future(image *it) { put(free_node(it, false) + KEY, get(meta(it) + TXNID, 8) + 1, 8); }

static const struct rule {
    void (*broken)(image *it);
    const char *words;
} rules[] = {
    { number_of_meta, "contradict each other" },
    { kind_of_meta, "contradict each other" },
    { magic_of_meta, "contradict each other" },
    { first_page_of_zeros, "its first page is overwritten" },
    { both_metas_of_zeros, "its first page is overwritten" },
    { version_of_meta, "contradict each other" },
    { page_size_of_meta, "contradict each other" },
    { parity_of_meta, "contradict each other" },
    { file_of_100_bytes, "cut short within its first page" },
    { file_of_one_page, "cut short within its first pages" },
    { last_page_far_away, "speaks of far more pages than there are" },
    { last_page_beyond_all, "its newest commit makes no sense" },
    { main_tree_too_deep, "its newest commit makes no sense" },
    { main_tree_of_nothing, "its newest commit makes no sense" },
    { main_tree_of_too_many_pages, "its newest commit makes no sense" },
    { main_tree_in_a_circle, "is deeper than a tree can be" },
    { main_leaf_with_a_wild_entry, "has an impossible entry" },
    { child_below_all, "is not a page of a tree" },
    { child_beyond_all, "is not a page of a tree" },
    { child_twice, "is used twice" },
    { page_in_place_of_another, "has the number of another" },
    { page_of_no_kind, "is of no known kind" },
    { lower_below_the_slots, "has impossible bounds" },
    { lower_odd, "has impossible bounds" },
    { lower_above_upper, "has impossible bounds" },
    { upper_beyond_the_page, "has impossible bounds" },
    { branch_of_one, "is a branch of less than two" },
    { file_cut_short, "was cut short" },
    { entry_in_the_slots, "has an impossible entry" },
    { entry_beyond_the_page, "has an impossible entry" },
    { key_beyond_the_page, "has an impossible entry" },
    { value_beyond_the_page, "has an impossible entry" },
    { entry_of_no_kind, "has an impossible entry" },
    { tree_of_wrong_size, "has an impossible entry" },
    { tree_in_a_tree, "has a tree within a tree of a tree" },
    { entry_at_an_odd_place, "has an entry out of place" },
    { entry_before_the_others, "has an entry out of place" },
    { entry_twice, "has entries over each other" },
    { gap_before_the_entries, "has a gap between its entries" },
    { empty_key, "has a key of an impossible size" },
    { long_key, "has a key of an impossible size" },
    { long_key_of_a_branch, "has a key of an impossible size" },
    { entry_too_large, "has an entry that is too large" },
    { keys_exchanged, "has a key out of order" },
    { key_below_its_branch, "has a key out of order" },
    { key_above_its_branch, "has a key out of order" },
    { key_that_is_no_number, "has a key of an impossible size" },
    { tree_of_duplicates, "cannot be the root of a tree of a store" },
    { tree_with_a_wild_root, "cannot be the root of a tree of a store" },
    { tree_without_a_root, "cannot be the root of a tree of a store" },
    { tree_too_deep, "is at the wrong depth of its tree" },
    { tree_without_depth, "cannot be the root of a tree of a store" },
    { branches_miscounted, "counts its pages or entries wrongly" },
    { leaves_miscounted, "counts its pages or entries wrongly" },
    { big_pages_miscounted, "counts its pages or entries wrongly" },
    { entries_miscounted, "counts its pages or entries wrongly" },
    { value_of_the_whole_file, "is not a page of a tree" },
    { value_with_another_number, "is not the beginning of a value" },
    { value_that_is_a_leaf, "is not the beginning of a value" },
    { value_of_more_pages, "is used twice" },
    { value_of_fewer_pages, "is not the beginning of a value" },
    { list_of_half_a_number, "has an impossible list of free pages" },
    { list_of_no_bytes, "has an impossible list of free pages" },
    { list_of_more_than_it_has, "has an impossible list of free pages" },
    { list_with_a_meta_page, "has an impossible list of free pages" },
    { list_beyond_all, "has an impossible list of free pages" },
    { list_out_of_order, "has an impossible list of free pages" },
    { list_with_a_page_in_use, "is in use, and also free" },
    { list_of_the_future, "has free pages of an impossible commit" },
    { list_of_no_commit, "has free pages of an impossible commit" },
    { list_that_is_a_tree, "has a tree among free pages" },
};

static void write_out(const char *path, const image *it) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0);
    CHECK_EQ(write(file, it->bytes, it->size), (ssize_t)it->size);
    close(file);
}

/* Walks all trees of a file that was opened without a look at its pages. */
static strata_status walk_all(const char *path, strata_error *error) {
    strata_config config = { .size = sizeof config, .path = path };
    strata_store *store;
    strata_bytes key, value;
    st_txn *snapshot;
    strata_status status = strata_store_open(&config, &store, error);
    if (status != STRATA_OK) return status;
    CHECK_EQ(st_snapshot_begin(store, &snapshot, NULL), STRATA_OK);
    for (int tree = 0; tree < ST_TREES && status == STRATA_OK; tree++) {
        st_cursor *cursor = NULL;
        volatile uint8_t seen = 0;
        status = st_cursor_open(snapshot, (st_tree)tree, &cursor, error);
        if (status == STRATA_OK) status = st_cursor_seek(cursor, bytes(NULL, 0), &key, &value, error);
        while (status == STRATA_OK) {
            if (value.size > 0) seen ^= ((const uint8_t *)value.data)[value.size - 1];
            status = st_cursor_next(cursor, &key, &value, error);
        }
        if (status == STRATA_NOT_FOUND) status = st_cursor_last(cursor, &key, &value, error);
        while (status == STRATA_OK) status = st_cursor_previous(cursor, &key, &value, error);
        if (status == STRATA_NOT_FOUND) status = STRATA_OK;
        st_cursor_close(cursor);
    }
    st_snapshot_end(snapshot);
    strata_store_close(store);
    return status;
}

/* Opens a file as usual and replaces or deletes what it has on pages of its own, until that is refused. */
static strata_status write_all(const char *path, strata_error *error) {
    strata_config config = { .size = sizeof config, .path = path };
    char key[16];
    strata_store *store;
    st_txn *txn;
    strata_status status = strata_store_open(&config, &store, error);
    if (status != STRATA_OK) return status;
    status = st_writer_begin(store, &txn, error);
    for (int i = 0; i < BLOBS && status == STRATA_OK; i++) {
        snprintf(key, sizeof key, "%08d", i);
        if (i % 2 == 0) status = st_tree_put(txn, ST_BLOBS, text(key), bytes("short", 6), error);
        else status = st_tree_delete(txn, ST_BLOBS, text(key), error);
        if (status == STRATA_NOT_FOUND) status = STRATA_OK;
    }
    if (status == STRATA_OK) status = st_writer_commit(txn, error);
    else if (txn != NULL) st_writer_abort(txn);
    strata_store_close(store);
    return status;
}

/* What would lead a walk astray is noticed by it, in the same words. */
static const char *const noticed[] = {
    "is not a page of a tree", "has the number of another", "is of no known kind", "has impossible bounds",
    "has an impossible entry", "is at the wrong depth of its tree", "cannot be the root of a tree of a store",
};

static bool is_noticed(const char *words) {
    for (size_t i = 0; i < sizeof noticed / sizeof noticed[0]; i++)
        if (strstr(words, noticed[i]) != NULL) return true;
    return false;
}

static void check_words(int rule, const char *words, bool expected, strata_status status, const strata_error *error) {
    char text[800];
    if (status == STRATA_CORRUPT && (!expected || strstr(error->message, words) != NULL)) return;
    if (status == STRATA_OK && !expected) return;
    snprintf(text, sizeof text, "rule %d: %s: \"%s\" should say \"%s\"", rule, strata_status_name(status),
             status < 0 ? error->message : "", words);
    ctest_fail(__FILE__, __LINE__, text);
}

/* Nothing was written to the file. */
static void check_unchanged(const char *path, const image *expected) {
    image it = load(path);
    CHECK(it.size == expected->size && memcmp(it.bytes, expected->bytes, it.size) == 0);
    free(it.bytes);
}

void test_pages_follow_every_rule(void) {
    enum { RULES = (int)(sizeof rules / sizeof rules[0]) };
    const char *path = ctest_path("broken.strata");
    make_file(ctest_path("sound.strata"));
    image sound = load(ctest_path("sound.strata")), broken = sound;
    write_out(path, &sound);
    strata_error error;
    CHECK_EQ(open_status(path, STRATA_OPEN_CHECK_PAGES, &error), STRATA_OK);
    broken.bytes = malloc(sound.size);
    CHECK(broken.bytes != NULL);
    for (int i = 0; i < RULES; i++) {
        memcpy(broken.bytes, sound.bytes, sound.size);
        broken.size = sound.size;
        rules[i].broken(&broken);
        write_out(path, &broken);
        strata_status status = open_status(path, STRATA_OPEN_CHECK_PAGES, &error);
        check_words(i, rules[i].words, true, status, &error);
        status = walk_all(path, &error);
        check_words(i, rules[i].words, is_noticed(rules[i].words), status, &error);
        write_out(path, &broken);
        status = write_all(path, &error);
        if (status != STRATA_OK) check_unchanged(path, &broken);
        /* How many pages all values have is not known before the first page of each was read; LMDB only counts on. */
        check_words(i, rules[i].words, rules[i].broken != big_pages_miscounted, status, &error);
    }
    free(broken.bytes);
    free(sound.bytes);
}

/* A transaction that puts a shorter value in place of its own keeps the pages of that. */
void test_pages_of_a_value_that_shrank(void) {
    static char large[30000];
    st_txn *txn;
    strata_error error;
    strata_store *store = must_open(ctest_path("a.strata"));
    CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_BLOBS, text("shrinks."), bytes(large, sizeof large), NULL), STRATA_OK);
    CHECK_EQ(st_tree_put(txn, ST_BLOBS, text("shrinks."), bytes(large, sizeof large / 3), NULL), STRATA_OK);
    CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    strata_store_close(store);
    CHECK_EQ(open_status(ctest_path("a.strata"), STRATA_OPEN_CHECK_PAGES, &error), STRATA_OK);
}

/* Moves the only leaf of the main tree behind all pages, with an empty key whose entry ends with it. */
static void empty_key_at_the_end(image *it) {
    uint8_t *page = it->bytes + it->size;
    uint64_t number = it->size / it->page_size;
    memcpy(page, root_of(it, meta(it) + MAIN_TREE), it->page_size);
    CHECK(!is_branch(page) && get(meta(it) + LAST_PAGE, 8) < number);
    size_t upper = get(page + UPPER, 2);
    memmove(page + upper - KEY, page + upper, it->page_size - upper);
    memset(page + it->page_size - KEY, 0, KEY);
    for (unsigned i = 0; i < nodes(page); i++) raise(slot(page, i), (uint64_t)-KEY, 2);
    memmove(slot(page, 1), slot(page, 0), 2 * nodes(page));
    put(slot(page, 0), it->page_size - KEY, 2);
    raise(page + LOWER, 2, 2);
    raise(page + UPPER, (uint64_t)-KEY, 2);
    put(page, number, 8);
    put(meta(it) + MAIN_TREE + ROOT, number, 8);
    put(meta(it) + LAST_PAGE, number, 8);
    it->size += it->page_size;
}

void test_pages_that_end_with_an_empty_key(void) {
    strata_error error;
    strata_store_close(must_open(ctest_path("a.strata")));
    image it = load(ctest_path("a.strata"));
    empty_key_at_the_end(&it);
    write_out(ctest_path("b.strata"), &it);
    free(it.bytes);
    CHECK_EQ(walk_all(ctest_path("b.strata"), &error), STRATA_CORRUPT);
    CHECK(strstr(error.message, "has a key of an impossible size") != NULL);
}
