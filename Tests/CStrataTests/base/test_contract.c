/* SPDX-License-Identifier: MIT
 * test_contract.c -- programs that were built with other headers, and what every function says when it fails. */
#include <stdio.h>
#include <unistd.h>

#include "strata_decimal.h"
#include "strata_mixed.h"
#include "strata_predicate.h"
#include "support/strata_support.h"

/* ---- Other headers ---------------------------------------------------- */

void test_contract_other_abi(void) {
    strata_config config = strata_config_blank();
    config.memory_name = ctest_path("memory");
    strata_store *store;
    strata_error error;
    CHECK_EQ(strata_store_open_as(STRATA_ABI + 1, STRATA_BLOCK_FORMAT, &config, &store, &error), STRATA_OTHER_ABI);
    CHECK(store == NULL);
    CHECK_TEXT(error.message, "opening a store: the program was built with headers of ABI 2, and version 0.1.0 of the "
                              "library has ABI 1; build it again with the headers of this library");
    CHECK_EQ(strata_store_open_as(STRATA_ABI, STRATA_BLOCK_FORMAT + 1, &config, &store, &error), STRATA_OTHER_ABI);
    CHECK_TEXT(error.message, "opening a store: the program was built to read blocks of format 3, and version 0.1.0 of "
                              "the library writes format 2; build it again with the headers of this library");
    CHECK_EQ(strata_store_open_as(STRATA_ABI, STRATA_BLOCK_FORMAT, &config, &store, &error), STRATA_OK);
    strata_store_close(store);
}

/* A struct of newer headers: as it is, with more behind it. */
#define NEWER(type) struct { type known; uint64_t more; }

void test_contract_config_of_other_headers(void) {
    NEWER(strata_config) newer = { strata_config_blank(), 0 };
    strata_store *store;
    strata_error error;
    newer.known.size = sizeof newer;
    newer.known.memory_name = ctest_path("memory");
    CHECK_EQ(strata_store_open(&newer.known, &store, &error), STRATA_OK);
    strata_store_close(store);
    newer.more = 1;
    CHECK_EQ(strata_store_open(&newer.known, &store, &error), STRATA_MISUSE);
    CHECK(strstr(error.message, "strata_config has a field that version") != NULL);
    strata_config older = { .size = offsetof(strata_config, map_size), .memory_name = ctest_path("memory"),
                            .durability = (strata_durability)77 /* not there for the library */ };
    CHECK_EQ(strata_store_open(&older, &store, &error), STRATA_OK);
    strata_store_close(store);
}

enum { POISON = 0xA5 };

/* Gives a function smaller and larger room than it knows: it fills what there is, and no more. */
#define CHECK_ROOM(type, call) \
    do { \
        uint8_t room_[sizeof(type) + 24]; \
        type whole_; \
        type *out = &whole_; \
        size_t size = sizeof whole_; \
        MUST(call); \
        for (size = 4; size <= sizeof room_ - 8; size += 4) { \
            memset(room_, POISON, sizeof room_); \
            out = (type *)(void *)room_; \
            MUST(call); \
            size_t known_ = size < sizeof whole_ ? size : sizeof whole_; \
            CHECK(memcmp(room_, &whole_, known_) == 0); \
            for (size_t i_ = known_; i_ < size; i_++) CHECK(room_[i_] == 0); \
            for (size_t i_ = size; i_ < sizeof room_; i_++) CHECK(room_[i_] == POISON); \
        } \
    } while (0)

static void make_things(fixture *f) {
    static const char *const names[] = { "id", "name" };
    strata_column_spec columns[] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("name", STRATA_STRING, 0),
                                     link_to("friend", "Thing"), list_of("friends", "Thing"),
                                     column("any", STRATA_MIXED, STRATA_COLUMN_NULLABLE) };
    strata_index_spec index = { 2, names };
    strata_table_spec table = { .name = "Thing", .column_count = 5, .columns = columns, .indexes = &index,
                                .index_count = 1 };
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t first = ADD(0, strata_int(1), value_of("one"));
    ADD(0, strata_int(2), value_of("two"), strata_link(first));
    MUST(strata_view_commit(f->view, &f->error));
}

void test_contract_results_for_other_headers(void) {
    fixture *f = fixture_open_memory();
    make_things(f);
    strata_keys keys = { NULL, 0 };
    strata_groups groups = { 0 };
    strata_query query = strata_query_blank();
    strata_measure count = { .aggregate = STRATA_COUNT };
    uint64_t number;
    CHECK_ROOM(strata_table_info, strata_table_get_sized(f->view, 0, out, size));
    CHECK_ROOM(strata_column_info, strata_column_get_sized(f->view, 0, 1, out, size));
    CHECK_ROOM(strata_index_info, strata_index_get_sized(f->view, 0, 0, out, size));
    CHECK_ROOM(strata_verify_report, strata_verify_sized(f->view, NULL, NULL, out, size, &f->error));
    CHECK_ROOM(strata_query_stats, strata_query_count_sized(f->view, &query, &number, out, size, &f->error));
    CHECK_ROOM(strata_query_stats, (strata_keys_free(&keys), STRATA_OK) +
               strata_query_run_sized(f->view, &query, &keys, out, size, &f->error));
    strata_keys_free(&keys);
    CHECK_ROOM(strata_query_stats, (strata_groups_free(&groups), STRATA_OK) +
               strata_query_group_sized(f->view, &query, NULL, 0, &count, 1, &groups, out, size, &f->error));
    strata_groups_free(&groups);
    fixture_close(f);
}

void test_contract_stats_of_other_headers(void) {
    fixture *f = fixture_open_memory();
    NEWER(strata_store_stats) newer = { strata_store_stats_blank(), 7 };
    newer.known.size = sizeof newer;
    MUST(strata_store_get_stats(f->store, &newer.known, &f->error));
    CHECK(newer.known.file_size != 0 && newer.known.size == sizeof newer && newer.more == 0);
    strata_store_stats older = { .size = offsetof(strata_store_stats, snapshots), .max_snapshots = 77 };
    MUST(strata_store_get_stats(f->store, &older, &f->error));
    CHECK(older.file_size != 0 && older.max_snapshots == 77);
    NEWER(strata_snapshot) snapshots[2];
    uint32_t count;
    MUST(strata_store_get_snapshots_sized(f->store, sizeof *snapshots, &snapshots[0].known, 2, &count, &f->error));
    CHECK(count == 1 && snapshots[0].known.process == getpid() && snapshots[0].more == 0);
    fixture_close(f);
}

void test_contract_queries_of_other_headers(void) {
    fixture *f = fixture_open_memory();
    make_things(f);
    NEWER(strata_query) newer = { strata_query_blank(), 0 };
    uint64_t count;
    newer.known.size = sizeof newer;
    MUST(strata_query_count(f->view, &newer.known, &count, NULL, &f->error));
    CHECK_EQ(count, 2);
    newer.more = 1;
    REFUSED(strata_query_count(f->view, &newer.known, &count, NULL, &f->error), STRATA_MISUSE,
            "strata_query has a field that version 0.1.0");
    newer.known.size = offsetof(strata_query, after);
    newer.known.after = (const strata_bookmark *)&newer; /* not there for the library */
    MUST(strata_query_count(f->view, &newer.known, &count, NULL, &f->error));
    newer.known.size = 8;
    REFUSED(strata_query_count(f->view, &newer.known, &count, NULL, &f->error), STRATA_MISUSE,
            "strata_query.size is 8");
    fixture_close(f);
}

void test_contract_schema_of_other_headers(void) {
    fixture *f = fixture_open_memory();
    static const char *const names[] = { "a", "b" };
    NEWER(strata_column_spec) columns[2] = { { column("a", STRATA_INT, 0), 0 }, { column("b", STRATA_STRING, 0), 0 } };
    NEWER(strata_index_spec) indexes[2] = { { { 2, names }, 0 } };
    NEWER(strata_table_spec) tables[2] = {
        { { .name = "T", .column_count = 2, .columns = &columns[0].known, .indexes = &indexes[0].known,
            .index_count = 1 }, 0 },
        { { .name = "U", .column_count = 1, .columns = &columns[1].known }, 0 },
    };
    strata_spec_sizes sizes = { sizeof tables[0], sizeof columns[0], sizeof indexes[0] };
    MUST(strata_schema_apply_sized(f->view, &tables[0].known, 2, 1, &sizes, &f->error));
    uint32_t number;
    strata_index_info info;
    CHECK_EQ(strata_table_find(f->view, "U", &number), STRATA_OK);
    CHECK_EQ(strata_column_find(f->view, number, "b", &number), STRATA_OK);
    CHECK_EQ(strata_index_get(f->view, 0, 0, &info), STRATA_OK);
    CHECK_EQ(info.column_count, 2);
    uint64_t *more[] = { &tables[1].more, &columns[1].more, &indexes[0].more };
    for (int i = 0; i < 3; i++) {
        *more[i] = 1;
        REFUSED(strata_schema_apply_sized(f->view, &tables[0].known, 2, 1, &sizes, &f->error), STRATA_MISUSE,
                "what version 0.1.0 of the library does not know");
        *more[i] = 0;
    }
    sizes.column = 8;
    REFUSED(strata_schema_apply_sized(f->view, &tables[0].known, 2, 1, &sizes, &f->error), STRATA_MISUSE,
            "strata_spec_sizes");
    verify(f);
    fixture_close(f);
}

/* ---- Inline stores ---------------------------------------------------- */

static bool store_as(const strata_row *row, uint32_t column, int kind) {
    switch (kind) {
    case 0: return strata_row_store_bool(row, column, true);
    case 1: return strata_row_store_int(row, column, -7);
    case 2: return strata_row_store_float(row, column, -7);
    default: return strata_row_store_double(row, column, -7);
    }
}

/* Which of the four may store into a column of a type. */
static bool may_store(strata_type type, int kind) {
    static const strata_type kinds[] = { STRATA_BOOL, STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE };
    return type == kinds[kind] || (type == STRATA_DATE && kind == 3);
}

void test_contract_inline_stores_check_the_column(void) {
    enum { TYPES = STRATA_LINK, COLUMNS = 1 + 3 * TYPES };
    strata_column_spec columns[COLUMNS] = { column("id", STRATA_INT, STRATA_COLUMN_PRIMARY) };
    char names[COLUMNS][12];
    for (uint32_t c = 1; c < COLUMNS; c++) {
        strata_type type = (strata_type)(1 + (c - 1) % TYPES);
        uint32_t group = (c - 1) / TYPES; /* nullable, not nullable, lists */
        bool always = type == STRATA_MIXED || (type == STRATA_LINK && group != 2);
        snprintf(names[c], sizeof names[c], "c%u", (unsigned)c);
        columns[c] = column(names[c], type, (group == 0 && type != STRATA_LINK) || always ? STRATA_COLUMN_NULLABLE : 0);
        if (group == 2) columns[c].collection = STRATA_LIST;
        if (type == STRATA_LINK) columns[c].target = "T";
    }
    strata_table_spec table = { .name = "T", .column_count = COLUMNS, .columns = columns };
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    strata_row row = row_of(f, 0, ADD(0, strata_int(1)));
    CHECK((row.block[1] & STRATA_BLOCK_PENDING) != 0);
    for (uint32_t c = 0; c < COLUMNS + 3; c++) {
        for (int kind = 0; kind < 4; kind++) {
            bool single = c >= 1 && c <= 2 * TYPES, allowed = single && may_store(columns[c].type, kind);
            uint8_t before[4096];
            size_t size = (size_t)(strata_entry_offset(strata_block_entry(row.block, COLUMNS - 1)) + 8u);
            CHECK(size <= sizeof before);
            memcpy(before, row.block, size);
            CHECK_EQ(store_as(&row, c, kind), allowed);
            if (!allowed) CHECK(memcmp(before, row.block, size) == 0);
        }
    }
    MUST(strata_view_commit(f->view, &f->error));
    for (uint32_t c = 1; c <= 2 * TYPES; c++) {
        strata_value value;
        row = row_of(f, 0, 1);
        MUST(strata_row_get(&row, c, &value, &f->error));
        if (columns[c].type == STRATA_BOOL) CHECK(value.type == STRATA_BOOL && value.as.boolean);
        if (columns[c].type == STRATA_INT) CHECK(value.type == STRATA_INT && value.as.integer == -7);
        if (columns[c].type == STRATA_FLOAT) CHECK(value.type == STRATA_FLOAT && value.as.single == -7);
        if (may_store(columns[c].type, 3)) CHECK(value.type == columns[c].type && value.as.real == -7);
    }
    verify(f);
    fixture_close(f);
}
