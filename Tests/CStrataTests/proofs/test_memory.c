/* SPDX-License-Identifier: MIT
 * test_memory.c -- allocation number N fails, for every N: nothing is lost, leaked, or committed by halves. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "strata_prepared.h"
#include "support/faults.h"
#include "support/strata_support.h"

enum { OWNER, ITEM };
enum { NAME, NUMBER, DATA, NEXT, ITEMS, LATER };
enum { MANY = 5000 };

static strata_status change_schema(fixture *f, uint64_t version) {
    strata_column_spec owner[] = { column("name", STRATA_STRING, version == 0 ? STRATA_COLUMN_PRIMARY : 0),
                                   column("number", STRATA_INT, STRATA_COLUMN_INDEXED | STRATA_COLUMN_NULLABLE),
                                   column("data", STRATA_DATA, 0), link_to("next", "Owner"), list_of("items", "Item"),
                                   column("later", STRATA_STRING, STRATA_COLUMN_INDEXED) };
    strata_column_spec item[] = { column("number", STRATA_INT, version == 0 ? 0 : STRATA_COLUMN_PRIMARY) };
    if (version == 1) owner[DATA].name = owner[ITEMS].name = "new", owner[ITEMS] = owner[LATER];
    /* One compound index stays, one goes, one comes. */
    const char *const stays[] = { "number", "name" }, *const comes[] = { "next", "name", "number" };
    const char *const goes[] = { "next", "number", "name" };
    strata_index_spec indexes[] = { { 2, stays }, { 3, version == 0 ? goes : comes } };
    strata_table_spec tables[] = { { "Owner", 0, version == 0 ? 5 : 4, owner, indexes, 2 }, { "Item", 0, 1, item } };
    return apply(f, version, tables, 2);
}

#define STEP(call) \
    if (status >= 0) status = (call)

static strata_status fill(fixture *f, const uint8_t *text) {
    strata_status status = STRATA_OK;
    uint64_t owner = 0, key = 0;
    static uint64_t many[MANY];
    for (int i = 0; i < 12; i++) {
        strata_value number = strata_int(i);
        STEP(strata_object_create(f->view, ITEM, &number, 1, &key, &f->error));
    }
    for (size_t i = 0; i < 12; i++) {
        strata_value values[] = { strata_string((const char *)text + i, 3 + i * 110),
                                  i % 3 == 0 ? strata_null() : strata_int((int64_t)i),
                                  strata_data(text, i % 4 == 1 ? 3000 : 20), strata_link(owner) };
        STEP(strata_object_create(f->view, OWNER, values, 4, &owner, &f->error));
        strata_row row;
        STEP(strata_row_bind(f->view, OWNER, owner, &row, &f->error));
        for (uint64_t k = 0; k < MANY; k++) many[k] = 1 + (k * 5 + i) % 12;
        STEP(insert_keys(&row, ITEMS, 0, many, i == 5 ? MANY : 3, &f->error));
        STEP(insert_keys(&row, ITEMS, 1, many, 1, &f->error));
    }
    return status;
}

/* Counts by a prepared query, also what is pending. */
static strata_status count_prepared(fixture *f, uint64_t *out) {
    strata_step path = strata_step_column(NEXT);
    strata_node node = { .op = STRATA_EQUAL, .options = STRATA_PARAMETERS, .left = { .path = &path, .path_length = 1 },
                         .value_count = 1 };
    strata_query query = { .size = sizeof query, .table = OWNER, .nodes = &node, .node_count = 1 };
    strata_value one = strata_link(1);
    strata_prepared *prepared;
    strata_status status = strata_query_prepare(f->view, &query, &prepared, &f->error);
    STEP(strata_prepared_count(prepared, f->view, &one, 1, out, NULL, &f->error));
    strata_prepared_free(prepared);
    return status;
}

/* Counts through a cache: as a plain query, as one that is prepared for it, and as that. */
static strata_status count_cached(fixture *f, uint64_t *out) {
    strata_step path = strata_step_column(NEXT);
    strata_value one = strata_link(1);
    strata_node node = { .op = STRATA_EQUAL, .left = { .path = &path, .path_length = 1 }, .value_count = 1,
                         .values = &one };
    strata_query query = { .size = sizeof query, .table = OWNER, .nodes = &node, .node_count = 1 };
    strata_query_cache *cache;
    strata_status status = strata_query_cache_make(&cache, &f->error);
    for (int i = 0; i < 3; i++) STEP(strata_query_cache_count(cache, f->view, &query, out, NULL, &f->error));
    strata_query_cache_free(cache);
    return status;
}

static strata_status edit(fixture *f, const uint8_t *text) {
    strata_status status = STRATA_OK;
    strata_row row;
    strata_cursor *cursor = NULL;
    uint64_t out;
    STEP(strata_row_bind(f->view, OWNER, 6, &row, &f->error));
    STEP(strata_collection_remove(&row, ITEMS, 10, 4000, &f->error));
    STEP(set_key(&row, ITEMS, 7, 3, &f->error));
    for (uint64_t key = 1; key <= 9; key++) {
        strata_value data = strata_data(text, key % 2 == 0 ? 2000 + key : key * 30), link = strata_link(1);
        STEP(strata_row_bind(f->view, OWNER, key, &row, &f->error));
        STEP(strata_row_set(&row, DATA, &data, &f->error));
        STEP(strata_row_set(&row, NEXT, &link, &f->error));
    }
    STEP(strata_scan(f->view, OWNER, true, &cursor, &f->error));
    STEP(strata_cursor_next(cursor, &row, &f->error));
    strata_cursor_close(cursor);
    STEP(strata_object_unlink(f->view, ITEM, 4, &f->error));
    STEP(strata_object_delete(f->view, ITEM, 4, &f->error));
    STEP(strata_object_unlink(f->view, OWNER, 2, &f->error));
    STEP(strata_object_delete(f->view, OWNER, 2, &f->error));
    STEP(strata_backlinks_count(f->view, OWNER, 1, OWNER, NEXT, &out, &f->error));
    STEP(count_prepared(f, &out));
    STEP(count_cached(f, &out));
    return status;
}

/* Ends a write: what succeeded is committed, and so is, if the store lets it, what did not. */
static strata_status finish(fixture *f, strata_status status, bool stubborn) {
    if (status < 0 && !stubborn) {
        strata_view_cancel(f->view);
        return status;
    }
    strata_status committed = strata_view_commit(f->view, &f->error);
    return status < 0 ? status : committed;
}

/* Asks what a migration to unique numbers and embedded items would fail for, and leaves it. */
static strata_status check_migration(fixture *f) {
    strata_column_spec owner[] = { column("name", STRATA_STRING, 0), list_of("items", "Item"),
                                   column("number", STRATA_INT, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_PRIMARY) };
    strata_column_spec item[] = { column("number", STRATA_INT, 0) };
    strata_table_spec tables[] = { { "Owner", 0, 3, owner }, { "Item", STRATA_TABLE_EMBEDDED, 1, item } };
    strata_migration_failures found[2];
    strata_status status = strata_migration_begin(f->view, tables, 2, 1, &f->error);
    for (uint32_t t = 0; t < 2; t++) STEP(strata_migration_check(f->view, tables, 2, t, &found[t], &f->error));
    CHECK(status < 0 || (found[OWNER].duplicates.count > 0 && found[ITEM].unowned.count > 0));
    strata_view_cancel(f->view);
    return status;
}

/* The tables of a schema of the history, as text. The view shows nothing if memory ran out as a write ended. */
static strata_status read_history(fixture *f, uint32_t position, const char *expected) {
    strata_declaration *declaration = NULL;
    char text[2000];
    strata_status status = strata_view_refresh(f->view, NULL, &f->error);
    STEP(strata_declaration_read_history(f->view, position, &declaration, &f->error));
    CHECK((status == STRATA_OK) == (declaration != NULL));
    if (status == STRATA_OK) strata_declaration_print(declaration, text, sizeof text);
    CHECK(status != STRATA_OK || strstr(text, expected) != NULL);
    strata_declaration_free(declaration);
    return status;
}

static strata_status run(fixture *f, const uint8_t *text, bool stubborn) {
    strata_status status = change_schema(f, 0);
    STEP(strata_view_begin(f->view, &f->error));
    if (status >= 0) status = finish(f, fill(f, text), stubborn);
    STEP(strata_view_begin(f->view, &f->error));
    if (status >= 0) status = finish(f, edit(f, text), stubborn);
    STEP(check_migration(f));
    STEP(change_schema(f, 1));
    STEP(read_history(f, 0, "name: string primary"));
    STEP(read_history(f, 1, "new: data"));
    STEP(strata_view_begin(f->view, &f->error));
    uint32_t both[] = { OWNER, ITEM };
    if (status >= 0) status = finish(f, strata_tables_clear(f->view, both, 1, &f->error), stubborn);
    return status;
}

/* Runs everything with allocation `n` failing, and those behind it if `rest`. False if there were fewer than `n`. */
static bool run_short_of_memory(const uint8_t *text, unsigned n, bool rest) {
    const char *path = ctest_path("memory"), *lock = ctest_path("memory-lock");
    bool on_disk = n % 40 == 0;
    long before = fault_blocks();
    fixture *f = on_disk ? fixture_open("memory") : fixture_open_memory();
    fault_set(FAULT_ALLOCATION, n, rest ? UINT_MAX : 1, ENOMEM);
    strata_status status = run(f, text, n % 2 == 0);
    bool met = fault_clear();
    CHECK_EQ(status, met && status < 0 ? STRATA_NO_MEMORY : STRATA_OK);
    CHECK(!strata_view_is_writing(f->view));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    verify(f);
    if (on_disk) {
        fixture_close(f);
        f = fixture_open("memory");
        verify(f);
    }
    uint32_t tables[] = { OWNER, ITEM };
    if (strata_table_count(f->view) == 2) { /* nothing was left behind that belongs to nobody */
        MUST(strata_view_begin(f->view, &f->error));
        MUST(strata_tables_clear(f->view, tables, 2, &f->error));
        MUST(strata_view_commit(f->view, &f->error));
        CHECK_EQ(tree_entries(f, ST_BLOBS), 0);
        CHECK_EQ(tree_entries(f, ST_COLLECTIONS), 0);
    }
    fixture_close(f);
    remove(path);
    remove(lock);
    CHECK_EQ(fault_blocks(), before);
    return met;
}

/* Freezes what a view shows, outside of a write or in one, opens a view on that and reads through it. */
static strata_status freeze(fixture *f, bool writing) {
    strata_view *frozen = NULL, *own = NULL;
    strata_row row;
    strata_value value;
    uint64_t size = 0;
    strata_status status = STRATA_OK;
    if (writing) STEP(strata_view_begin(f->view, &f->error));
    STEP(strata_view_freeze(f->view, &frozen, &f->error));
    STEP(strata_view_open_frozen(frozen, &own, &f->error));
    STEP(strata_row_bind(own, OWNER, 1, &row, &f->error));
    STEP(strata_row_get(&row, NUMBER, &value, &f->error));
    STEP(strata_collection_size(&row, ITEMS, &size, &f->error));
    CHECK(status < 0 || size == 4);
    CHECK(frozen != NULL || own == NULL);
    strata_view_close(frozen);
    strata_view_close(own);
    strata_view_cancel(f->view);
    return status;
}

static bool freeze_short_of_memory(fixture *f, unsigned n, bool rest, bool writing) {
    uint32_t snapshots;
    fault_set(FAULT_ALLOCATION, n, rest ? UINT_MAX : 1, ENOMEM);
    strata_status status = freeze(f, writing);
    bool met = fault_clear();
    CHECK_EQ(status, met && status < 0 ? STRATA_NO_MEMORY : STRATA_OK);
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    MUST(strata_store_get_snapshots(f->store, NULL, 0, &snapshots, &f->error));
    CHECK_EQ(snapshots, 1);
    return met;
}

void test_memory_runs_out_while_freezing(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    uint8_t *text = pattern(6000, 4);
    for (int kind = 0; kind < 4; kind++) {
        fixture *f = fixture_open("frozen");
        MUST(change_schema(f, 0));
        MUST(strata_view_begin(f->view, &f->error));
        MUST(finish(f, fill(f, text), false));
        unsigned n = 1;
        while (freeze_short_of_memory(f, n, kind % 2 != 0, kind / 2 != 0)) n++;
        CHECK(n > 3);
        MUST(freeze(f, kind / 2 != 0));
        verify(f);
        fixture_close(f);
        CHECK_EQ(remove(ctest_path("frozen")), 0);
        CHECK_EQ(remove(ctest_path("frozen-lock")), 0);
    }
    free(text);
}

void test_memory_runs_out_at_every_allocation(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    uint8_t *text = pattern(6000, 4);
    for (int rest = 0; rest < 2; rest++) {
        unsigned n = 1;
        while (run_short_of_memory(text, n, rest)) n++;
        CHECK(n > 300);
    }
    free(text);
}
