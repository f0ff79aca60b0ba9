/* SPDX-License-Identifier: MIT
 * test_memory_collection.c -- allocation number N fails, for every N, while collections are read and changed. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "support/faults.h"
#include "support/strata_support.h"

enum { OWNER, TARGET };
enum { INTS, NAMES, TAGS, SCORES, FRIENDS, COLUMNS };
enum { MANY = 3000, LARGE = 2000 };

#define STEP(call) \
    if (status >= 0) status = (call)

static strata_value numbers[MANY], texts[MANY], links[MANY];
static strata_bytes keys[MANY];

static void make_values(const uint8_t *text) {
    static char names[MANY][12];
    for (int i = 0; i < MANY; i++) {
        int size = snprintf(names[i], sizeof names[i], "%d", i * 7919 % MANY);
        numbers[i] = strata_int(i * 1000);
        keys[i] = (strata_bytes){ names[i], (size_t)size };
        texts[i] = i % 1000 == 3 ? strata_string((const char *)text, LARGE) : strata_string(names[i], (size_t)size);
        links[i] = strata_link(1 + (uint64_t)i % 2);
    }
}

static strata_status make_schema(fixture *f) {
    const strata_column_spec owner[COLUMNS] = { { "ints", STRATA_INT, STRATA_LIST, 0, NULL },
                                                { "names", STRATA_STRING, STRATA_LIST, 0, NULL },
                                                { "tags", STRATA_STRING, STRATA_SET, 0, NULL },
                                                { "scores", STRATA_INT, STRATA_MAP, 0, NULL },
                                                { "friends", STRATA_LINK, STRATA_MAP, 0, "Target" } };
    const strata_column_spec number = column("number", STRATA_INT, 0);
    const strata_table_spec tables[] = { { "Owner", 0, COLUMNS, owner }, { "Target", 0, 1, &number } };
    return apply(f, 0, tables, 2);
}

static strata_status fill(fixture *f) {
    strata_status status = STRATA_OK;
    strata_row row;
    uint64_t key = 0, inserted;
    for (int i = 0; i < 2; i++) STEP(strata_object_create(f->view, TARGET, numbers, 1, &key, &f->error));
    STEP(strata_object_create(f->view, OWNER, NULL, 0, &key, &f->error));
    STEP(strata_row_bind(f->view, OWNER, key, &row, &f->error));
    STEP(strata_list_insert(&row, INTS, 0, numbers, MANY, &f->error));
    STEP(strata_list_insert(&row, NAMES, 0, texts, MANY, &f->error));
    STEP(strata_set_insert_all(&row, TAGS, texts, MANY / 2, &inserted, &f->error));
    STEP(strata_map_set_all(&row, SCORES, keys, numbers, MANY / 2, &f->error));
    STEP(strata_map_set_all(&row, FRIENDS, keys, links, MANY / 2, &f->error));
    return status;
}

static strata_status edit(fixture *f) {
    strata_status status = STRATA_OK;
    strata_row row;
    strata_value out;
    uint64_t inserted;
    STEP(strata_row_bind(f->view, OWNER, 1, &row, &f->error));
    for (uint64_t i = 0; i < 5; i++) {
        STEP(strata_collection_get(&row, INTS, i * 500, 1, &out, &f->error));
        STEP(strata_list_insert(&row, INTS, i * 500, numbers, 1 + i * 300, &f->error));
        STEP(strata_list_set(&row, NAMES, i * 500, &texts[3], &f->error));
        STEP(strata_collection_remove(&row, NAMES, i * 100, 50 * i, &f->error));
    }
    STEP(strata_set_insert_all(&row, TAGS, texts + 1000, MANY - 1000, &inserted, &f->error));
    STEP(strata_map_set_all(&row, SCORES, keys, numbers, MANY, &f->error));
    STEP(strata_collection_get(&row, INTS, 777, 1, &out, &f->error));
    STEP(strata_object_unlink(f->view, TARGET, 1, &f->error));
    STEP(strata_object_delete(f->view, TARGET, 1, &f->error));
    return status;
}

static strata_status finish(fixture *f, strata_status status, bool stubborn) {
    if (status < 0 && !stubborn) {
        strata_view_cancel(f->view);
        return status;
    }
    strata_status committed = strata_view_commit(f->view, &f->error);
    return status < 0 ? status : committed;
}

/* Runs everything with allocation `n` failing, and those behind it if `rest`. False if there were fewer than `n`. */
static bool run_short_of_memory(unsigned n, bool rest) {
    long before = fault_blocks();
    strata_verify_report report;
    fixture *f = fixture_open_memory();
    MUST(make_schema(f));
    fault_set(FAULT_ALLOCATION, n, rest ? UINT_MAX : 1, ENOMEM);
    strata_status status = strata_view_begin(f->view, &f->error);
    if (status >= 0) status = finish(f, fill(f), n % 2 == 0);
    STEP(strata_view_begin(f->view, &f->error));
    if (status >= 0) status = finish(f, edit(f), n % 2 == 0);
    STEP(strata_verify(f->view, &report, &f->error));
    bool met = fault_clear();
    CHECK(status == STRATA_OK || (met && status == STRATA_NO_MEMORY));
    CHECK(!strata_view_is_writing(f->view));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    verify(f); /* nothing was left behind that belongs to nobody */
    fixture_close(f);
    CHECK_EQ(fault_blocks(), before);
    return met;
}

void test_memory_runs_out_in_collections(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    uint8_t *text = pattern(LARGE, 4);
    make_values(text);
    (void)ctest_path("memory"); /* takes memory the first time */
    for (int rest = 0; rest < 2; rest++) {
        unsigned n = 1;
        while (run_short_of_memory(n, rest)) n++;
        CHECK(n > 100);
    }
    free(text);
}
