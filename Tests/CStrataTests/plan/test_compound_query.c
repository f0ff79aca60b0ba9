/* SPDX-License-Identifier: MIT
 * test_compound_query.c -- queries by way of compound indexes: what they visit, and that they agree with scans. */
#include <errno.h>
#include <stdio.h>

#include "support/faults.h"
#include "support/prepared_support.h"
#include "support/strata_support.h"
#include "support/tuple_support.h"

/* ---- What is visited -------------------------------------------------- */

/* Order: city (string), age (int), day (date, optional), amount (double), of which 60 cities, 10 ages and 10 days are
 * combined, each once. */
enum { CITY, AGE, DAY, AMOUNT, CITIES = 60, AGES = 10, DAYS = 10, PER_CITY = AGES * DAYS, ORDERS = CITIES * PER_CITY };

static void make_orders(fixture *f, const strata_index_spec *indexes, uint32_t count) {
    strata_column_spec columns[] = { column("city", STRATA_STRING, 0), column("age", STRATA_INT, 0),
                                     column("day", STRATA_DATE, STRATA_COLUMN_NULLABLE),
                                     column("amount", STRATA_DOUBLE, 0) };
    strata_table_spec table = { "Order", 0, 4, columns, indexes, count };
    MUST(apply(f, 0, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ORDERS; i++) {
        char city[12];
        int n = i * 7 % ORDERS; /* in no order */
        snprintf(city, sizeof city, "City %02d", n / PER_CITY);
        ADD(0, value_of(city), strata_int(n / DAYS % AGES), n % DAYS == 0 ? strata_null() : strata_date(n % DAYS),
            strata_double(n));
    }
    MUST(strata_view_commit(f->view, &f->error));
}

static strata_node node_of(uint32_t number, strata_operator op, const strata_value *values, uint32_t count) {
    return (strata_node){ .op = op, .left = path_of(number), .value_count = count, .values = values };
}

/* Runs and counts a query on Order: how many it finds, and how many rows and entries it visits for that. */
static void check_visits(fixture *f, const strata_query *query, uint64_t found, uint64_t rows, uint64_t entries,
                         const char *plan) {
    strata_query_stats stats;
    strata_keys keys;
    uint64_t count;
    MUST(strata_query_run(f->view, query, &keys, &stats, &f->error));
    CHECK_EQ(keys.count, found);
    CHECK_EQ(stats.rows_visited, rows);
    CHECK_EQ(stats.entries_visited, entries);
    if (strncmp(stats.plan, plan, strlen(plan)) != 0) CHECK_TEXT(stats.plan, plan);
    strata_keys_free(&keys);
    if (query->stage_count != 0) return;
    MUST(strata_query_count(f->view, query, &count, &stats, &f->error));
    CHECK_EQ(count, found);
    CHECK_EQ(stats.rows_visited, rows);
    if (rows == 0) CHECK_EQ(stats.entries_visited, 0);
}

void test_compound_query_conditions(void) {
    fixture *f = fixture_open_memory();
    static const char *const names[] = { "city", "age", "day" };
    strata_index_spec index = { 3, names };
    make_orders(f, &index, 1);
    strata_value city = value_of("City 07"), age = strata_int(4), day = strata_date(3), null = strata_null();
    strata_value ages[] = { strata_int(3), strata_int(5) }, days[] = { strata_date(2), strata_date(5) };
    strata_value amount = strata_double(750), some[] = { strata_int(9), strata_int(2), strata_int(9), strata_int(77) };
    strata_value begin = value_of("City 0");
    strata_node nodes[5] = { { .op = STRATA_AND, .children = 3 } };
    strata_query query = { .size = sizeof query, .nodes = nodes, .node_count = 4 };

    /* All columns; the order of the comparisons does not matter. */
    nodes[1] = node_of(DAY, STRATA_EQUAL, &day, 1);
    nodes[2] = node_of(CITY, STRATA_EQUAL, &city, 1);
    nodes[3] = node_of(AGE, STRATA_EQUAL, &age, 1);
    check_visits(f, &query, 1, 0, 1, "index city, age, day: ");
    nodes[1] = node_of(DAY, STRATA_EQUAL, &null, 1);
    check_visits(f, &query, 1, 0, 1, "index city, age, day: ");

    /* The first ones, and a range of the next. */
    nodes[1] = node_of(DAY, STRATA_BETWEEN, days, 2);
    check_visits(f, &query, 4, 0, 4, "index city, age, day: ");
    nodes[1] = node_of(DAY, STRATA_LESS, &day, 1);
    check_visits(f, &query, 2, 0, 2, "index city, age, day: ");
    nodes[0].children = 4;
    nodes[4] = node_of(DAY, STRATA_GREATER_EQUAL, &days[0], 1);
    query.node_count = 5;
    check_visits(f, &query, 1, 0, 1, "index city, age, day: ");
    nodes[0].children = 2;
    query.node_count = 3;
    nodes[1] = node_of(CITY, STRATA_EQUAL, &city, 1);
    nodes[2] = node_of(AGE, STRATA_BETWEEN, ages, 2);
    check_visits(f, &query, 30, 0, 30, "index city, age, day: ");

    /* Any of several values, of which some are the same and one is nowhere. */
    nodes[2] = node_of(AGE, STRATA_IN, some, 4);
    check_visits(f, &query, 20, 0, 20, "index city, age, day: ");
    nodes[0].children = 3;
    query.node_count = 4;
    nodes[3] = node_of(DAY, STRATA_EQUAL, &day, 1);
    check_visits(f, &query, 2, 0, 2, "index city, age, day: ");

    /* What the index does not say is tested on the rows that it gives. */
    nodes[1] = node_of(CITY, STRATA_EQUAL, &city, 1);
    nodes[2] = node_of(DAY, STRATA_EQUAL, &day, 1);
    nodes[3] = node_of(AMOUNT, STRATA_GREATER_EQUAL, &amount, 1);
    check_visits(f, &query, 5, PER_CITY, PER_CITY, "index city, age, day: ");

    /* Only the first column: by a value and by a prefix. */
    query.nodes = nodes + 1;
    query.node_count = 1;
    check_visits(f, &query, PER_CITY, 0, PER_CITY, "index city, age, day: ");
    nodes[1] = node_of(CITY, STRATA_BEGINS_WITH, &begin, 1);
    check_visits(f, &query, 10 * PER_CITY, 0, 10 * PER_CITY, "index city, age, day: ");
    fixture_close(f);
}

/* The steps that a query takes, of which counting the entries of a range is one. */
static uint64_t steps_of(fixture *f, const strata_query *query) {
    strata_interrupt *interrupt;
    strata_keys keys;
    MUST(strata_interrupt_make(&interrupt, &f->error));
    MUST(strata_view_set_interrupt(f->view, interrupt, &f->error));
    MUST(strata_query_run(f->view, query, &keys, NULL, &f->error));
    uint64_t steps = strata_interrupt_steps(interrupt);
    MUST(strata_view_set_interrupt(f->view, NULL, &f->error));
    strata_keys_free(&keys);
    strata_interrupt_free(interrupt);
    return steps;
}

void test_compound_query_orders(void) {
    fixture *f = fixture_open_memory();
    static const char *const names[] = { "city", "age", "day" };
    strata_index_spec index = { 3, names };
    make_orders(f, &index, 1);
    strata_value city = value_of("City 07"), age = strata_int(4), ages[] = { strata_int(3), strata_int(5) };
    strata_value amount = strata_double(720), more = strata_double(780);
    strata_sort by_age[] = { { path_of(AGE).path, 1, false }, { path_of(DAY).path, 1, false } };
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .keys = by_age, .key_count = 2 },
                              { .kind = STRATA_STAGE_LIMIT, .limit = 7 } };
    strata_node nodes[4] = { { .op = STRATA_AND, .children = 2 } };
    strata_query query = { .size = sizeof query, .nodes = nodes + 1, .node_count = 1, .stages = stages,
                           .stage_count = 2 };

    /* No more entries than are wanted. */
    nodes[1] = node_of(CITY, STRATA_EQUAL, &city, 1);
    check_visits(f, &query, 7, 0, 7, "index city, age, day: ");
    query.stage_count = 1;
    check_visits(f, &query, PER_CITY, 0, PER_CITY, "index city, age, day: ");

    /* Backward, or with a column behind: of the last group, all entries. */
    query.stage_count = 2;
    by_age[0].descending = by_age[1].descending = true;
    check_visits(f, &query, 7, 0, 8, "index city, age, day: ");
    stages[0].key_count = 1;
    check_visits(f, &query, 7, 0, DAYS + 1, "index city, age, day: ");
    by_age[0].descending = false;
    check_visits(f, &query, 7, 0, DAYS + 1, "index city, age, day: ");

    /* With a range of the column that orders. */
    query.nodes = nodes;
    query.node_count = 3;
    nodes[2] = node_of(AGE, STRATA_BETWEEN, ages, 2);
    check_visits(f, &query, 7, 0, DAYS + 1, "index city, age, day: ");

    /* A column that is equal to something does not matter to the order. */
    strata_sort by_day[] = { { path_of(AGE).path, 1, true }, { path_of(DAY).path, 1, false } };
    stages[0].keys = by_day;
    stages[0].key_count = 2;
    nodes[2] = node_of(AGE, STRATA_EQUAL, &age, 1);
    check_visits(f, &query, 7, 0, 7, "index city, age, day: ");
    CHECK_EQ(steps_of(f, &query), 7); /* nothing is counted to choose that */

    /* What else there is to test is tested on the way: 20 rows that do not meet it, and 7 that do. */
    stages[0].keys = by_age;
    stages[0].key_count = 2;
    by_age[1].descending = false;
    nodes[2] = node_of(AMOUNT, STRATA_GREATER_EQUAL, &amount, 1);
    check_visits(f, &query, 7, 27, 27, "index city, age, day: ");

    /* When too many do not meet it, sorting all that there are is begun after all. */
    strata_query_stats stats;
    strata_keys keys;
    nodes[2] = node_of(AMOUNT, STRATA_GREATER_EQUAL, &more, 1);
    MUST(strata_query_run(f->view, &query, &keys, &stats, &f->error));
    CHECK_EQ(keys.count, 7);
    CHECK(stats.rows_visited >= 87 && stats.rows_visited < 2 * PER_CITY);
    CHECK(strstr(stats.plan, "index city, age, day: ") != NULL && strstr(stats.plan, "order") != NULL);
    strata_keys_free(&keys);

    /* No condition at all: the order of the whole table. */
    strata_sort by_city[] = { { path_of(CITY).path, 1, false }, { path_of(AGE).path, 1, false },
                              { path_of(DAY).path, 1, false } };
    stages[0].keys = by_city;
    stages[0].key_count = 3;
    query.nodes = NULL;
    query.node_count = 0;
    check_visits(f, &query, 7, 0, 7, "index city, age, day");
    fixture_close(f);
}

/* Entries that are alike in what is sorted by are looked at together, which can be dearer than looking at all rows. */
void test_compound_query_long_runs(void) {
    fixture *f = fixture_open_memory();
    static const char *const names[] = { "age", "city", "day" };
    strata_index_spec index = { 3, names };
    make_orders(f, &index, 1);
    strata_sort sorts[] = { { path_of(AGE).path, 1, false }, { path_of(CITY).path, 1, false },
                            { path_of(AMOUNT).path, 1, false } };
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .keys = sorts, .key_count = 1 },
                              { .kind = STRATA_STAGE_LIMIT, .limit = 7 } };
    strata_query query = { .size = sizeof query, .stages = stages, .stage_count = 2 };
    check_visits(f, &query, 7, 0, ORDERS / AGES + 1, "index age, city, day"); /* the keys of a run are put in order */
    stages[0].key_count = 2;
    check_visits(f, &query, 7, 0, DAYS + 1, "index age, city, day");
    stages[0].key_count = 3;
    check_visits(f, &query, 7, DAYS, DAYS + 1, "index age, city, day"); /* and so are its rows, */
    sorts[1] = sorts[2];
    stages[0].key_count = 2;
    check_visits(f, &query, 7, ORDERS, 0, "scan Order, first 7 of the order"); /* unless there are too many */
    fixture_close(f);
}

/* ---- Against a scan --------------------------------------------------- */

enum { INDEXED, PLAIN, ROWS = 700, COLUMNS = 8, MOST_NODES = 12, MOST_INDEXES = 5 };

typedef struct world {
    fixture *f;
    uint64_t random;
    strata_column_spec columns[COLUMNS];
    const char *names[MOST_INDEXES][STRATA_MAX_INDEX_COLUMNS];
    strata_value rows[ROWS][COLUMNS];
    strata_node nodes[MOST_NODES];
    strata_value values[MOST_NODES][4];
    strata_sort sorts[3];
    strata_stage stages[2];
    strata_value place[3];
    strata_bookmark after;
    uint64_t visited[2], by_index; /* rows visited, and queries answered by a compound index */
} world;

static uint64_t below(world *w, uint64_t limit) { return ctest_random(&w->random) % limit; }

static void random_columns(world *w) {
    static const char *const names[COLUMNS] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    for (int c = 0; c < COLUMNS; c++) {
        strata_type type = c == 0 ? STRATA_STRING : c == 1 ? STRATA_INT : tuple_types[below(w, 7)];
        w->columns[c] = column(names[c], type, below(w, 2) == 0 ? STRATA_COLUMN_NULLABLE : 0);
        if (type == STRATA_LINK) w->columns[c].target = "Plain";
    }
}

/* An index of some columns in any order. */
static strata_index_spec random_index(world *w, const char *names[STRATA_MAX_INDEX_COLUMNS]) {
    uint32_t order[COLUMNS] = { 0, 1, 2, 3, 4, 5, 6, 7 }, count = 2 + (uint32_t)below(w, 3);
    if (below(w, 5) == 0) count = 2 + (uint32_t)below(w, COLUMNS - 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t other = i + below(w, COLUMNS - i);
        uint32_t swap = order[i];
        order[i] = order[other];
        order[other] = swap;
        names[i] = w->columns[order[i]].name;
    }
    return (strata_index_spec){ count, names };
}

/* Gives one of two tables, of the same columns, indexes at random. */
static void apply_indexes(world *w) {
    fixture *f = w->f;
    strata_index_spec indexes[MOST_INDEXES];
    strata_column_spec with_single[COLUMNS];
    memcpy(with_single, w->columns, sizeof with_single);
    uint64_t single = below(w, COLUMNS);
    if (with_single[single].type != STRATA_LINK) with_single[single].flags |= STRATA_COLUMN_INDEXED;
    for (int i = 0; i < MOST_INDEXES; i++) indexes[i] = random_index(w, w->names[i]);
    strata_table_spec tables[] = { { "Indexed", 0, COLUMNS, with_single, indexes },
                                   { "Plain", 0, COLUMNS, w->columns } };
    tables[0].index_count = 1 + (uint32_t)below(w, MOST_INDEXES);
    strata_status status = apply(f, 0, tables, 2);
    if (status == STRATA_INVALID_SCHEMA) { /* twice the same index */
        tables[0].index_count = 1;
        status = apply(f, 0, tables, 2);
    }
    MUST(status);
    verify(f);
}

static void add_rows(world *w) {
    fixture *f = w->f;
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            strata_type type = w->columns[c].type;
            w->rows[i][c] = tuple_random_value(&w->random, type, (w->columns[c].flags & STRATA_COLUMN_NULLABLE) != 0);
            if (i < 5 && type == STRATA_LINK) w->rows[i][c] = strata_null();
        }
        uint64_t key = add(f, PLAIN, COLUMNS, w->rows[i]);
        CHECK_EQ(add(f, INDEXED, COLUMNS, w->rows[i]), key);
    }
    MUST(strata_view_commit(f->view, &f->error));
    verify(f);
}

static bool takes_ranges(strata_type type) { return type != STRATA_BOOL && type != STRATA_LINK; }

static strata_value random_operand(world *w, uint32_t number) {
    strata_value value = w->rows[below(w, ROWS)][number];
    if (below(w, 5) == 0) value = tuple_random_value(&w->random, w->columns[number].type, true);
    return value;
}

/* A comparison of a column with what it often is; equality more often than not. */
static void random_node(world *w, uint32_t at) {
    uint32_t number = (uint32_t)below(w, COLUMNS), count = 1;
    strata_value *values = w->values[at];
    strata_operator op = STRATA_EQUAL;
    strata_type type = w->columns[number].type;
    uint64_t pick = below(w, 12);
    if (pick == 0) op = STRATA_NOT_EQUAL;
    else if (pick < 3) op = STRATA_IN, count = (uint32_t)below(w, 4);
    else if (pick < 6 && takes_ranges(type)) op = (strata_operator)(STRATA_LESS + below(w, 4));
    else if (pick == 6 && (type == STRATA_INT || type == STRATA_DATE)) op = STRATA_BETWEEN, count = 2;
    else if (pick < 9 && type == STRATA_STRING) op = STRATA_BEGINS_WITH;
    for (uint32_t i = 0; i < count; i++) values[i] = random_operand(w, number);
    if (op == STRATA_BEGINS_WITH && values[0].type == STRATA_STRING)
        values[0].as.bytes.size = (size_t)below(w, values[0].as.bytes.size + 1);
    w->nodes[at] = node_of(number, op, values, count);
    bool text = type == STRATA_STRING && (op == STRATA_EQUAL || op == STRATA_BEGINS_WITH);
    if (text && below(w, 6) == 0) w->nodes[at].options = STRATA_CASE_INSENSITIVE;
}

/* Comparisons that all have to hold, in front of the others. */
static uint32_t random_conjunction(world *w, uint32_t at, uint32_t most) {
    uint32_t count = (uint32_t)below(w, most + 1);
    w->nodes[at++] = (strata_node){ .op = STRATA_AND, .children = count };
    while (count-- > 0) random_node(w, at++);
    return at;
}

static void random_query(world *w, strata_query *out) {
    uint32_t sorts = (uint32_t)below(w, 4), end;
    if (below(w, 4) == 0) { /* one of two */
        w->nodes[0] = (strata_node){ .op = STRATA_OR, .children = 2 };
        end = random_conjunction(w, random_conjunction(w, 1, 4), 4);
    } else {
        end = random_conjunction(w, 0, 5);
    }
    *out = (strata_query){ .size = sizeof *out, .nodes = w->nodes, .node_count = end, .stages = w->stages };
    bool descending = below(w, 2) == 0;
    for (uint32_t i = 0; i < sorts; i++) {
        uint32_t number = (uint32_t)below(w, COLUMNS);
        if (w->columns[number].type == STRATA_LINK) number = 1;
        w->sorts[i] = (strata_sort){ path_of(number).path, 1, below(w, 8) == 0 ? !descending : descending };
    }
    if (sorts != 0)
        w->stages[out->stage_count++] =
            (strata_stage){ .kind = STRATA_STAGE_SORT, .keys = w->sorts, .key_count = sorts };
    if (below(w, 2) == 0)
        w->stages[out->stage_count++] = (strata_stage){ .kind = STRATA_STAGE_LIMIT, .limit = below(w, 30) };
    if (below(w, 4) != 0) return;
    uint64_t row = below(w, ROWS); /* a place behind it */
    for (uint32_t i = 0; i < sorts; i++) /* null also where no object has it: the place may be older than the schema */
        w->place[i] = below(w, 10) == 0 ? strata_null() : w->rows[row][w->sorts[i].path->column];
    w->after = (strata_bookmark){ w->place, sorts, 1 + below(w, ROWS) };
    out->after = &w->after;
}

static void compare(world *w, strata_query *query) {
    fixture *f = w->f;
    strata_keys keys[2];
    strata_query_stats stats[2];
    uint64_t counts[2];
    for (uint32_t table = INDEXED; table <= PLAIN; table++) {
        query->table = table;
        MUST(strata_query_run(f->view, query, &keys[table], &stats[table], &f->error));
        w->visited[table] += stats[table].rows_visited;
        MUST(strata_query_count(f->view, query, &counts[table], NULL, &f->error));
        CHECK_EQ(counts[table], keys[table].count);
        check_prepared(f->view, query, &keys[table]);
    }
    w->by_index += strstr(stats[INDEXED].plan, ": ") != NULL;
    CHECK_EQ(keys[INDEXED].count, keys[PLAIN].count);
    if (keys[PLAIN].count != 0)
        CHECK(memcmp(keys[INDEXED].data, keys[PLAIN].data, (size_t)keys[PLAIN].count * sizeof *keys[PLAIN].data) == 0);
    strata_keys_free(&keys[INDEXED]);
    strata_keys_free(&keys[PLAIN]);
}

/* Allocation number N fails, for every N. */
void test_compound_query_without_memory(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    static const char *const names[] = { "city", "age", "day" };
    strata_index_spec index = { 3, names };
    fixture *f = fixture_open_memory();
    make_orders(f, &index, 1);
    strata_value cities[] = { value_of("City 07"), value_of("City 50") }, age = strata_int(4);
    strata_sort by_day = { path_of(DAY).path, 1, true };
    strata_stage stage = { .kind = STRATA_STAGE_SORT, .keys = &by_day, .key_count = 1 };
    strata_node nodes[] = { { .op = STRATA_AND, .children = 2 }, node_of(CITY, STRATA_IN, cities, 2),
                            node_of(AGE, STRATA_EQUAL, &age, 1) };
    strata_query query = { .size = sizeof query, .nodes = nodes, .node_count = 3, .stages = &stage, .stage_count = 1 };
    check_visits(f, &query, 2 * DAYS, 2 * DAYS, 2 * DAYS, "index city, age, day: "); /* a view keeps its cursors */
    for (uint32_t one_city = 0; one_city < 2; one_city++) { /* with an order to be made, and with that of the index */
        if (one_city) nodes[1] = node_of(CITY, STRATA_EQUAL, cities, 1);
        bool met = true;
        for (unsigned n = 1; met; n++) {
            strata_keys keys;
            long before = fault_blocks();
            fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
            strata_status status = strata_query_run(f->view, &query, &keys, NULL, &f->error);
            met = fault_clear();
            CHECK_EQ(status, met ? STRATA_NO_MEMORY : STRATA_OK);
            CHECK_EQ(keys.count, met ? 0 : one_city ? DAYS : 2 * DAYS);
            strata_keys_free(&keys);
            CHECK_EQ(fault_blocks(), before);
            CHECK(!met || n < 1000);
            if (!met) CHECK(n > 3);
        }
    }
    fixture_close(f);
}

void test_compound_query_against_a_scan(void) {
    static world w;
    w = (world){ .random = ctest_seed() };
    for (int round = 0; round < 8; round++) {
        w.f = fixture_open_memory();
        random_columns(&w);
        apply_indexes(&w);
        add_rows(&w);
        for (unsigned i = 0, rounds = ctest_rounds(600); i < rounds; i++) {
            strata_query query;
            if (i % 200 == 199) apply_indexes(&w); /* others, of the rows that are there */
            random_query(&w, &query);
            compare(&w, &query);
        }
        fixture_close(w.f);
    }
    CHECK(w.by_index > ctest_rounds(100));
    CHECK(w.visited[INDEXED] < w.visited[PLAIN]);
}
