/* SPDX-License-Identifier: MIT
 * test_mixed_model.c -- mixed and decimal columns: random changes and queries against plain C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/mixed_support.h"
#include "support/prepared_support.h"
#include "support/strata_support.h"

enum { THING, OTHER, TABLES };
/* `any` is indexed, `more` is not; `price` may be null, `cost` not. */
enum { ANY, MORE, PRICE, COST, CELLS };
enum { THINGS = 90, OTHERS = 12 };

typedef struct thing {
    uint64_t key;        /* 0: none */
    tree *cells[CELLS];  /* decimals are leaves, too */
} thing;

typedef struct world {
    fixture *f;
    uint64_t random;
    thing things[THINGS], saved[THINGS];
    uint64_t others[OTHERS], saved_others[OTHERS];
    strata_nested *builder, *second;
    const char *path;
} world;

static uint64_t below(world *w, uint64_t limit) { return ctest_random(&w->random) % limit; }

/* ---- The model -------------------------------------------------------- */

static uint64_t some_object(void *context, uint32_t table) {
    world *w = context;
    uint64_t from = below(w, THINGS), count = table == THING ? THINGS : OTHERS;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = table == THING ? w->things[(from + i) % count].key : w->others[(from + i) % count];
        if (key != 0) return key;
    }
    return 0;
}

static tree *random_mixed(world *w) {
    tree_links links = { TABLES, some_object, w };
    return tree_random(&w->random, &links, 3);
}

static tree *random_decimal_tree(world *w, bool nullable) {
    static const char *const texts[] = { "0", "0.00", "-0", "1", "1.0", "1.5", "-1.5", "NaN", "Infinity", "-Infinity",
                                         "1E+6111", "-1E-6176", "123.456", "99999999999999999999999999999999.99" };
    tree *t = calloc(1, sizeof *t);
    CHECK(t != NULL);
    uint64_t r = below(w, 20);
    if (r < 14) t->leaf = decimal_value(texts[r]);
    else if (r < 18 || !nullable) t->leaf = strata_decimal_value(strata_decimal_from_int64((int64_t)below(w, 9) - 4));
    return t;
}

static tree *random_cell(world *w, int cell) {
    return cell == ANY || cell == MORE ? random_mixed(w) : random_decimal_tree(w, cell == PRICE);
}

static void free_things(thing *things) {
    for (int i = 0; i < THINGS; i++) {
        for (int c = 0; c < CELLS; c++) tree_free(things[i].cells[c]);
    }
    memset(things, 0, THINGS * sizeof *things);
}

static void copy_things(thing *to, const thing *from) {
    free_things(to);
    for (int i = 0; i < THINGS; i++) {
        to[i] = from[i];
        for (int c = 0; c < CELLS; c++) to[i].cells[c] = from[i].key == 0 ? NULL : tree_copy(from[i].cells[c]);
    }
}

static uint64_t count_links(const world *w, uint32_t table, uint64_t key, int cell, int except) {
    uint64_t count = 0;
    for (int i = 0; i < THINGS; i++) {
        if (w->things[i].key != 0 && i != except) count += tree_count_links(w->things[i].cells[cell], table, key);
    }
    return count;
}

/* ---- Comparing -------------------------------------------------------- */

static bool has_bytes(const strata_value *v) {
    return v->type == STRATA_STRING || v->type == STRATA_DATA || v->type == STRATA_NESTED;
}

/* Reads a cell the way callers do, in parts if it is stored elsewhere, and compares every byte. */
static void check_cell(world *w, const strata_row *row, uint32_t column, const strata_value *expected) {
    fixture *f = w->f;
    strata_value actual;
    static uint8_t buffer[100000];
    MUST(strata_row_get(row, column, &actual, &f->error));
    CHECK_EQ(actual.type, expected->type);
    if (!has_bytes(expected)) {
        CHECK_EQ(strata_mixed_compare(&actual, expected), 0);
        CHECK_EQ(actual.table, expected->table);
        if (expected->type == STRATA_DECIMAL && !strata_decimal_is_zero(strata_decimal_load(expected->as.fixed)))
            CHECK(memcmp(actual.as.fixed, expected->as.fixed, 16) == 0);
        return;
    }
    size_t size = expected->as.bytes.size, at = 0, got = 0;
    CHECK_EQ(actual.as.bytes.size, size);
    CHECK(size <= sizeof buffer);
    CHECK(strata_value_is_outside(&actual) == (st_mixed_size(expected) > 1024));
    if (actual.as.bytes.data != NULL) CHECK(size == 0 || memcmp(actual.as.bytes.data, expected->as.bytes.data, size) == 0);
    do {
        MUST(strata_row_read(row, column, at, buffer + at, 1 + below(w, 2000), &got, &f->error));
        at += got;
    } while (got != 0);
    CHECK_EQ(at, size);
    CHECK(size == 0 || memcmp(buffer, expected->as.bytes.data, size) == 0);
}

static void check_things(world *w) {
    fixture *f = w->f;
    uint64_t count = 0;
    for (int i = 0; i < THINGS; i++) {
        const thing *t = &w->things[i];
        if (t->key == 0) continue;
        strata_row row = row_of(f, THING, t->key);
        for (int c = 0; c < CELLS; c++) {
            strata_value expected = tree_value(t->cells[c], w->builder);
            check_cell(w, &row, (uint32_t)c, &expected);
        }
        count++;
    }
    CHECK_EQ(table_size(f, THING), count);
}

static void check_backlinks(world *w) {
    for (int i = 0; i < 6; i++) {
        uint32_t table = (uint32_t)below(w, TABLES), column = (uint32_t)below(w, 2) == 0 ? ANY : MORE;
        uint64_t key = some_object(w, table);
        if (key == 0) continue;
        uint64_t expected = count_links(w, table, key, (int)column, -1), walked = 0;
        fixture *f = w->f;
        strata_cursor *cursor;
        strata_row row;
        CHECK_EQ(backlinks(f, table, key, THING, column), expected);
        MUST(strata_backlinks(f->view, table, key, THING, column, &cursor, &f->error));
        while (strata_cursor_next(cursor, &row, &f->error) == STRATA_OK) walked++;
        strata_cursor_close(cursor);
        CHECK_EQ(walked, expected);
        strata_query q = { .size = sizeof q, .source = STRATA_SOURCE_BACKLINKS, .table = THING, .origin_table = THING,
                           .origin_column = column, .key = (uint64_t)table << 48 | key };
        MUST(strata_query_count(f->view, &q, &walked, NULL, &f->error));
        CHECK_EQ(walked, expected);
    }
}

/* ---- Queries ---------------------------------------------------------- */

static bool is_nothing(const strata_value *v) { return v->type == STRATA_NULL; }

static int group_of(const strata_value *v) {
    switch (v->type) {
    case STRATA_INT:
    case STRATA_FLOAT:
    case STRATA_DOUBLE:
    case STRATA_DECIMAL: return STRATA_INT;
    default: return (int)v->type;
    }
}

/* ASCII only: there are no other letters here. */
static uint8_t lower(uint8_t byte, bool fold) { return fold && byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte; }

static bool stands_at(strata_bytes text, strata_bytes part, size_t at, bool fold) {
    const uint8_t *p = text.data, *q = part.data;
    for (size_t i = 0; i < part.size; i++) {
        if (lower(p[at + i], fold) != lower(q[i], fold)) return false;
    }
    return true;
}

static bool has_part(const strata_value *v, const strata_value *part, strata_operator op, bool fold) {
    strata_bytes a = v->as.bytes, b = part->as.bytes;
    bool text = v->type == STRATA_STRING || v->type == STRATA_DATA;
    if (!text || (part->type != STRATA_STRING && part->type != STRATA_DATA) || b.size == 0 || b.size > a.size) return false;
    for (size_t at = 0; at + b.size <= a.size; at++) {
        if (op == STRATA_BEGINS_WITH && at != 0) break;
        if (op == STRATA_ENDS_WITH && at + b.size != a.size) continue;
        if (stands_at(a, b, at, fold)) return true;
    }
    return false;
}

static bool equals(const strata_value *v, const strata_value *w, bool fold) {
    if (fold && v->type == STRATA_STRING && w->type == STRATA_STRING)
        return v->as.bytes.size == w->as.bytes.size && stands_at(v->as.bytes, w->as.bytes, 0, true);
    return strata_mixed_compare(v, w) == 0;
}

static bool meets(const strata_value *v, const strata_node *node) {
    const strata_value *w = node->values;
    bool fold = (node->options & STRATA_CASE_INSENSITIVE) != 0, any = false;
    switch (node->op) {
    case STRATA_EQUAL: return equals(v, w, fold);
    case STRATA_NOT_EQUAL: return !equals(v, w, fold);
    case STRATA_IN:
        for (uint32_t i = 0; i < node->value_count; i++) any = any || equals(v, w + i, fold);
        return any;
    case STRATA_BEGINS_WITH:
    case STRATA_ENDS_WITH:
    case STRATA_CONTAINS: return has_part(v, w, node->op, fold);
    default: break;
    }
    if (is_nothing(v) || is_nothing(w) || group_of(v) != group_of(w)) return false;
    int order = strata_mixed_compare(v, w);
    switch (node->op) {
    case STRATA_LESS: return order < 0;
    case STRATA_LESS_EQUAL: return order <= 0;
    case STRATA_GREATER: return order > 0;
    case STRATA_GREATER_EQUAL: return order >= 0;
    case STRATA_BETWEEN:
        return group_of(w + 1) == group_of(v) && order >= 0 && strata_mixed_compare(v, w + 1) <= 0;
    default: return false;
    }
}

enum { MOST_VALUES = 4 };

/* The rows a query is to give, by their keys and then in its order. */
static size_t answer(world *w, const strata_query *q, const strata_sort *sort, uint64_t limit, uint64_t *keys) {
    strata_value values[THINGS];
    void *blocks[THINGS];
    size_t count = 0;
    for (int i = 0; i < THINGS; i++) {
        const thing *t = &w->things[i];
        if (t->key == 0) continue;
        strata_value value = tree_value(t->cells[q->nodes[0].left.path[0].column], w->builder);
        if (q->node_count != 0 && !meets(&value, q->nodes)) continue;
        value = tree_value(t->cells[sort == NULL ? 0 : sort->path[0].column], w->builder);
        value = value_apart(&value, &blocks[count]);
        size_t at = count++;
        void *block = blocks[at];
        for (; at > 0; at--) {
            int order = sort == NULL ? 0 : strata_mixed_compare(&values[at - 1], &value);
            if (sort != NULL && sort->descending) order = -order;
            if (order < 0 || (order == 0 && keys[at - 1] < t->key)) break;
            keys[at] = keys[at - 1];
            values[at] = values[at - 1];
            blocks[at] = blocks[at - 1];
        }
        keys[at] = t->key;
        values[at] = value;
        blocks[at] = block;
    }
    for (size_t i = 0; i < count; i++) free(blocks[i]);
    return limit < count ? (size_t)limit : count;
}

/* An operand: mostly the value of some row, or a beginning of it. */
static tree *random_operand(world *w, int cell) {
    int from = (int)below(w, THINGS);
    if (w->things[from].key == 0 || below(w, 4) == 0) return random_cell(w, cell);
    tree *t = tree_copy(w->things[from].cells[cell]);
    bool text = t->kind == STRATA_SINGLE && (t->leaf.type == STRATA_STRING || t->leaf.type == STRATA_DATA);
    if (text && t->leaf.as.bytes.size > 1 && below(w, 2) == 0) t->leaf.as.bytes.size -= below(w, 2) + 1;
    if (text && below(w, 4) == 0 && t->owned != NULL && t->leaf.as.bytes.size != 0) *(char *)t->owned = 'A';
    return t;
}

static void check_query(world *w) {
    static const strata_operator operators[] = {
        STRATA_EQUAL, STRATA_NOT_EQUAL, STRATA_IN, STRATA_LESS, STRATA_LESS_EQUAL, STRATA_GREATER,
        STRATA_GREATER_EQUAL, STRATA_BETWEEN, STRATA_BEGINS_WITH, STRATA_ENDS_WITH, STRATA_CONTAINS,
    };
    fixture *f = w->f;
    uint32_t column = (uint32_t)below(w, CELLS), sort_column = (uint32_t)below(w, CELLS);
    bool mixed = column == ANY || column == MORE;
    strata_value values[MOST_VALUES];
    tree *trees[MOST_VALUES];
    strata_nested *builders[MOST_VALUES];
    strata_node node = { .op = operators[below(w, mixed ? 11 : 8)], .left = path_of(column), .values = values };
    strata_sort sort = { path_of(sort_column).path, 1, below(w, 2) != 0 };
    bool sorted = below(w, 2) == 0;
    strata_stage stages[] = {
        { .kind = STRATA_STAGE_SORT, .key_count = sorted, .keys = &sort },
        { .kind = STRATA_STAGE_LIMIT, .limit = below(w, 3) == 0 ? below(w, 20) : UINT64_MAX },
    };
    strata_query q = { .size = sizeof q, .table = THING, .nodes = &node, .stages = stages, .stage_count = 2 };
    q.node_count = below(w, 6) != 0;
    bool may_fold = node.op < STRATA_LESS || (node.op >= STRATA_IN && node.op < STRATA_BETWEEN);
    if (mixed && may_fold && below(w, 3) == 0) node.options = STRATA_CASE_INSENSITIVE;
    node.value_count = node.op == STRATA_IN ? (uint32_t)below(w, MOST_VALUES + 1) : node.op == STRATA_BETWEEN ? 2 : 1;
    for (uint32_t i = 0; i < node.value_count; i++) {
        trees[i] = random_operand(w, (int)column);
        builders[i] = strata_nested_make();
        CHECK(builders[i] != NULL);
        values[i] = tree_value(trees[i], builders[i]);
    }
    uint64_t expected[THINGS], counted;
    size_t count = answer(w, &q, sorted ? &sort : NULL, stages[1].limit, expected);
    strata_keys keys;
    strata_query_stats stats;
    MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
    if (keys.count != count || (count != 0 && memcmp(keys.data, expected, count * sizeof *expected) != 0)) {
        char text[400];
        snprintf(text, sizeof text, "%llu instead of %zu rows, or others: operator %d, column %u, type %d, sort %u: %s",
                 (unsigned long long)keys.count, count, (int)node.op, column, (int)values[0].type, sort_column,
                 stats.plan);
        ctest_fail(__FILE__, __LINE__, text);
    }
    check_prepared(f->view, &q, &keys);
    strata_keys_free(&keys);
    MUST(strata_query_count(f->view, &q, &counted, NULL, &f->error));
    CHECK_EQ(counted, count);
    for (uint32_t i = 0; i < node.value_count; i++) {
        tree_free(trees[i]);
        strata_nested_free(builders[i]);
    }
}

/* A range of the index, walked by a cursor: every value between the bounds, whatever its type. */
static void check_index_scan(world *w) {
    fixture *f = w->f;
    tree *low = random_operand(w, ANY), *high = random_operand(w, ANY);
    strata_value from = tree_value(low, w->builder), to = tree_value(high, w->second);
    strata_range range = { below(w, 3) == 0 ? NULL : &from, below(w, 3) == 0 ? NULL : &to, below(w, 2) != 0,
                           below(w, 2) != 0 };
    strata_nested *builder = strata_nested_make();
    uint64_t expected = 0, walked = 0;
    CHECK(builder != NULL);
    for (int i = 0; i < THINGS; i++) {
        if (w->things[i].key == 0) continue;
        strata_value value = tree_value(w->things[i].cells[ANY], builder);
        int after = range.low == NULL ? 1 : strata_mixed_compare(&value, &from);
        int before = range.high == NULL ? -1 : strata_mixed_compare(&value, &to);
        bool in = (after > 0 || (after == 0 && !range.low_open)) && (before < 0 || (before == 0 && !range.high_open));
        expected += in;
    }
    strata_cursor *cursor;
    strata_row row;
    strata_status status;
    MUST(strata_index_scan(f->view, THING, ANY, &range, below(w, 2) != 0, &cursor, &f->error));
    while ((status = strata_cursor_next(cursor, &row, &f->error)) == STRATA_OK) walked++;
    CHECK_EQ(status, STRATA_END);
    strata_cursor_close(cursor);
    CHECK_EQ(walked, expected);
    strata_nested_free(builder);
    tree_free(low);
    tree_free(high);
}

/* ---- Operations ------------------------------------------------------- */

static void create_thing(world *w) {
    fixture *f = w->f;
    int slot = (int)below(w, THINGS);
    thing *t = &w->things[slot];
    strata_value values[CELLS];
    if (t->key != 0) return;
    for (int c = 0; c < CELLS; c++) t->cells[c] = random_cell(w, c);
    values[ANY] = tree_value(t->cells[ANY], w->builder);
    values[MORE] = tree_value(t->cells[MORE], w->second);
    for (int c = PRICE; c < CELLS; c++) values[c] = t->cells[c]->leaf;
    MUST(strata_object_create(f->view, THING, values, CELLS, &t->key, &f->error));
}

static void change_thing(world *w) {
    thing *t = &w->things[below(w, THINGS)];
    if (t->key == 0) return;
    int cell = (int)below(w, CELLS);
    tree *fresh = random_cell(w, cell);
    strata_value value = tree_value(fresh, w->builder);
    set(w->f, THING, t->key, (uint32_t)cell, value);
    tree_free(t->cells[cell]);
    t->cells[cell] = fresh;
}

/* A value lent by one row goes into another one. */
static void copy_cell(world *w) {
    fixture *f = w->f;
    thing *from = &w->things[below(w, THINGS)], *to = &w->things[below(w, THINGS)];
    int a = (int)below(w, 2), b = (int)below(w, 2);
    if (from->key == 0 || to->key == 0) return;
    strata_row row = row_of(f, THING, from->key), target = row_of(f, THING, to->key);
    strata_value value;
    MUST(strata_row_get(&row, (uint32_t)a, &value, &f->error));
    if (strata_value_is_outside(&value)) return;
    tree *copy = tree_copy(from->cells[a]);
    MUST(strata_row_set(&target, (uint32_t)b, &value, &f->error));
    tree_free(to->cells[b]);
    to->cells[b] = copy;
}

static void forget_links(world *w, uint32_t table, uint64_t key) {
    for (int i = 0; i < THINGS; i++) {
        if (w->things[i].key == 0) continue;
        for (int c = ANY; c <= MORE; c++) w->things[i].cells[c] = tree_unlink(w->things[i].cells[c], table, key);
    }
}

/* Deletes an object; if others link to it that is refused, and works once it is unlinked. */
static void delete_one(world *w) {
    fixture *f = w->f;
    uint32_t table = (uint32_t)below(w, TABLES);
    int slot = (int)below(w, table == THING ? THINGS : OTHERS);
    uint64_t *place = table == THING ? &w->things[slot].key : &w->others[slot], key = *place;
    if (key == 0) return;
    int except = table == THING ? slot : -1;
    bool linked = count_links(w, table, key, ANY, except) + count_links(w, table, key, MORE, except) != 0;
    strata_status status = strata_object_delete(f->view, table, key, &f->error);
    CHECK_EQ(status, linked ? STRATA_REFERENCED : STRATA_OK);
    if (linked) {
        MUST(strata_object_unlink(f->view, table, key, &f->error));
        forget_links(w, table, key);
        if (below(w, 3) == 0) return;
        MUST(strata_object_delete(f->view, table, key, &f->error));
    }
    *place = 0;
    for (int c = 0; table == THING && c < CELLS; c++) {
        tree_free(w->things[slot].cells[c]);
        w->things[slot].cells[c] = NULL;
    }
}

static void refuse_one(world *w) {
    fixture *f = w->f;
    thing *t = &w->things[below(w, THINGS)];
    if (t->key == 0) return;
    strata_row row = row_of(f, THING, t->key);
    strata_value gone = strata_mixed_link(OTHER, 100000), wrong = strata_mixed_link(77, 1), nested;
    CHECK_EQ(strata_nested_begin_list(w->builder, NULL, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_append(w->builder, &gone, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_end(w->builder, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_finish(w->builder, &nested, NULL), STRATA_OK);
    REFUSED(strata_row_set(&row, ANY, &gone, &f->error), STRATA_MISUSE, "Thing.any", "100000", "Other");
    REFUSED(strata_row_set(&row, ANY, &wrong, &f->error), STRATA_MISUSE, "Thing.any", "table that does not exist");
    REFUSED(strata_row_set(&row, MORE, &nested, &f->error), STRATA_MISUSE, "Thing.more", "100000");
}

static void change_something(world *w) {
    uint64_t r = below(w, 40);
    if (r < 14) create_thing(w);
    else if (r < 30) change_thing(w);
    else if (r < 33) copy_cell(w);
    else if (r < 38) delete_one(w);
    else if (r == 38) refuse_one(w);
    else {
        fixture *f = w->f;
        uint64_t *key = &w->others[below(w, OTHERS)];
        if (*key == 0) MUST(strata_object_create(f->view, OTHER, NULL, 0, key, &f->error));
    }
}

static void open_world(world *w) {
    strata_column_spec thing_columns[] = {
        column("any", STRATA_MIXED, STRATA_COLUMN_INDEXED), column("more", STRATA_MIXED, 0),
        column("price", STRATA_DECIMAL, STRATA_COLUMN_NULLABLE), column("cost", STRATA_DECIMAL, 0),
    };
    strata_column_spec other_columns[] = { column("name", STRATA_STRING, STRATA_COLUMN_NULLABLE) };
    strata_table_spec tables[] = { { "Thing", 0, CELLS, thing_columns }, { "Other", 0, 1, other_columns } };
    fixture *f = w->f = fixture_open("mixed");
    MUST(apply(f, 1, tables, TABLES));
}

/* Whatever there is, it goes with its tables, and leaves nothing behind. */
static void clear_all(world *w) {
    static const st_tree trees[] = { ST_ROWS, ST_INDEX, ST_LINKS, ST_COLLECTIONS, ST_BLOBS };
    fixture *f = w->f;
    uint32_t tables[TABLES];
    for (uint32_t t = 0; t < TABLES; t++) tables[t] = t;
    MUST(strata_view_begin(f->view, &f->error));
    for (uint64_t i = below(w, 20); i > 0; i--) change_something(w);
    MUST(strata_tables_clear(f->view, tables, TABLES, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) CHECK_EQ(tree_entries(f, trees[i]), 0);
}

void test_mixed_model(void) {
    enum { TRANSACTIONS = 60 };
    world *w = calloc(1, sizeof *w);
    CHECK(w != NULL);
    w->random = ctest_seed();
    w->builder = strata_nested_make();
    w->second = strata_nested_make();
    CHECK(w->builder != NULL && w->second != NULL);
    open_world(w);
    for (int round = 0; round < TRANSACTIONS; round++) {
        fixture *f = w->f;
        MUST(strata_view_begin(f->view, &f->error));
        uint64_t changes = below(w, 60);
        for (uint64_t i = 0; i < changes; i++) {
            change_something(w);
            if (below(w, 25) == 0) check_backlinks(w);
            if (below(w, 25) == 0) check_query(w);
        }
        if (below(w, 5) == 0) {
            strata_view_cancel(f->view);
            copy_things(w->things, w->saved);
            memcpy(w->others, w->saved_others, sizeof w->others);
        } else {
            MUST(strata_view_commit(f->view, &f->error));
            copy_things(w->saved, w->things);
            memcpy(w->saved_others, w->others, sizeof w->others);
        }
        if (below(w, 6) == 0) {
            fixture_close(f);
            open_world(w);
        }
        verify(w->f);
        check_things(w);
        check_backlinks(w);
        for (int i = 0; i < 25; i++) check_query(w);
        for (int i = 0; i < 10; i++) check_index_scan(w);
    }
    clear_all(w);
    fixture_close(w->f);
    free_things(w->things);
    free_things(w->saved);
    strata_nested_free(w->builder);
    strata_nested_free(w->second);
    free(w);
}
