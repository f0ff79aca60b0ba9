/* SPDX-License-Identifier: MIT
 * test_nullable.c -- values and elements that may be null from now on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "strata_decimal.h"
#include "strata_migration.h"
#include "support/strata_support.h"

static const strata_type types[] = { STRATA_BOOL, STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_STRING,
                                     STRATA_DATA, STRATA_DATE, STRATA_UUID, STRATA_OBJECT_ID, STRATA_DECIMAL };
enum { TYPES = sizeof types / sizeof *types, KINDS = 4, COLUMNS = TYPES * KINDS, MOST_ROWS = 300, LONG = 3000 };

/* A table with a single value, a list, a set and a map of each type, and what was read of it. */
typedef struct model {
    fixture *f;
    uint64_t random;
    strata_column_spec columns[COLUMNS];
    char names[COLUMNS][8];
    strata_table_spec table;
    uint64_t rows;
    uint32_t zeros[COLUMNS]; /* of ten values */
    uint64_t digests[MOST_ROWS + 1][COLUMNS], counts[MOST_ROWS + 1][COLUMNS];
    char *text;              /* the bytes of the newest value */
} model;

static uint64_t some(model *m, uint64_t limit) { return ctest_random(&m->random) % limit; }

static void name_columns(model *m, const char *prefix, uint32_t flags) {
    for (uint32_t c = 0; c < COLUMNS; c++) {
        snprintf(m->names[c], sizeof m->names[c], "%s%u", prefix, (unsigned)c);
        m->columns[c] = column(m->names[c], types[c % TYPES], flags);
        m->columns[c].collection = (strata_collection)(c / TYPES);
    }
    m->table = (strata_table_spec){ .name = "T", .column_count = COLUMNS, .columns = m->columns };
}

/* ---- Filling ---------------------------------------------------------- */

/* A value of a type: zero for a number of 0, otherwise one of that number. Its bytes are those of `text`. */
static strata_value make_value(model *m, strata_type type, uint64_t number) {
    enum { BIG = 3000 };
    strata_value value = strata_null();
    char *text = m->text;
    size_t size = number == 0 ? 0 : number % 97 == 0 ? BIG : (size_t)snprintf(text, 32, "%llx",
                                                                              (unsigned long long)number);
    value.type = type;
    switch (type) {
    case STRATA_BOOL: value.as.boolean = number != 0; break;
    case STRATA_INT: value.as.integer = (int64_t)(number % 3 == 0 ? number << 20 : number); break;
    case STRATA_FLOAT: value.as.single = (float)number; break;
    case STRATA_DOUBLE:
    case STRATA_DATE: value.as.real = (double)number / 8; break;
    case STRATA_STRING:
    case STRATA_DATA:
        if (size == BIG) memset(text, 'a' + (int)(number % 26), BIG);
        value.as.bytes = (strata_bytes){ (const uint8_t *)text, size };
        break;
    case STRATA_DECIMAL:
        if (number != 0) value = strata_decimal_value(strata_decimal_from_int64((int64_t)number));
        break;
    default: memcpy(value.as.fixed, &number, sizeof number); break;
    }
    return value;
}

static uint64_t some_number(model *m, uint32_t column) {
    return some(m, 10) < m->zeros[column] ? 0 : 1 + some(m, UINT64_C(1) << 20);
}

static void put_element(model *m, strata_row *row, uint32_t c, uint64_t position, const strata_value *value) {
    fixture *f = m->f;
    char key[32];
    snprintf(key, sizeof key, "%llu", (unsigned long long)position);
    strata_bytes name = { (const uint8_t *)key, strlen(key) };
    switch (m->columns[c].collection) {
    case STRATA_LIST: MUST(strata_list_insert(row, c, position, value, 1, &f->error)); break;
    case STRATA_SET: {
        strata_status status = strata_set_insert(row, c, value, NULL, NULL, &f->error);
        CHECK(status >= 0);
        break;
    }
    case STRATA_MAP: MUST(strata_map_set(row, c, name, value, &f->error)); break;
    case STRATA_SINGLE: MUST(strata_row_set(row, c, value, &f->error)); break;
    }
}

static void fill_row(model *m, uint64_t key) {
    strata_row row = row_of(m->f, 0, key);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint64_t kind = some(m, 20), count = kind < 10 ? 0 : kind < 19 ? some(m, 20) : 300 + some(m, LONG);
        if (m->columns[c].collection == STRATA_SINGLE) count = 1;
        for (uint64_t i = 0; i < count; i++) {
            strata_value value = make_value(m, m->columns[c].type, some_number(m, c));
            put_element(m, &row, c, i, &value);
        }
    }
}

static void fill(model *m) {
    fixture *f = m->f;
    m->rows = 1 + some(m, MOST_ROWS);
    for (uint32_t c = 0; c < COLUMNS; c++) m->zeros[c] = some(m, 3) == 0 ? 10 : (uint32_t)some(m, 10);
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t key = 1; key <= m->rows; key++) {
        CHECK_EQ(add(f, 0, 0, NULL), key);
        if (some(m, 4) == 0) fill_row(m, key);
    }
    MUST(strata_view_commit(f->view, &f->error));
}

/* ---- Reading ---------------------------------------------------------- */

static void digest_value(model *m, strata_row *row, uint32_t c, uint64_t position, const strata_value *value,
                         st_hash_state *state) {
    fixture *f = m->f;
    size_t read;
    const uint8_t *bytes = value->as.fixed;
    size_t size = value->type == STRATA_OBJECT_ID ? 12 : value->type == STRATA_BOOL ? 1
                  : value->type == STRATA_FLOAT ? 4 : value->type == STRATA_UUID || value->type == STRATA_DECIMAL ? 16
                  : 8;
    if (value->type == STRATA_STRING || value->type == STRATA_DATA) {
        bytes = value->as.bytes.data;
        size = value->as.bytes.size;
        if (strata_value_is_outside(value)) {
            bytes = (const uint8_t *)m->text;
            if (m->columns[c].collection == STRATA_SINGLE)
                MUST(strata_row_read(row, c, 0, m->text, size, &read, &f->error));
            else MUST(strata_collection_read(row, c, position, 0, m->text, size, &read, &f->error));
        }
    }
    const uint8_t type = (uint8_t)value->type;
    st_hash_more(state, &type, 1);
    if (size != 0) st_hash_more(state, bytes, size);
}

/* What a cell holds but for nulls; `*count` is how many values those are. */
static uint64_t digest(model *m, strata_row *row, uint32_t c, uint64_t *count) {
    static const st_hash_key open = { 0, 0 };
    fixture *f = m->f;
    uint64_t size = 1;
    st_hash_state state;
    st_hash_begin(&state, &open);
    *count = 0;
    bool single = m->columns[c].collection == STRATA_SINGLE;
    if (!single) MUST(strata_collection_size(row, c, &size, &f->error));
    for (uint64_t i = 0; i < size; i++) {
        strata_value value;
        if (single) MUST(strata_row_get(row, c, &value, &f->error));
        else MUST(strata_collection_get(row, c, i, 1, &value, &f->error));
        if (value.type == STRATA_NULL) continue;
        digest_value(m, row, c, i, &value, &state);
        ++*count;
    }
    return st_hash_end(&state);
}

static void note(model *m) {
    for (uint64_t key = 1; key <= m->rows; key++) {
        strata_row row = row_of(m->f, 0, key);
        for (uint32_t c = 0; c < COLUMNS; c++) m->digests[key][c] = digest(m, &row, c, &m->counts[key][c]);
    }
}

/* Every value is there still; nulls may have been added to collections. */
static void check(model *m) {
    for (uint64_t key = 1; key <= m->rows; key++) {
        strata_row row = row_of(m->f, 0, key);
        for (uint32_t c = 0; c < COLUMNS; c++) {
            uint64_t count, found = digest(m, &row, c, &count);
            CHECK_EQ(count, m->counts[key][c]);
            CHECK_EQ(found, m->digests[key][c]);
        }
    }
    verify(m->f);
}

/* ---- Changing the schema ---------------------------------------------- */

static void rename_all(model *m) {
    fixture *f = m->f;
    char old[COLUMNS][8];
    memcpy(old, m->names, sizeof old);
    name_columns(m, "new", STRATA_COLUMN_NULLABLE);
    MUST(strata_migration_begin(f->view, &m->table, 1, 2, &f->error));
    for (uint32_t c = 0; c < COLUMNS; c++) {
        const strata_schema_change change = { STRATA_RENAME_COLUMN, "T", old[c], m->names[c] };
        MUST(strata_migration_change(f->view, &change, &f->error));
    }
    MUST(strata_migration_finish(f->view, NULL, 0, &m->table, 1, NULL, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
}

/* Declared again, or migrated to, or under other names. */
static void make_nullable(model *m, uint64_t way) {
    fixture *f = m->f;
    if (way == 2) {
        rename_all(m);
        return;
    }
    for (uint32_t c = 0; c < COLUMNS; c++) m->columns[c].flags |= STRATA_COLUMN_NULLABLE;
    if (way == 0) {
        MUST(apply(f, 2, &m->table, 1));
        return;
    }
    MUST(strata_migration_begin(f->view, &m->table, 1, 2, &f->error));
    MUST(strata_migration_finish(f->view, NULL, 0, &m->table, 1, NULL, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
}

static void add_nulls(model *m) {
    fixture *f = m->f;
    const strata_value null = strata_null();
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 40; i++) {
        strata_row row = row_of(f, 0, 1 + some(m, m->rows));
        uint32_t c = TYPES + (uint32_t)some(m, COLUMNS - TYPES);
        uint64_t size;
        MUST(strata_collection_size(&row, c, &size, &f->error));
        const strata_bytes name = { (const uint8_t *)"x", 1 };
        if (m->columns[c].collection == STRATA_MAP) MUST(strata_map_set(&row, c, name, &null, &f->error));
        else put_element(m, &row, c, some(m, size + 1), &null);
    }
    MUST(strata_view_commit(f->view, &f->error));
}

static void check_marks(model *m, strata_difference_kind kind, strata_difference_mark mark) {
    fixture *f = m->f;
    strata_differences *all;
    strata_difference d;
    MUST(strata_differences_find(f->view, &m->table, 1, &all, &f->error));
    CHECK_EQ(strata_differences_count(all), COLUMNS);
    for (uint32_t i = 0; i < COLUMNS; i++) {
        MUST(strata_differences_get(all, i, &d));
        CHECK_EQ(d.kind, kind);
        if (mark == STRATA_DIFFERENCE_REWRITES) CHECK(d.mark == mark || d.mark == STRATA_DIFFERENCE_FREE);
        else CHECK_EQ(d.mark, mark);
    }
    strata_differences_free(all);
}

/* 201: what may be null from now on keeps its values, of every type, in cells and in chunks, zeros among them; the way
 * back loses them, and is marked so. */
void test_nullable_keeps_values(void) {
    uint64_t random = ctest_seed();
    model *m = calloc(1, sizeof *m);
    m->text = malloc(4096);
    for (uint64_t way = 0; way < 3; way++) {
        m->random = random + way;
        m->f = fixture_open(way == 0 ? "applied" : way == 1 ? "migrated" : "renamed");
        fixture *f = m->f;
        name_columns(m, "old", 0);
        MUST(apply(f, 1, &m->table, 1));
        fill(m);
        note(m);
        for (uint32_t c = 0; c < COLUMNS; c++) m->columns[c].flags = STRATA_COLUMN_NULLABLE;
        check_marks(m, STRATA_COLUMN_NULLABLE_NOW, STRATA_DIFFERENCE_REWRITES);
        make_nullable(m, way);
        check(m);
        add_nulls(m);
        check(m);
        for (uint32_t c = 0; c < COLUMNS; c++) m->columns[c].flags = 0;
        check_marks(m, STRATA_COLUMN_RETYPED, STRATA_DIFFERENCE_LOSES);
        fixture_close(f);
    }
    free(m->text);
    free(m);
}

/* Zeros that no block has are there when the column may be null, in the index and under the key, too. */
void test_nullable_zeros(void) {
    enum { ROWS = 3000, ELEMENTS = 10000 };
    fixture *f = fixture_open("file");
    strata_column_spec columns[] = { column("id", STRATA_INT, 0), column("count", STRATA_INT, STRATA_COLUMN_INDEXED),
                                     column("name", STRATA_STRING, 0), column("late", STRATA_DOUBLE, 0),
                                     column("list", STRATA_INT, 0), column("set", STRATA_INT, 0) };
    columns[4].collection = STRATA_LIST;
    columns[5].collection = STRATA_LIST;
    strata_table_spec table = { .name = "T", .column_count = 3, .columns = columns };
    strata_value *zeros = malloc(ELEMENTS * sizeof *zeros), value;
    const strata_value zero = strata_int(0);
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) ADD(0, strata_int(i));
    MUST(strata_view_commit(f->view, &f->error));
    table.column_count = 6;
    MUST(apply(f, 2, &table, 1)); /* columns that no block knows of */
    strata_differences *all;
    strata_difference d;
    for (int i = 0; i < ELEMENTS; i++) zeros[i] = strata_int(i >= ELEMENTS / 2);
    strata_row row = row_of(f, 0, 7);
    MUST(strata_view_begin(f->view, &f->error));
    MUST(strata_list_insert(&row, 4, 0, zeros, ELEMENTS, &f->error));
    for (int i = 0; i < ELEMENTS; i++) zeros[i] = strata_int(1);
    MUST(strata_list_insert(&row, 5, 0, zeros, ELEMENTS, &f->error));
    MUST(strata_view_commit(f->view, &f->error));

    for (int c = 0; c < 6; c++) columns[c].flags |= STRATA_COLUMN_NULLABLE;
    MUST(strata_differences_find(f->view, &table, 1, &all, &f->error));
    static const strata_difference_mark marks[] = {
        STRATA_DIFFERENCE_FREE, STRATA_DIFFERENCE_REWRITES, STRATA_DIFFERENCE_REWRITES, STRATA_DIFFERENCE_REWRITES,
        STRATA_DIFFERENCE_REWRITES, STRATA_DIFFERENCE_FREE };
    CHECK_EQ(strata_differences_count(all), 6);
    for (uint32_t i = 0; i < 6; i++) {
        MUST(strata_differences_get(all, i, &d));
        CHECK(d.kind == STRATA_COLUMN_NULLABLE_NOW && d.mark == marks[i]);
    }
    strata_differences_free(all);
    MUST(apply(f, 3, &table, 1));
    verify(f);
    CHECK_EQ(index_count(f, 0, 1, &zero), ROWS);
    for (uint64_t key = 1; key <= ROWS; key += 37) {
        row = row_of(f, 0, key);
        MUST(strata_row_get(&row, 0, &value, &f->error));
        CHECK(value.type == STRATA_INT && value.as.integer == (int64_t)key - 1);
        MUST(strata_row_get(&row, 1, &value, &f->error));
        CHECK(value.type == STRATA_INT && value.as.integer == 0);
        check_text(f, 0, key, 2, "");
        MUST(strata_row_get(&row, 3, &value, &f->error));
        CHECK(value.type == STRATA_DOUBLE && value.as.real == 0);
    }
    row = row_of(f, 0, 7);
    MUST(strata_collection_get(&row, 4, 0, ELEMENTS, zeros, &f->error));
    for (int i = 0; i < ELEMENTS; i++) CHECK(zeros[i].type == STRATA_INT && zeros[i].as.integer == (i >= ELEMENTS / 2));

    columns[1].flags |= STRATA_COLUMN_PRIMARY; /* as many zeros as there are objects */
    REFUSED(apply(f, 4, &table, 1), STRATA_DUPLICATE, "T.count", "same value");
    free(zeros);
    fixture_close(f);
}
