/* SPDX-License-Identifier: MIT
 * test_damaged_numbers.c -- the records that say which numbers come next are damaged: nothing is stored over what has
 * such a number already. */
#include "base/bits.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/strata_support.h"
#include "table/table_state.h"

enum { DATA, NUMBERS, COLUMNS };
enum { OBJECTS = 3000, LARGE = 20000, MANY = 5000 };

static fixture *open_things(void) {
    const strata_column_spec columns[COLUMNS] = { column("data", STRATA_DATA, STRATA_COLUMN_NULLABLE),
                                                  { "numbers", STRATA_INT, STRATA_LIST, 0, NULL } };
    const strata_table_spec table = { "Thing", 0, COLUMNS, columns };
    fixture *f = fixture_open("things");
    MUST(apply(f, 0, &table, 1));
    return f;
}

static void add_things(fixture *f, int count) {
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < count; i++) ADD(0, strata_data("small", 5));
    MUST(strata_view_commit(f->view, &f->error));
}

static void set_next_key(fixture *f, uint64_t next) {
    st_txn *txn;
    MUST(st_writer_begin(f->store, &txn, &f->error));
    const st_table_state state = { OBJECTS, next };
    MUST(st_table_state_store(txn, 0, &state, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
}

void test_damaged_next_key_replaces_no_object(void) {
    static const uint64_t keys[] = { 1, 2, OBJECTS / 2, OBJECTS };
    fixture *f = open_things();
    add_things(f, OBJECTS);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        set_next_key(f, keys[i]);
        MUST(strata_view_begin(f->view, &f->error));
        uint64_t key = ADD(0, strata_data("other", 5));
        CHECK_EQ(key, keys[i]);
        REFUSED(strata_view_commit(f->view, &f->error), STRATA_CORRUPT, "Thing has an object", "counts of the table");
        check_text(f, 0, key, DATA, "small");
    }
    set_next_key(f, OBJECTS + 1);
    add_things(f, 1);
    verify(f);
    fixture_close(f);
}

static void set_next_identity(fixture *f, uint64_t next) {
    static const uint8_t key[] = { 0, 'i', 'd', 'n', 0, 0, 0, 0 };
    uint8_t record[8];
    st_txn *txn;
    st_store64(record, next);
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_put(txn, ST_META, (strata_bytes){ key, 8 }, (strata_bytes){ record, 8 }, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
}

/* Gives an object a large value, or a long list, and tries to commit. */
static strata_status enlarge(fixture *f, uint64_t key, bool list) {
    static strata_value numbers[MANY];
    uint8_t *data = pattern(LARGE, key);
    strata_status status = strata_view_begin(f->view, &f->error);
    strata_row row = row_of(f, 0, key);
    strata_value value = strata_data(data, LARGE);
    for (int i = 0; i < MANY; i++) numbers[i] = strata_int(i * 1000);
    if (status == STRATA_OK && list) status = strata_list_insert(&row, NUMBERS, 0, numbers, MANY, &f->error);
    else if (status == STRATA_OK) status = strata_row_set(&row, DATA, &value, &f->error);
    free(data);
    if (status == STRATA_OK) return strata_view_commit(f->view, &f->error);
    strata_view_cancel(f->view);
    return status;
}

void test_damaged_next_identity_replaces_no_value(void) {
    fixture *f = open_things();
    add_things(f, 8);
    MUST(enlarge(f, 1, false));
    MUST(enlarge(f, 2, true));
    for (uint64_t next = 1; next <= 2; next++) {
        set_next_identity(f, next);
        REFUSED(enlarge(f, 3, false), STRATA_CORRUPT, "next identity is damaged");
        REFUSED(enlarge(f, 4, true), STRATA_CORRUPT, "next identity is damaged");
    }
    set_next_identity(f, 3);
    MUST(enlarge(f, 3, false));
    MUST(enlarge(f, 4, true));
    verify(f);
    fixture_close(f);
}

/* The catalog has one table less than the file has rows of; the program then adds that table again, with an index. */
void test_damaged_table_count_makes_no_new_table_of_old_objects(void) {
    static const strata_bytes name = { "\0cat\0\0\0\0", 8 };
    strata_column_spec columns[] = { column("number", STRATA_INT, STRATA_COLUMN_INDEXED) };
    const strata_table_spec tables[] = { { "Kept", 0, 1, columns, NULL, 0 }, { "Lost", 0, 1, columns, NULL, 0 } };
    uint8_t root[32];
    strata_bytes record;
    st_txn *txn;
    fixture *f = fixture_open("tables");
    MUST(apply(f, 0, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < OBJECTS; i++) ADD(1, strata_int(i));
    MUST(strata_view_commit(f->view, &f->error));

    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_get(txn, ST_META, name, &record, &f->error));
    CHECK(record.size <= sizeof root);
    memcpy(root, record.data, record.size);
    CHECK_EQ(strata_load32(root + 4), 2);
    st_store32(root + 4, 1);
    MUST(st_tree_put(txn, ST_META, name, (strata_bytes){ root, record.size }, &f->error));
    st_txn_header(txn)->catalog_version++;
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    REFUSED(apply(f, 1, tables, 2), STRATA_CORRUPT, "objects of table 1, which the catalog does not have");
    REFUSED(apply(f, 1, tables, 2), STRATA_CORRUPT, "objects of table 1, which the catalog does not have");
    fixture_close(f);
}
