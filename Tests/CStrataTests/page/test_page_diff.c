/* SPDX-License-Identifier: MIT
 *
 * test_page_diff.c -- the pages that a commit has and the one before it had not. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>

#include "page/page_diff.h"
#include "store/state.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/store_support.h"

enum { MOST = 1 << 16, KEYS = 3000 };

static st_page_file commit_of(const strata_store *store, uint64_t number) {
    st_page_file file = { .descriptor = store->file, .path = store->path, .map = store->map,
                          .map_pages = store->map_size / store->page_size, .page_size = store->page_size };
    CHECK_EQ(st_page_file_see(&file, number, NULL), STRATA_OK);
    st_page_file_see_free(&file);
    return file;
}

/* What is marked of a page that holds a tree, or more than one page of a value; of another value it is the bytes that
 * the page uses. */
enum { MARKED = 1 };

/* Marks every page of a tree, and of the trees in it. */
static void mark(const st_page_file *file, uint64_t number, uint32_t *used) {
    st_page page;
    st_page_node node;
    if (number == ST_NO_PAGE) return;
    CHECK(st_page_open(file->map + number * file->page_size, number, file->page_size, &page) == NULL);
    used[number] = MARKED;
    for (uint32_t i = 0; i < page.nodes; i++) {
        CHECK(st_page_node_read(&page, i, &node));
        if (!page.leaf) {
            mark(file, node.child, used);
        } else if ((node.flags & ST_NODE_TREE) != 0) {
            st_page_tree tree;
            st_page_tree_read(node.value, &tree);
            mark(file, tree.root, used);
        } else if ((node.flags & ST_NODE_BIG) != 0) {
            uint64_t first = strata_load64(node.value), count = st_page_count(file, node.value_size);
            for (uint64_t k = 0; k < count; k++)
                used[first + k] = count == 1 ? ST_PAGE_HEADER + node.value_size : MARKED;
        }
    }
}

static void mark_all(const st_page_file *file, uint32_t *used) {
    CHECK(file->last < MOST);
    memset(used, 0, MOST * sizeof *used);
    mark(file, file->free_tree.root, used);
    mark(file, file->main_tree.root, used);
}

static uint64_t values, values_with_base; /* that have one page, of all that were compared */

/* The base is a page of the commit before, of a value if it is that of one. */
static void check_base(const st_page_run *run, const uint32_t *old, const uint32_t *fresh) {
    CHECK_EQ(run->used, fresh[run->number] == MARKED ? 0 : fresh[run->number]);
    CHECK(run->base == 0 || (run->count == 1 && old[run->base] != 0));
    CHECK_EQ(run->base_used, run->base == 0 || old[run->base] == MARKED ? 0 : old[run->base]);
    if (run->base != 0) CHECK_EQ(run->base_used != 0, run->used != 0);
    values += run->used != 0;
    values_with_base += run->used != 0 && run->base != 0;
}

/* Compares with what a walk through both commits says. Returns how many pages there are. */
static uint64_t check_newest(const strata_store *store) {
    static uint32_t old[MOST], fresh[MOST];
    static uint8_t found[MOST];
    uint64_t number = store->committed;
    st_page_file before = commit_of(store, number - 1), after = commit_of(store, number);
    st_page_runs runs = { 0 };
    mark_all(&before, old);
    mark_all(&after, fresh);
    memset(found, 0, sizeof found);
    CHECK_EQ(st_page_diff(&before, &after, MOST, &runs, NULL), STRATA_OK);
    uint64_t pages = 0;
    for (size_t i = 0; i < runs.count; i++) {
        check_base(&runs.all[i], old, fresh);
        for (uint64_t page = runs.all[i].number; page < runs.all[i].number + runs.all[i].count; page++, pages++) {
            CHECK(found[page] == 0); /* each once */
            found[page] = 1;
        }
    }
    for (uint64_t page = 0; page < MOST; page++) CHECK_EQ(found[page], fresh[page] != 0 && old[page] == 0);
    CHECK_EQ(runs.pages, pages);
    if (pages > 3) {
        runs.count = runs.pages = 0;
        CHECK_EQ(st_page_diff(&before, &after, 2, &runs, NULL), STRATA_OK);
        CHECK(runs.pages > 2); /* it ended early */
    }
    free(runs.all);
    return pages;
}

static void change(st_txn *txn, uint64_t *random) {
    static uint8_t value[9000];
    static const st_tree trees[] = { ST_ROWS, ST_INDEX, ST_META };
    char key[24];
    st_tree tree = trees[ctest_random(random) % 3];
    size_t size = ctest_random(random) % 20 == 0 ? ctest_random(random) % sizeof value : 1 + ctest_random(random) % 60;
    snprintf(key, sizeof key, "%ckey %05u", tree == ST_META ? 0 : 'a', (unsigned)(ctest_random(random) % KEYS));
    memset(value, (int)ctest_random(random), size);
    strata_bytes name = bytes(key, 10);
    if (ctest_random(random) % 3 == 0) (void)st_tree_delete(txn, tree, name, NULL);
    else CHECK_EQ(st_tree_put(txn, tree, name, bytes(value, size), NULL), STRATA_OK);
}

static void delete_all(st_txn *txn, st_tree tree) {
    strata_bytes key, value;
    while (st_tree_seek(txn, tree, text(""), &key, &value, NULL) == STRATA_OK) {
        char copy[400];
        memcpy(copy, key.data, key.size);
        CHECK_EQ(st_tree_delete(txn, tree, bytes(copy, key.size), NULL), STRATA_OK);
    }
}

void test_page_diff_against_a_walk(void) {
    static const uint64_t sizes[] = { 1, 1, 1, 3, 30, 400, 5000 };
    uint64_t random = ctest_seed(), least = UINT64_MAX, most = 0;
    strata_store *store = must_open(ctest_path("a.strata"));
    for (uint64_t round = 0; round < ctest_rounds(120); round++) {
        st_txn *txn;
        CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
        uint64_t changes = sizes[ctest_random(&random) % 7];
        if (round % 40 == 39) delete_all(txn, ST_ROWS); /* the tree becomes empty, and then low again */
        else
            for (uint64_t i = 0; i < changes; i++) change(txn, &random);
        CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
        if (store->committed < 4) continue;
        uint64_t pages = check_newest(store);
        if (pages < least) least = pages;
        if (pages > most) most = pages;
    }
    CHECK(least < 20 && most > 100);
    CHECK(values_with_base > 0 && values_with_base <= values); /* most values here replace one that is gone */
    strata_store_close(store);
}

/* A page that is not one is noticed, wherever it is. */
void test_page_diff_survives_damage(void) {
    uint64_t random = ctest_seed(), refused = 0;
    strata_store *store = must_open(ctest_path("a.strata"));
    st_txn *txn;
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(st_writer_begin(store, &txn, NULL), STRATA_OK);
        for (int k = 0; k < 300; k++) change(txn, &random);
        CHECK_EQ(st_writer_commit(txn, NULL), STRATA_OK);
    }
    st_page_file before = commit_of(store, store->committed - 1), after = commit_of(store, store->committed);
    size_t size = (after.last + 1) * after.page_size;
    uint8_t *copy = malloc(size);
    CHECK(copy != NULL);
    before.map_pages = after.map_pages = before.pages = after.pages = after.last + 1;
    for (uint64_t round = 0; round < ctest_rounds(2000); round++) {
        st_page_runs runs = { 0 };
        strata_error error;
        memcpy(copy, store->map, size);
        for (int i = 0; i < 4; i++) {
            size_t page = 2 + ctest_random(&random) % (after.last - 1), at = page * after.page_size;
            copy[at + ctest_random(&random) % (i == 0 ? 16 : after.page_size)] = (uint8_t)ctest_random(&random);
        }
        before.map = after.map = copy;
        strata_status status = st_page_diff(&before, &after, 1 << 20, &runs, &error);
        CHECK(status == STRATA_OK || (status == STRATA_CORRUPT && strstr(error.message, "is damaged") != NULL));
        refused += status == STRATA_CORRUPT;
        free(runs.all);
    }
    CHECK(refused > 0);
    free(copy);
    strata_store_close(store);
}
