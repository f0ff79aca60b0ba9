/* SPDX-License-Identifier: MIT
 *
 * test_collection_damage.c -- damaged collections of every kind and type: each read and each change ends with a status,
 * and what verify finds sound reads to its end.
 */
#include <stdio.h>

#include "base/bits.h"
#include "strata_mixed.h"
#include "block/block_check.h"
#include "store/cursor.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/strata_support.h"
#include "write/write_set.h"

enum { OWNER, TARGET };
enum { KINDS = 3, TYPES = 12, COLUMNS = KINDS * TYPES, ROUNDS = 400, LONG = 700, LARGE = 3000 };

static const strata_type types[TYPES] = { STRATA_BOOL, STRATA_INT,       STRATA_FLOAT,   STRATA_DOUBLE,
                                          STRATA_DATE, STRATA_STRING,    STRATA_DATA,    STRATA_UUID,
                                          STRATA_LINK, STRATA_OBJECT_ID, STRATA_DECIMAL, STRATA_MIXED };

static strata_type type_of(uint32_t number) { return types[number % TYPES]; }
static strata_collection kind_of(uint32_t number) { return (strata_collection)(STRATA_LIST + number / TYPES); }

static fixture *open_owner(bool nullable) {
    static strata_column_spec owner[COLUMNS];
    static char names[COLUMNS][8];
    const strata_column_spec target = column("number", STRATA_INT, 0);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        bool null = type_of(c) == STRATA_MIXED || (nullable && type_of(c) != STRATA_LINK);
        snprintf(names[c], sizeof names[c], "c%u", c);
        owner[c] = (strata_column_spec){ names[c], type_of(c), kind_of(c), null ? STRATA_COLUMN_NULLABLE : 0u,
                                         type_of(c) == STRATA_LINK ? "Target" : NULL };
    }
    const strata_table_spec tables[] = { { "Owner", 0, COLUMNS, owner }, { "Target", 0, 1, &target } };
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, tables, 2));
    return f;
}

/* Element number `i`; links are to the objects 1 to 12. */
static strata_value element(uint32_t number, uint32_t i, const uint8_t *text) {
    strata_type type = type_of(number);
    strata_value value = strata_null();
    if (type == STRATA_MIXED) return i % 3 == 0 ? strata_mixed_link(TARGET, 1 + i % 12) : strata_int((int64_t)i * i);
    value.type = type;
    switch (type) {
    case STRATA_BOOL: return strata_bool(i % 2 != 0);
    case STRATA_INT: return strata_int((int64_t)i * 77 - 999);
    case STRATA_FLOAT: return strata_float((float)i / 8);
    case STRATA_LINK: return strata_link(1 + i % 12);
    case STRATA_STRING:
    case STRATA_DATA:
        value.as.bytes = (strata_bytes){ text + i % 500, i % 97 == 5 ? LARGE : i % 29 };
        return value;
    case STRATA_DOUBLE:
    case STRATA_DATE: value.as.real = (double)i / 3; return value;
    default: st_store_big64(value.as.fixed, i); return value;
    }
}

static strata_bytes key_of(uint32_t i, char out[20]) {
    return (strata_bytes){ out, (size_t)snprintf(out, 20, "key %05u", i * 7919 % 100000) };
}

static strata_status add_element(fixture *f, strata_row *row, uint32_t number, uint64_t at, uint32_t i,
                                 const uint8_t *text) {
    strata_value value = element(number, i, text);
    char key[20];
    bool inserted;
    uint64_t position;
    if (kind_of(number) == STRATA_LIST) return strata_list_insert(row, number, at, &value, 1, &f->error);
    if (kind_of(number) == STRATA_SET) return strata_set_insert(row, number, &value, &inserted, &position, &f->error);
    return strata_map_set(row, number, key_of(i, key), &value, &f->error);
}

/* Some collections are long, the others are in their cell. */
static void fill(fixture *f, uint64_t *random, const uint8_t *text) {
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 12; i++) ADD(TARGET, strata_int(i));
    strata_row row = row_of(f, OWNER, ADD(OWNER, strata_null()));
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t count = ctest_random(random) % 6 == 0 ? LONG : (uint32_t)(ctest_random(random) % 12);
        for (uint32_t i = 0; i < count; i++) MUST(add_element(f, &row, c, i, i, text));
    }
    MUST(strata_view_commit(f->view, &f->error));
}

/* ---- Damage ----------------------------------------------------------- */

/* Rows are read without a look at all of their block: what is read must be a block, whatever its cells hold. */
static bool is_readable(const fixture *f, st_tree tree, const uint8_t *key, strata_bytes value) {
    if (tree != ST_ROWS) return true;
    st_layout layout = st_table_layout(&f->view->catalog->tables[st_load_big16(key)]);
    return st_block_valid(value, &layout);
}

/* Changes some bytes of one value of a tree, or cuts it. True if rows may be read all the same. */
static bool damage(fixture *f, st_tree tree, uint64_t *random) {
    static uint8_t copy[300000];
    uint8_t name[400];
    st_txn *txn;
    st_cursor *cursor;
    strata_bytes key, value;
    uint64_t count;
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_count(txn, tree, &count, &f->error));
    if (count == 0) {
        st_writer_abort(txn);
        return true;
    }
    MUST(st_cursor_open(txn, tree, &cursor, &f->error));
    MUST(st_cursor_seek(cursor, (strata_bytes){ NULL, 0 }, &key, &value, &f->error));
    for (uint64_t i = ctest_random(random) % count; i > 0; i--) MUST(st_cursor_next(cursor, &key, &value, &f->error));
    memcpy(name, key.data, key.size);
    memcpy(copy, value.data, value.size);
    size_t size = value.size, name_size = key.size;
    st_cursor_close(cursor);
    for (uint64_t k = ctest_random(random) % 4; k < 4; k++) {
        uint64_t r = ctest_random(random), near = r >> 16 & 1 ? size : size < 60 ? size : 60;
        copy[r % near] = (uint8_t)(r >> 17 & 1 ? r >> 40 : copy[r % near] ^ 1u << (r >> 40 & 7));
    }
    if (ctest_random(random) % 8 == 0) size = ctest_random(random) % size;
    MUST(st_tree_put(txn, tree, (strata_bytes){ name, name_size }, (strata_bytes){ copy, size }, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    return is_readable(f, tree, name, (strata_bytes){ copy, size });
}

/* ---- Reading and changing --------------------------------------------- */

static bool expected(strata_status status) {
    return status == STRATA_OK || status == STRATA_NOT_FOUND || status == STRATA_CORRUPT;
}

/* Bytes that were lent are there. */
static uint64_t touch(const strata_value *value) {
    uint64_t sum = 0;
    if (value->type != STRATA_STRING && value->type != STRATA_DATA) return 0;
    for (size_t i = 0; value->as.bytes.data != NULL && i < value->as.bytes.size; i++)
        sum += ((const uint8_t *)value->as.bytes.data)[i];
    return sum;
}

/* Reads all of a collection; true if nothing was refused. */
static bool read_collection(fixture *f, strata_row *row, uint32_t number, const uint8_t *text) {
    enum { BATCH = 300 };
    static strata_value values[BATCH];
    static strata_bytes keys[BATCH];
    static uint8_t copy[LARGE];
    strata_value wanted = element(number, 5, text);
    uint64_t size, position;
    size_t copied;
    char key[20];
    strata_status status = strata_collection_size(row, number, &size, &f->error);
    CHECK(expected(status));
    for (uint64_t from = 0; status == STRATA_OK && from < size && from < 10 * BATCH; from += BATCH) {
        uint64_t count = size - from < BATCH ? size - from : BATCH;
        status = strata_collection_get(row, number, from, count, values, &f->error);
        for (uint64_t i = 0; status == STRATA_OK && i < count; i++) {
            touch(&values[i]);
            if (type_of(number) != STRATA_STRING || values[i].as.bytes.size > sizeof copy) continue;
            status = strata_collection_read(row, number, from + i, 0, copy, sizeof copy, &copied, &f->error);
        }
        if (status == STRATA_OK && kind_of(number) == STRATA_MAP)
            status = strata_map_keys(row, number, from, count, keys, &f->error);
        CHECK(expected(status));
    }
    strata_status found = strata_collection_find(row, number, &wanted, 0, &position, &f->error);
    CHECK(expected(found));
    if (kind_of(number) == STRATA_MAP) {
        strata_status key_found = strata_map_find(row, number, key_of(5, key), &position, &f->error);
        CHECK(expected(key_found));
        if (key_found < 0) found = key_found;
    }
    return status >= 0 && found >= 0;
}

static bool read_all(fixture *f, const uint8_t *text) {
    strata_row row;
    bool good = true;
    strata_status status = strata_row_bind(f->view, OWNER, 1, &row, &f->error);
    CHECK(expected(status));
    for (uint32_t c = 0; c < COLUMNS && status == STRATA_OK; c++) good = read_collection(f, &row, c, text) && good;
    return good && status == STRATA_OK;
}

/* An object to link to may be gone with its block. */
static bool expected_of_change(strata_status status) {
    return expected(status) || status == STRATA_MISUSE || status == STRATA_REFERENCED;
}

static void change_all(fixture *f, uint64_t *random, const uint8_t *text, bool readable) {
    strata_row row;
    uint64_t size = 0;
    MUST(strata_view_begin(f->view, &f->error));
    strata_status status = strata_row_bind(f->view, OWNER, 1, &row, &f->error);
    for (uint32_t i = 0; i < 2 * COLUMNS && status >= 0; i++) {
        uint32_t c = (uint32_t)(ctest_random(random) % COLUMNS);
        if (readable) status = strata_collection_size(&row, c, &size, &f->error);
        CHECK(expected(status));
        if (status != STRATA_OK) continue;
        uint64_t at = ctest_random(random) % (size + 1), count = size - at < 40 ? size - at : 40;
        if (ctest_random(random) % 2 == 0) status = add_element(f, &row, c, at, (uint32_t)(at % 10000), text);
        else status = strata_collection_remove(&row, c, at, count, &f->error);
        CHECK(expected_of_change(status));
    }
    uint64_t target = 1 + ctest_random(random) % 12;
    if (status >= 0) status = strata_object_unlink(f->view, TARGET, target, &f->error);
    if (status >= 0) status = strata_object_delete(f->view, TARGET, target, &f->error);
    CHECK(expected_of_change(status));
    if (status >= 0 && ctest_random(random) % 3 == 0) status = strata_object_delete(f->view, OWNER, 1, &f->error);
    CHECK(expected_of_change(status));
    status = strata_view_commit(f->view, &f->error);
    CHECK(expected_of_change(status)); /* misuse if a change had failed */
}

void test_collection_damage(void) {
    static const st_tree trees[] = { ST_ROWS, ST_COLLECTIONS, ST_COLLECTIONS, ST_BLOBS };
    uint64_t random = ctest_seed(), sound = 0, unsound = 0;
    uint8_t *text = pattern(LARGE + 500, 3);
    unsigned rounds = ctest_rounds(ROUNDS);
    for (unsigned round = 0; round < rounds; round++) {
        fixture *f = open_owner(round % 2 == 0);
        fill(f, &random, text);
        if (round < 4) {
            MUST(strata_verify(f->view, NULL, &f->error));
            CHECK(read_all(f, text));
        }
        bool readable = damage(f, trees[ctest_random(&random) % 4], &random);
        strata_status status = strata_verify(f->view, NULL, &f->error);
        CHECK(status == STRATA_OK || status == STRATA_CORRUPT);
        if (status == STRATA_OK) CHECK(readable);
        bool good = readable && read_all(f, text);
        if (status == STRATA_OK) CHECK(good);
        if (status == STRATA_OK) sound++;
        else unsound++;
        change_all(f, &random, text, readable);
        fixture_close(f);
    }
    CHECK(sound > rounds / 40 && unsound > rounds / 40);
    free(text);
}
