/* SPDX-License-Identifier: MIT
 * test_row_damage.c -- single bytes of a block of rows that are wrong: what is read then, without having verified. */
#include "base/bits.h"
#include "store/cursor.h"
#include "store/tree.h"
#include "store/writer.h"
#include "support/strata_support.h"
#include "table/row_tree.h"

enum { NUMBER, TEXT, REAL, KINDS, MEMBERS, COLUMNS, ROWS = 9, LARGE = 5, LONG = 6 };

/* Objects 1 to 9, of which 5 has a text that is stored elsewhere, and 6 such a list. */
static fixture *open_rows(void) {
    uint8_t *text = pattern(3000, 1);
    const strata_column_spec columns[] = {
        column("number", STRATA_INT, 0),
        column("text", STRATA_STRING, STRATA_COLUMN_NULLABLE),
        column("real", STRATA_DOUBLE, 0),
        column("any", STRATA_MIXED, 0),
        { .name = "members", .type = STRATA_INT, .collection = STRATA_LIST },
    };
    const strata_table_spec table = { .name = "Row", .column_count = COLUMNS, .columns = columns };
    fixture *f = fixture_open_memory();
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 1; i <= ROWS; i++) {
        strata_value string = strata_string((const char *)text, i == LARGE ? 3000 : 10);
        uint64_t key = ADD(0, strata_int(i * 1000), string, strata_double(i), strata_int(i));
        strata_row row = row_of(f, 0, key);
        for (int n = 0; n < (i == LONG ? 400 : 2); n++) {
            strata_value number = strata_int(n * 1000);
            MUST(strata_list_insert(&row, MEMBERS, 0, &number, 1, &f->error));
        }
    }
    MUST(strata_view_commit(f->view, &f->error));
    free(text);
    return f;
}

/* Reads the only block of rows, and puts it back after a change. */
static size_t get_block(fixture *f, uint8_t name[8], uint8_t *out) {
    st_txn *txn;
    st_cursor *cursor;
    strata_bytes key, value;
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_cursor_open(txn, ST_ROWS, &cursor, &f->error));
    MUST(st_cursor_seek(cursor, (strata_bytes){ "\0", 1 }, &key, &value, &f->error));
    memcpy(name, key.data, 8);
    memcpy(out, value.data, value.size);
    st_cursor_close(cursor);
    st_writer_abort(txn);
    return value.size;
}

static void put_block(fixture *f, const uint8_t name[8], const uint8_t *block, size_t size) {
    st_txn *txn;
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_put(txn, ST_ROWS, (strata_bytes){ name, 8 }, (strata_bytes){ block, size }, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
}

/* The position of a cell's bytes, which is to be changed, in the block. */
static uint8_t *position_of(uint8_t *block, uint32_t column, uint32_t slot) {
    uint32_t entry = strata_block_entry(block, column);
    CHECK_EQ(strata_entry_width(entry), 2);
    return block + strata_entry_offset(entry) + 2 * slot;
}

static void refuse_cell(fixture *f, uint64_t key, uint32_t column) {
    strata_row row = row_of(f, 0, key);
    strata_value value;
    strata_bytes bytes;
    uint8_t room[16];
    size_t size;
    uint64_t count;
    if (column == MEMBERS) {
        REFUSED(strata_collection_size(&row, column, &count, &f->error), STRATA_CORRUPT,
                "members of an object is damaged");
        REFUSED(strata_collection_get(&row, column, 0, 1, &value, &f->error), STRATA_CORRUPT, "is damaged");
        return;
    }
    REFUSED(strata_row_get(&row, column, &value, &f->error), STRATA_CORRUPT, "Row.", "of object", "is damaged");
    REFUSED(strata_row_read(&row, column, 0, room, sizeof room, &size, &f->error), STRATA_CORRUPT, "is damaged");
    CHECK(!strata_row_bytes(&row, column, &bytes) && bytes.data == NULL && bytes.size == 0);
}

/* A cell that would begin behind its end, and one that would leave the block. Both rows beside the position are damaged
 * then; the others are as they were. */
void test_row_damage_positions(void) {
    static const uint32_t columns[] = { TEXT, KINDS, MEMBERS };
    static uint8_t block[9000];
    uint8_t name[8];
    fixture *f = open_rows();
    size_t size = get_block(f, name, block);
    for (int i = 0; i < 3; i++) {
        uint8_t *position = position_of(block, columns[i], 2), before[2];
        memcpy(before, position, 2);
        st_store16(position, 0);
        put_block(f, name, block, size);
        refuse_cell(f, 2, columns[i]);
        st_store16(position, (uint16_t)(size + 1));
        put_block(f, name, block, size);
        refuse_cell(f, 2, columns[i]);
        refuse_cell(f, 3, columns[i]);
        st_store16(position, UINT16_MAX);
        put_block(f, name, block, size);
        refuse_cell(f, 3, columns[i]);
        strata_row row = row_of(f, 0, 4);
        strata_value value;
        MUST(strata_row_get(&row, TEXT, &value, &f->error));
        CHECK_EQ(value.as.bytes.size, 10);
        MUST(strata_row_get(&row, NUMBER, &value, &f->error));
        CHECK_EQ(value.as.integer, 4000);
        memcpy(position, before, 2);
    }
    put_block(f, name, block, size);
    verify(f);
    fixture_close(f);
}

/* A reference to a value outside of the row that is shorter than a reference. */
void test_row_damage_references(void) {
    static const uint32_t columns[] = { TEXT, MEMBERS }, rows[] = { LARGE, LONG };
    static uint8_t block[9000];
    uint8_t name[8];
    fixture *f = open_rows();
    size_t size = get_block(f, name, block);
    for (int i = 0; i < 2; i++) {
        uint8_t *end = position_of(block, columns[i], rows[i]);
        st_store16(end, (uint16_t)(strata_load16(end) - 9));
        put_block(f, name, block, size);
        refuse_cell(f, rows[i], columns[i]);
    }
    fixture_close(f);
}

/* A reference that claims more bytes than a value may have: who makes room for what it claims needs no check. */
void test_row_damage_sizes(void) {
    static const uint64_t sizes[] = { STRATA_MAX_VALUE + 1, UINT32_MAX, INT64_MAX, UINT64_MAX };
    static uint8_t block[9000];
    uint8_t name[8];
    strata_bytes reference;
    fixture *f = open_rows();
    size_t size = get_block(f, name, block);
    CHECK(strata_block_bytes(block, strata_block_entry(block, TEXT), LARGE - 1, &reference));
    CHECK_EQ(strata_load64(reference.data), 3000);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        st_store64(block + ((const uint8_t *)reference.data - block), sizes[i]);
        put_block(f, name, block, size);
        refuse_cell(f, LARGE, TEXT);
    }
    fixture_close(f);
}

static bool binds(fixture *f) {
    strata_row row;
    strata_status status = strata_row_bind(f->view, 0, 3, &row, &f->error);
    CHECK(status == STRATA_OK || status == STRATA_NOT_FOUND || status == STRATA_CORRUPT);
    return status == STRATA_OK;
}

/* Each byte of the head of the block, with each value: the block is refused, or its rows can be read. */
void test_row_damage_heads(void) {
    static uint8_t block[9000];
    uint8_t name[8];
    unsigned refusals = 0, reads = 0;
    fixture *f = open_rows();
    size_t size = get_block(f, name, block);
    for (uint32_t at = 0; at < STRATA_BLOCK_HEADER + 4 * COLUMNS; at++) {
        uint8_t before = block[at];
        for (int value = 0; value < 256; value += ctest_tries_all() ? 1 : 15) {
            block[at] = (uint8_t)value;
            put_block(f, name, block, size);
            if (!binds(f)) {
                refusals++;
                continue;
            }
            reads++;
            for (uint64_t key = 1; key <= ROWS; key++) {
                strata_row row;
                strata_value out;
                uint64_t count;
                if (strata_row_bind(f->view, 0, key, &row, &f->error) != STRATA_OK) continue;
                for (uint32_t c = 0; c < MEMBERS; c++) (void)!strata_row_get(&row, c, &out, &f->error);
                (void)!strata_collection_size(&row, MEMBERS, &count, &f->error);
                (void)strata_row_int(&row, NUMBER);
                (void)strata_row_double(&row, REAL);
            }
        }
        block[at] = before;
    }
    CHECK(refusals > 100 && reads > 100);
    put_block(f, name, block, size);
    verify(f);
    fixture_close(f);
}

/* Widths that would be shifted by, or that would lead out of the block. */
void test_row_damage_widths(void) {
    static const uint8_t wrong[] = { 16, 17, 64, 128, 255 };
    static uint8_t block[9000];
    uint8_t name[8];
    fixture *f = open_rows();
    size_t size = get_block(f, name, block);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint8_t *width = block + STRATA_BLOCK_HEADER + 4 * c + 2, before = *width;
        for (size_t i = 0; i < sizeof wrong; i++) {
            *width = wrong[i];
            put_block(f, name, block, size);
            strata_row row;
            REFUSED(strata_row_bind(f->view, 0, 3, &row, &f->error), STRATA_CORRUPT, "the block of table 0");
        }
        *width = before;
    }
    /* A double of no bytes would be read all the same. */
    st_store32(block + STRATA_BLOCK_HEADER + 4 * REAL, (uint32_t)(size - 8));
    put_block(f, name, block, size);
    CHECK(!binds(f));
    fixture_close(f);
}

/* A block of rows is found by a key of the tree that is below the first of its rows. */
void test_row_block_behind_its_own_key_is_refused(void) {
    const strata_column_spec columns[] = { column("number", STRATA_INT, 0) };
    const strata_table_spec table = { "Thing", 0, 1, columns };
    uint8_t from[8], name[8], copy[8192];
    strata_bytes key, value;
    strata_row row;
    st_txn *txn;
    fixture *f = fixture_open_memory();
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 10; i++) ADD(0, strata_int(i));
    for (uint64_t k = 1; k < 6; k++) MUST(strata_object_delete(f->view, 0, k, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    MUST(st_writer_begin(f->store, &txn, &f->error));
    MUST(st_tree_seek(txn, ST_ROWS, st_row_tree_key(from, 0, 1), &key, &value, &f->error));
    CHECK(key.size == 8 && value.size <= sizeof copy);
    memcpy(name, key.data, 8);
    memcpy(copy, value.data, value.size);
    size_t size = value.size;
    MUST(st_tree_delete(txn, ST_ROWS, (strata_bytes){ name, 8 }, &f->error));
    MUST(st_tree_put(txn, ST_ROWS, st_row_tree_key(from, 0, 3), (strata_bytes){ copy, size }, &f->error));
    MUST(st_writer_commit(txn, &f->error));
    MUST(strata_view_refresh(f->view, NULL, &f->error));
    REFUSED(strata_row_bind(f->view, 0, 2, &row, &f->error), STRATA_CORRUPT, "up to object 3 is damaged");
    fixture_close(f);
}
