/* SPDX-License-Identifier: MIT
 * condition_data.c -- random objects with columns of every kind, in stores and in plain C. */
#include "support/condition_model.h"

#include <math.h>
#include <stdio.h>

#include "support/mixed_support.h"
#include "strata_mixed.h"

enum { WIDE_ROWS = 50, NARROW_ROWS = 700, PLACES = 20, LONG_TEXT = 1100 };

void *world_memory(world *w, size_t size) {
    if (w->block_count == w->block_capacity) {
        w->block_capacity = w->block_capacity == 0 ? 1024 : 2 * w->block_capacity;
        w->blocks = realloc(w->blocks, w->block_capacity * sizeof *w->blocks);
        CHECK(w->blocks != NULL);
    }
    void *block = calloc(1, size == 0 ? 1 : size);
    CHECK(block != NULL);
    w->blocks[w->block_count++] = block;
    return block;
}

static strata_bytes keep(world *w, strata_bytes bytes) {
    void *copy = world_memory(w, bytes.size);
    if (bytes.size != 0) memcpy(copy, bytes.data, bytes.size);
    return (strata_bytes){ copy, bytes.size };
}

/* ---- Values ----------------------------------------------------------- */

/* Few of each type, so that comparisons are met often; letters with marks, and bytes that are stored elsewhere. */
static strata_bytes random_text(world *w) {
    static const char *const words[] = {
        "", "a", "A", "b", "ab", "aB", "ba", "abc", "bca", "a*", "\xC3\xA1", "\xC3\x81", "a\xCC\x81", ("\xC3\xA1" "b"),
        "\xC3\x84", "b\xC3\xA4",
    };
    uint64_t r = pick(w, 40);
    if (r > 1) return (strata_bytes){ words[r % 16], strlen(words[r % 16]) };
    char *text = world_memory(w, LONG_TEXT);
    memset(text, 'a', LONG_TEXT);
    if (r == 0) memcpy(text, "\xC3\xA1", 2);
    return (strata_bytes){ text + 2 * pick(w, 2), LONG_TEXT - 2 - pick(w, 2) };
}

static double random_real(world *w) {
    static const double odd[] = { -INFINITY, INFINITY, -0.0, NAN, 1e300, 0.1 };
    uint64_t r = pick(w, 30);
    return r < 6 ? odd[r] : (double)(int64_t)pick(w, 8) / 2 - 1;
}

/* Blocks of narrow and of wide numbers. */
static int64_t random_int(world *w) {
    uint64_t r = pick(w, 400);
    if (r == 0) return INT64_MAX - (int64_t)pick(w, 2);
    if (r == 1) return 70000 * ((int64_t)pick(w, 3) - 1);
    return r < 8 ? 300 * ((int64_t)pick(w, 3) - 1) : (int64_t)(r % 8) - 2;
}

static uint64_t random_key(world *w, uint32_t table) {
    const world_table *t = &w->tables[table];
    return t->row_count == 0 ? 0 : t->rows[pick(w, t->row_count)].key;
}

static uint64_t key_for_tree(void *context, uint32_t table) { return random_key(context, table); }

static strata_value random_mixed(world *w) {
    static const strata_type types[] = { STRATA_BOOL, STRATA_INT, STRATA_DOUBLE, STRATA_STRING, STRATA_DATA,
                                         STRATA_DATE, STRATA_DECIMAL, STRATA_UUID };
    uint64_t r = pick(w, 20);
    if (r < 10) return world_value(w, types[r % 8], 0);
    if (r < 12) return strata_mixed_link((uint32_t)pick(w, 2), random_key(w, ALPHA));
    tree_links links = { 2, key_for_tree, w };
    strata_nested *builder = strata_nested_make();
    tree *t = tree_random(&w->random, w->tables[BETA].row_count == 0 ? NULL : &links, 3);
    CHECK(builder != NULL);
    strata_value value = tree_value(t, builder);
    if (value.type == STRATA_STRING || value.type == STRATA_DATA || value.type == STRATA_NESTED) {
        value.as.bytes = keep(w, value.as.bytes);
    }
    tree_free(t);
    strata_nested_free(builder);
    return value;
}

strata_value world_value(world *w, strata_type type, uint32_t target) {
    static const char *const decimals[] = { "0", "1", "1.0", "1.5", "-2", "2.50", "1E+3", "NaN" };
    strata_value v = strata_null();
    if (pick(w, 10) == 0) return v;
    switch (type) {
    case STRATA_BOOL: return strata_bool(pick(w, 2) != 0);
    case STRATA_INT: return strata_int(random_int(w));
    case STRATA_FLOAT: return strata_float((float)random_real(w));
    case STRATA_DOUBLE: return strata_double(random_real(w));
    case STRATA_DATE: return strata_date(random_real(w));
    case STRATA_DECIMAL: return decimal_value(decimals[pick(w, 8)]);
    case STRATA_LINK: return strata_link(random_key(w, target));
    case STRATA_MIXED: return random_mixed(w);
    case STRATA_STRING:
    case STRATA_DATA: v.as.bytes = random_text(w); break;
    default:
        v.as.fixed[0] = (uint8_t)pick(w, 3);
        v.as.fixed[11] = (uint8_t)pick(w, 2);
    }
    v.type = type;
    return v;
}

static strata_value column_value(world *w, const world_column *column) {
    bool nullable = (column->flags & STRATA_COLUMN_NULLABLE) != 0 || column->type == STRATA_MIXED;
    if (column->type == STRATA_LINK) nullable = column->collection == STRATA_SINGLE || column->collection == STRATA_MAP;
    for (;;) {
        strata_value v = world_value(w, column->type, column->target);
        bool fits = column->collection != STRATA_SET || v.type != STRATA_NESTED;
        if (fits && (v.type != STRATA_NULL || nullable)) return v;
    }
}

/* ---- Schema ----------------------------------------------------------- */

static void add_column(world_table *t, const char *name, strata_type type, strata_collection collection,
                       uint32_t flags, uint32_t target) {
    world_column *c = &t->columns[t->column_count++];
    *c = (world_column){ .type = type, .collection = collection, .flags = flags, .target = target };
    snprintf(c->name, sizeof c->name, "%s%u", name, t->column_count);
}

static void add_wide_columns(world_table *t) {
    static const strata_type types[] = { STRATA_BOOL, STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_STRING,
                                         STRATA_DATA, STRATA_DATE, STRATA_UUID, STRATA_OBJECT_ID, STRATA_DECIMAL,
                                         STRATA_MIXED };
    static const char *const names[] = { "single", "list", "set", "map" };
    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        bool indexed = types[i] != STRATA_FLOAT && types[i] != STRATA_DOUBLE && types[i] != STRATA_DATA;
        uint32_t nullable = types[i] == STRATA_MIXED ? 0 : STRATA_COLUMN_NULLABLE;
        uint32_t index = indexed && types[i] != STRATA_DECIMAL ? STRATA_COLUMN_INDEXED : 0;
        add_column(t, "single", types[i], STRATA_SINGLE, nullable | index, 0);
        add_column(t, "plain", types[i], STRATA_SINGLE, 0, 0);
        for (int c = STRATA_LIST; c <= STRATA_MAP; c++) {
            uint32_t flags = i % 2 == 0 ? nullable : 0;
            add_column(t, names[c], types[i], (strata_collection)c, flags, 0);
        }
    }
    for (uint32_t target = ALPHA; target <= PLACE; target++) {
        if (target == NARROW) continue;
        for (int c = STRATA_SINGLE; c <= STRATA_MAP; c++) {
            add_column(t, "link", STRATA_LINK, (strata_collection)c, 0, target);
        }
    }
}

static void describe(world *w) {
    static const strata_type numbers[] = { STRATA_INT, STRATA_FLOAT, STRATA_DOUBLE, STRATA_DATE, STRATA_BOOL };
    add_wide_columns(&w->tables[ALPHA]);
    add_wide_columns(&w->tables[BETA]);
    for (uint32_t i = 0; i < 5; i++) {
        add_column(&w->tables[NARROW], "single", numbers[i], STRATA_SINGLE, STRATA_COLUMN_NULLABLE, 0);
        add_column(&w->tables[NARROW], "plain", numbers[i], STRATA_SINGLE, 0, 0);
    }
    world_table *place = &w->tables[PLACE];
    add_column(place, "type", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, 0);
    add_column(place, "coordinates", STRATA_DOUBLE, STRATA_LIST, STRATA_COLUMN_NULLABLE, 0);
    strcpy(place->columns[0].name, "type");
    strcpy(place->columns[1].name, "coordinates");
}

static void apply_schema(const world *w, fixture *f, bool indexed) {
    static const char *const names[] = { "Alpha", "Beta", "Narrow", "Place" };
    static strata_column_spec columns[WORLD_TABLES][MOST_COLUMNS];
    strata_table_spec tables[WORLD_TABLES];
    for (uint32_t t = 0; t < WORLD_TABLES; t++) {
        const world_table *table = &w->tables[t];
        for (uint32_t c = 0; c < table->column_count; c++) {
            const world_column *from = &table->columns[c];
            uint32_t flags = from->flags & ~(uint32_t)(indexed ? 0 : STRATA_COLUMN_INDEXED);
            const char *target = from->type == STRATA_LINK ? names[from->target] : NULL;
            columns[t][c] = (strata_column_spec){ from->name, from->type, from->collection, flags, target };
        }
        tables[t] = (strata_table_spec){ names[t], 0, table->column_count, columns[t] };
    }
    MUST(strata_schema_apply(f->view, tables, WORLD_TABLES, 1, &f->error));
}

/* ---- Filling ---------------------------------------------------------- */

static void fill_collection(world *w, fixture *f, strata_row *row, uint32_t number, const world_column *column) {
    uint64_t r = pick(w, 60), count = r == 0 ? 300 : r < 5 ? pick(w, 30) : pick(w, 4), position;
    bool inserted;
    for (uint64_t i = 0; i < count; i++) {
        strata_value value = column_value(w, column);
        char key[16];
        int size = snprintf(key, sizeof key, "%llu", (unsigned long long)(pick(w, 3) == 0 ? pick(w, 400) : i));
        if (column->collection == STRATA_LIST) MUST(strata_list_insert(row, number, i, &value, 1, &f->error));
        else if (column->collection == STRATA_SET)
            MUST(strata_set_insert(row, number, &value, &inserted, &position, &f->error));
        else MUST(strata_map_set(row, number, (strata_bytes){ key, (size_t)size }, &value, &f->error));
    }
}

static void fill_place(world *w, fixture *f, strata_row *row) {
    strata_value type = pick(w, 5) == 0 ? world_value(w, STRATA_STRING, 0) : strata_string("Point", 5);
    MUST(strata_row_set(row, 0, &type, &f->error));
    uint64_t count = pick(w, 8) == 0 ? pick(w, 3) : 2 + pick(w, 2);
    for (uint64_t i = 0; i < count; i++) {
        strata_value value = strata_double((double)pick(w, 40) - 20);
        if (pick(w, 20) == 0) value = strata_null();
        MUST(strata_list_insert(row, 1, i, &value, 1, &f->error));
    }
}

static void fill_table(world *w, fixture *f, uint32_t table) {
    const world_table *t = &w->tables[table];
    for (uint32_t i = 0; i < t->row_count; i++) {
        strata_row row;
        MUST(strata_row_bind(f->view, table, t->rows[i].key, &row, &f->error));
        if (table == PLACE) {
            fill_place(w, f, &row);
            continue;
        }
        for (uint32_t c = 0; c < t->column_count; c++) {
            if (t->columns[c].collection != STRATA_SINGLE) {
                fill_collection(w, f, &row, c, &t->columns[c]);
                continue;
            }
            strata_value value = column_value(w, &t->columns[c]);
            MUST(strata_row_set(&row, c, &value, &f->error));
        }
    }
}

/* The same random numbers for every store. */
static void fill(world *w, fixture *f, bool pending) {
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t t = 0; t < WORLD_TABLES; t++) {
        for (uint32_t i = 0; i < w->tables[t].row_count; i++) CHECK_EQ(add(f, t, 0, NULL), w->tables[t].rows[i].key);
    }
    for (uint32_t t = 0; t < WORLD_TABLES; t++) fill_table(w, f, t);
    for (uint64_t i = 0; i < 4; i++) { /* holes among the objects, and in collections */
        uint64_t table = pick(w, 2), key = w->tables[table].rows[w->tables[table].row_count - 1 - i].key;
        MUST(strata_object_unlink(f->view, (uint32_t)table, key, &f->error));
        MUST(strata_object_delete(f->view, (uint32_t)table, key, &f->error));
    }
    if (!pending) MUST(strata_view_commit(f->view, &f->error));
}

/* ---- Reading back ----------------------------------------------------- */

static bool is_elsewhere(const strata_value *v) {
    bool bytes = v->type == STRATA_STRING || v->type == STRATA_DATA || v->type == STRATA_NESTED;
    return bytes && v->as.bytes.data == NULL && v->as.bytes.size != 0;
}

static void read_value(world *w, fixture *f, strata_row *row, uint32_t column, bool single, uint64_t position,
                       strata_value *value) {
    size_t size = value->as.bytes.size, got;
    bool bytes = value->type == STRATA_STRING || value->type == STRATA_DATA || value->type == STRATA_NESTED;
    if (!is_elsewhere(value)) {
        if (bytes) value->as.bytes = keep(w, value->as.bytes);
        return;
    }
    void *memory = world_memory(w, size);
    if (single) MUST(strata_row_read(row, column, 0, memory, size, &got, &f->error));
    else MUST(strata_collection_read(row, column, position, 0, memory, size, &got, &f->error));
    CHECK_EQ(got, size);
    value->as.bytes.data = memory;
}

static void read_cell(world *w, fixture *f, strata_row *row, uint32_t number, const world_column *column,
                      world_cell *out) {
    bool single = column->collection == STRATA_SINGLE;
    uint64_t count = 1;
    CHECK_EQ(strata_row_ready(row), STRATA_OK);
    if (!single) MUST(strata_collection_size(row, number, &count, &f->error));
    *out = (world_cell){ .count = (uint32_t)count };
    out->values = world_memory(w, count * sizeof *out->values);
    if (single) MUST(strata_row_get(row, number, out->values, &f->error));
    else MUST(strata_collection_get(row, number, 0, count, out->values, &f->error));
    for (uint64_t i = 0; i < count; i++) read_value(w, f, row, number, single, i, &out->values[i]);
    if (column->collection != STRATA_MAP) return;
    out->keys = world_memory(w, count * sizeof *out->keys);
    MUST(strata_map_keys(row, number, 0, count, out->keys, &f->error));
    for (uint64_t i = 0; i < count; i++) out->keys[i] = keep(w, out->keys[i]);
}

static void read_back(world *w, fixture *f) {
    for (uint32_t table = 0; table < WORLD_TABLES; table++) {
        world_table *t = &w->tables[table];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < t->row_count; i++) {
            strata_row row;
            uint64_t key = t->rows[i].key;
            if (strata_row_bind(f->view, table, key, &row, &f->error) != STRATA_OK) continue;
            world_row *out = &t->rows[kept++];
            out->key = key;
            for (uint32_t c = 0; c < t->column_count; c++) read_cell(w, f, &row, c, &t->columns[c], &out->cells[c]);
        }
        t->row_count = kept;
    }
}

const world_row *world_find(const world *w, uint32_t table, uint64_t key) {
    const world_table *t = &w->tables[table];
    for (uint32_t i = 0; i < t->row_count; i++) {
        if (t->rows[i].key == key) return &t->rows[i];
    }
    return NULL;
}

/* ---- The whole -------------------------------------------------------- */

world *world_make(uint64_t seed) {
    static const uint32_t counts[] = { WIDE_ROWS, WIDE_ROWS, NARROW_ROWS, PLACES };
    world *w = calloc(1, sizeof *w);
    CHECK(w != NULL);
    w->random = seed;
    describe(w);
    for (uint32_t t = 0; t < WORLD_TABLES; t++) {
        w->tables[t].row_count = counts[t];
        w->tables[t].rows = world_memory(w, counts[t] * sizeof(world_row));
        for (uint32_t i = 0; i < counts[t]; i++) w->tables[t].rows[i].key = i + 1;
    }
    uint64_t random = w->random;
    for (int s = 0; s < 2; s++) {
        w->stores[s] = fixture_open(s == 0 ? "indexed" : "plain");
        apply_schema(w, w->stores[s], s == 0);
        w->random = random;
        fill(w, w->stores[s], s == 1 && seed % 2 == 0);
    }
    read_back(w, w->stores[0]);
    return w;
}

void world_free(world *w) {
    for (int s = 0; s < 2; s++) fixture_close(w->stores[s]);
    for (size_t i = 0; i < w->block_count; i++) free(w->blocks[i]);
    free(w->blocks);
    free(w);
}
