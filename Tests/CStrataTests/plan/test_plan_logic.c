/* SPDX-License-Identifier: MIT
 * test_plan_logic.c -- AND, OR, NOT, objects themselves, and values taken but once: what indexes do for them, compared
 * with what a table of the same objects without indexes finds. */
#include <errno.h>
#include <stdio.h>

#include "support/faults.h"
#include "support/prepared_support.h"
#include "strata_mixed.h"
#include "strata_predicate.h"
#include "support/strata_support.h"

enum { INDEXED, PLAIN };
enum { ID, AGE, CITY, BORN, ANY, SCORE, COLUMNS };
enum { ROWS = 3000, AGES = 50, CITIES = 30, LONG = 600 };

/* Every third has no date; values of any type are ints, strings and nulls; one city has a long name. */
static void add_object(fixture *f, uint32_t table, int i) {
    char city[LONG] = { 0 };
    (void)snprintf(city, sizeof city, "city %02d", i % CITIES);
    if (i == 17) memset(city + 7, 'x', LONG - 8);
    strata_value any = i % 3 == 0 ? strata_null() : i % 3 == 1 ? strata_int(i % 7) : value_of(city);
    strata_value born = i % 3 == 0 ? strata_null() : strata_date(i % 100);
    ADD(table, strata_int(3 * i), strata_int(i % AGES), value_of(city), born, any, strata_double(i));
}

static fixture *make_twins(void) {
    enum { N = STRATA_COLUMN_NULLABLE, I = STRATA_COLUMN_INDEXED };
    fixture *f = fixture_open_memory();
    strata_column_spec indexed[COLUMNS] = {
        column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("age", STRATA_INT, I), column("city", STRATA_STRING, I),
        column("born", STRATA_DATE, N | I), column("any", STRATA_MIXED, I), column("score", STRATA_DOUBLE, 0),
    };
    strata_column_spec plain[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        plain[i] = indexed[i];
        plain[i].flags &= N;
    }
    strata_table_spec tables[] = { { .name = "Indexed", .column_count = COLUMNS, .columns = indexed },
                                   { .name = "Plain", .column_count = COLUMNS, .columns = plain } };
    MUST(apply(f, 1, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) {
        add_object(f, INDEXED, i);
        add_object(f, PLAIN, i);
    }
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

/* Parses text, NULL for none, and calls a function with the query. */
typedef void with_query(fixture *f, strata_query *query, void *context);
static void query_of_text(fixture *f, uint32_t table, const char *text, with_query *body, void *context) {
    strata_predicate *predicate;
    strata_condition *condition;
    MUST(strata_predicate_parse(text, strlen(text), NULL, 0, &predicate, &f->error));
    MUST(strata_predicate_resolve(predicate, f->view, table, NULL, 0, &condition, &f->error));
    strata_query query = { .size = sizeof query, .table = table, .nodes = condition->nodes,
                           .node_count = condition->node_count };
    body(f, &query, context);
    strata_condition_free(condition);
    strata_predicate_free(predicate);
}

/* What a query found, and how. */
typedef struct found {
    const strata_stage *stages;
    uint32_t stage_count;
    strata_keys keys;
    uint64_t counted;
    strata_query_stats stats;
} found;

static void find(fixture *f, strata_query *query, void *context) {
    found *out = context;
    query->stages = out->stages;
    query->stage_count = out->stage_count;
    MUST(strata_query_count(f->view, query, &out->counted, NULL, &f->error));
    MUST(strata_query_run(f->view, query, &out->keys, &out->stats, &f->error));
    check_prepared(f->view, query, &out->keys);
}

/* Both tables have the same objects under the same keys. */
static void check_stages(fixture *f, const char *text, const strata_stage *stages, uint32_t stage_count, uint64_t rows,
                         const char *plan) {
    found a = { .stages = stages, .stage_count = stage_count }, b = a;
    query_of_text(f, INDEXED, text, find, &a);
    query_of_text(f, PLAIN, text, find, &b);
    CHECK_TEXT(a.stats.plan, plan);
    CHECK_EQ(a.stats.rows_visited, rows);
    CHECK_EQ(a.keys.count, b.keys.count);
    CHECK_EQ(a.counted, b.keys.count);
    CHECK_EQ(b.counted, b.keys.count);
    for (uint64_t i = 0; i < a.keys.count; i++) CHECK_EQ(a.keys.data[i], b.keys.data[i]);
    strata_keys_free(&a.keys);
    strata_keys_free(&b.keys);
}

static void check(fixture *f, const char *text, uint64_t rows, const char *plan) {
    check_stages(f, text, NULL, 0, rows, plan);
}

/* 119: NONE is NOT ANY; of one value NOT is whatever an index has besides it. */
void test_plan_of_negations(void) {
    fixture *f = make_twins();
    check(f, "NOT age < 40", 0, "index not (age < 40)");
    check(f, "NOT NOT age > 40", 0, "index age > 40");
    check(f, "NOT age == 7", 0, "index not (age = 7)");
    check(f, "NOT age != 7", 0, "index not (age != 7)");
    check(f, "NOT age IN {1, 2, 3, 49, 0}", 0, "index not (age in 5 values)");
    check(f, "NOT age BETWEEN {1, 48}", 0, "index not (age between 1 and 48)");
    check(f, "NOT any BETWEEN {5, 2}", ROWS, "scan Indexed, filter not (any between 5 and 2)");
    check(f, "any BETWEEN {5, 2}", 0, "index any between 5 and 2");
    check(f, "NOT born < date(90.0)", 0, "index not (born < 90)"); /* nulls, too */
    check(f, "NOT born == nil", 0, "index not (born = null)");
    check(f, "NOT born != nil", 0, "index not (born != null)");
    check(f, "NOT born IN {date(3.0), nil}", 0, "index not (born in 2 values)");
    check(f, "NOT any < 3", 0, "index not (any < 3)");
    check(f, "NOT any == nil", 0, "index not (any = null)");
    check(f, "NOT city BEGINSWITH 'city 1'", 0, "index not (city begins with \"city 1\")");
    check(f, "NOT (age >= 2 OR born != date(1.0))", 0, "index not (born != 1) and index not (age >= 2)");
    check(f, "NOT (age > 1 AND city > 'city 02')", 0, "index not (age > 1) or index not (city > \"city 02\")");
    check(f, "NOT (age > 0 OR NOT score > 2000.0)", ROWS / AGES, "index not (age > 0), then filter score > 2000");
    check(f, "NOT (age > 2 AND score > 2000.0)", ROWS, "scan Indexed, filter not (age > 2) or not (score > 2000)");
    check(f, "NOT (age < 3 OR age > 4)", 0, "index not (age < 3) and not (age > 4)");
    check(f, "NOT (age >= 3 AND age < 46)", 0, "index not (age >= 3) or not (age < 46)");
    fixture_close(f);
}

/* Of long strings an index has the first bytes and a hash, so that it cannot say what is not like them. */
void test_plan_of_long_strings(void) {
    fixture *f = make_twins();
    char text[LONG + 40], name[LONG] = "city 17";
    memset(name + 7, 'x', LONG - 8);
    (void)snprintf(text, sizeof text, "city == '%s'", name);
    check(f, text, 1, "index city = \"city 17xxxxxxxxxxxxxxxxx...\", "
                      "then filter city = \"city 17xxxxxxxxxxxxxxxxx...\"");
    (void)snprintf(text, sizeof text, "NOT city == '%s'", name);
    check(f, text, ROWS, "scan Indexed, filter not (city = \"city 17xxxxxxxxxxxxxxxxx...\")");
    fixture_close(f);
}

/* What can never hold, or always does, makes nothing dearer. */
void test_plan_of_constants(void) {
    fixture *f = make_twins();
    check(f, "FALSEPREDICATE", 0, "nothing");
    check(f, "NOT TRUEPREDICATE", 0, "nothing");
    check(f, "TRUEPREDICATE", 0, "scan Indexed");
    check(f, "score > 5.0 AND FALSEPREDICATE OR age == 3", 0, "index age = 3");
    check(f, "age IN {} OR age == 3", 0, "index age = 3");
    check(f, "born < nil OR (age == 3 AND TRUEPREDICATE)", 0, "index age = 3");
    check(f, "age == 3 OR TRUEPREDICATE", 0, "scan Indexed");
    check(f, "score > 5.0 AND (city CONTAINS '' OR age IN {})", 0, "nothing");
    check(f, "NOT (age IN {}) AND age == 4", 0, "index age = 4");
    fixture_close(f);
}

/* Objects are found by their keys, those that are gone left out. */
void test_plan_of_objects(void) {
    fixture *f = make_twins();
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t table = 0; table < 2; table++) MUST(strata_object_delete(f->view, table, 9, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    strata_value values[] = { strata_link(200), strata_link(9), strata_link(3), strata_null(), strata_link(3),
                              strata_link(ROWS + 7) };
    strata_step path[] = { { .kind = STRATA_STEP_SELF }, { .column = SCORE } };
    strata_value limit = strata_double(100);
    strata_node nodes[] = { { .op = STRATA_AND, .children = 2 },
                            { .op = STRATA_IN, .left = { .path = path, .path_length = 1 }, .value_count = 6,
                              .values = values },
                            { .op = STRATA_GREATER, .left = { .path = path + 1, .path_length = 1 }, .value_count = 1,
                              .values = &limit } };
    static const struct {
        strata_operator op;
        uint32_t first, count;
        uint64_t found;
        const char *plan;
    } cases[] = {
        { STRATA_IN, 0, 6, 2, "self in 6 values" },        { STRATA_EQUAL, 0, 1, 1, "self = object 200" },
        { STRATA_EQUAL, 1, 1, 0, "self = object 9" },      { STRATA_EQUAL, 3, 1, 0, "self = null" },
        { STRATA_NOT_EQUAL, 2, 1, ROWS - 2, "scan Indexed, filter self != object 3" },
    };
    strata_query q = { .size = sizeof q, .nodes = nodes + 1, .node_count = 1 };
    strata_query_stats stats;
    strata_keys keys;
    uint64_t count;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nodes[1].op = cases[i].op;
        nodes[1].values = values + cases[i].first;
        nodes[1].value_count = cases[i].count;
        MUST(strata_query_count(f->view, &q, &count, NULL, &f->error));
        MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
        CHECK_EQ(count, cases[i].found);
        CHECK_EQ(keys.count, cases[i].found);
        CHECK_TEXT(stats.plan, cases[i].plan);
        CHECK_EQ(stats.rows_visited, cases[i].op == STRATA_NOT_EQUAL ? ROWS - 1 : 0);
        if (i == 0) CHECK(keys.data[0] == 3 && keys.data[1] == 200);
        strata_keys_free(&keys);
    }
    nodes[1].op = STRATA_IN;
    nodes[1].values = values;
    nodes[1].value_count = 6;
    q.nodes = nodes;
    q.node_count = 3;
    MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
    CHECK_EQ(keys.count, 1);
    CHECK_EQ(stats.rows_visited, 2);
    CHECK_TEXT(stats.plan, "self in 6 values, then filter score > 100");
    strata_keys_free(&keys);
    check(f, "id IN {6, 7, 9000, 9, 6}", 0, "index id in 5 values");
    fixture_close(f);
}

/* Whatever joins the parts of a plan can be told from what is inside of them. */
void test_plan_in_words(void) {
    fixture *f = make_twins();
    check(f, "age == 1 OR age > 2 AND age < 4", 0, "index age = 1 or (age > 2 and age < 4)");
    check(f, "(age == 1 OR age == 3) AND city == 'city 01'", 0,
          "index city = \"city 01\" and index (age = 1 or age = 3)");
    check(f, "(age == 1 OR city == 'city 02') AND born == date(1.0)", 0,
          "index born = 1 and (index age = 1 or index city = \"city 02\")");
    check(f, "age == 1 AND city == 'city 01' OR born == date(2.0)", 0,
          "index born = 2 or (index age = 1 and index city = \"city 01\")");
    fixture_close(f);
}

/* ---- Values, each but once -------------------------------------------- */

static const strata_step column_path[COLUMNS][1] = { { { .column = ID } },   { { .column = AGE } },
                                                     { { .column = CITY } }, { { .column = BORN } },
                                                     { { .column = ANY } },  { { .column = SCORE } } };

static void check_distinct(fixture *f, const char *text, uint32_t number, uint64_t rows, const char *plan) {
    strata_sort key = { column_path[number], 1, false }, other = { column_path[SCORE], 1, true };
    strata_stage stages[] = { { .kind = STRATA_STAGE_DISTINCT, .key_count = 1, .keys = &key },
                              { .kind = STRATA_STAGE_LIMIT, .skip = 2, .limit = 7 },
                              { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &other } };
    char all[200];
    (void)snprintf(all, sizeof all, "%s, distinct", plan);
    check_stages(f, text, stages, 1, rows, all);
    stages[1].limit = UINT64_MAX;
    check_stages(f, text, stages, 2, rows, all);
}

/* The first object of each value, without a look at the others. */
void test_plan_of_distinct_values(void) {
    fixture *f = make_twins();
    check_distinct(f, "TRUEPREDICATE", AGE, AGES, "index age, each value once");
    check_distinct(f, "TRUEPREDICATE", BORN, 101, "index born, each value once"); /* null is one, too */
    check_distinct(f, "age > 5 AND age < 9", AGE, 3, "index age > 5 and age < 9, each value once");
    check_distinct(f, "age IN {7, 5, 70}", AGE, 2, "index age in 3 values, each value once");
    check_distinct(f, "NOT age IN {7, 5}", AGE, AGES - 2, "index not (age in 2 values), each value once");
    check_distinct(f, "age > 90", AGE, 0, "index age > 90, each value once");
    check_distinct(f, "age > 5 AND score > 10.0", AGE, ROWS, "scan Indexed, filter age > 5 and score > 10");
    check_distinct(f, "TRUEPREDICATE", CITY, ROWS, "scan Indexed"); /* one is longer than what the index has of it */
    check_distinct(f, "city < 'city 10'", CITY, 10, "index city < \"city 10\", each value once");
    check_distinct(f, "TRUEPREDICATE", ID, ROWS, "scan Indexed");   /* too many */
    check_distinct(f, "TRUEPREDICATE", ANY, ROWS, "scan Indexed");
    strata_sort ages[] = { { column_path[AGE], 1, false }, { column_path[CITY], 1, false } };
    strata_stage both = { .kind = STRATA_STAGE_DISTINCT, .key_count = 2, .keys = ages };
    check_stages(f, "TRUEPREDICATE", &both, 1, ROWS, "scan Indexed, distinct");
    strata_stage sorted[] = { { .kind = STRATA_STAGE_DISTINCT, .key_count = 1, .keys = ages },
                              { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = ages + 1 } };
    check_stages(f, "TRUEPREDICATE", sorted, 2, AGES, "index age, each value once, distinct, sort");
    fixture_close(f);
}

/* From the greatest value on, where many objects have the same one: of those the least keys come first. */
void test_plan_of_long_runs(void) {
    static const struct {
        const char *text;
        uint32_t number;
        uint64_t skip, limit, rows;
        const char *plan;
    } cases[] = {
        { "TRUEPREDICATE", CITY, 5, 20, 0, "index city" },
        { "TRUEPREDICATE", CITY, 95, 150, 0, "index city" },
        { "TRUEPREDICATE", BORN, 1990, 40, 0, "index born" },
        { "TRUEPREDICATE", BORN, 2990, 40, 0, "index born" },
        { "city <= 'city 20'", CITY, 30, 90, 0, "index city <= \"city 20\", in its order" },
        { "score > 50.0", CITY, 1, 2, 4, "index city, then filter score > 50" },
    };
    fixture *f = make_twins();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        strata_sort key = { column_path[cases[i].number], 1, true };
        strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &key },
                                  { .kind = STRATA_STAGE_LIMIT, .skip = cases[i].skip, .limit = cases[i].limit } };
        check_stages(f, cases[i].text, stages, 2, cases[i].rows, cases[i].plan);
    }
    fixture_close(f);
}

typedef struct grouped {
    strata_sort key;
    const strata_measure *measures;
    uint32_t measure_count;
    strata_groups groups;
    strata_query_stats stats;
} grouped;

static void group(fixture *f, strata_query *query, void *context) {
    grouped *g = context;
    MUST(strata_query_group(f->view, query, &g->key, 1, g->measures, g->measure_count, &g->groups, &g->stats,
                            &f->error));
}

static void check_groups(fixture *f, const char *text, uint32_t number, const strata_measure *measures, uint32_t count,
                         uint64_t rows, const char *plan) {
    grouped a = { .key = { column_path[number], 1, false }, .measures = measures, .measure_count = count }, b = a;
    query_of_text(f, INDEXED, text, group, &a);
    query_of_text(f, PLAIN, text, group, &b);
    CHECK_TEXT(a.stats.plan, plan);
    CHECK_EQ(a.stats.rows_visited, rows);
    CHECK_EQ(a.groups.count, b.groups.count);
    for (uint64_t i = 0; i < a.groups.count * (count + 1); i++) {
        CHECK_EQ(strata_mixed_compare(&a.groups.values[i], &b.groups.values[i]), 0);
    }
    strata_groups_free(&a.groups);
    strata_groups_free(&b.groups);
}

void test_plan_of_counted_groups(void) {
    fixture *f = make_twins();
    strata_measure counts[] = { { STRATA_COUNT, NULL, 0 }, { STRATA_COUNT, NULL, 0 },
                                { STRATA_SUM, column_path[SCORE], 1 } };
    check_groups(f, "TRUEPREDICATE", AGE, counts, 2, AGES, "index age, each value once");
    check_groups(f, "TRUEPREDICATE", AGE, NULL, 0, AGES, "index age, each value once");
    check_groups(f, "TRUEPREDICATE", BORN, counts, 1, 101, "index born, each value once");
    check_groups(f, "age < 4 OR age == 30", AGE, counts, 1, 5, "index age < 4 or age = 30, each value once");
    check_groups(f, "NOT age > 3", AGE, counts, 1, 4, "index not (age > 3), each value once");
    check_groups(f, "FALSEPREDICATE", AGE, counts, 1, 0, "nothing");
    check_groups(f, "city < 'city 10'", CITY, counts, 2, 10, "index city < \"city 10\", each value once");
    check_groups(f, "TRUEPREDICATE", CITY, counts, 2, ROWS, "scan Indexed");
    check_groups(f, "TRUEPREDICATE", ID, counts, 1, ROWS, "scan Indexed");
    check_groups(f, "TRUEPREDICATE", AGE, counts, 3, ROWS, "scan Indexed");
    fixture_close(f);
}

/* ---- Memory ----------------------------------------------------------- */

/* Runs, counts and groups. `*sum` is of what that gave. */
static strata_status ask(fixture *f, const strata_query *query, uint64_t *sum) {
    strata_sort key = { column_path[AGE], 1, false };
    strata_measure count = { STRATA_COUNT, NULL, 0 };
    strata_keys keys = { NULL, 0 };
    strata_groups groups = { 0 };
    uint64_t counted = 0;
    strata_status status = strata_query_run(f->view, query, &keys, NULL, &f->error);
    if (status == STRATA_OK) status = strata_query_count(f->view, query, &counted, NULL, &f->error);
    if (status == STRATA_OK) {
        status = strata_query_group(f->view, query, &key, 1, &count, 1, &groups, NULL, &f->error);
    }
    *sum = keys.count + 10000 * counted + 100000000 * groups.count;
    strata_keys_free(&keys);
    strata_groups_free(&groups);
    return status;
}

/* Asks with one allocation failing after the other. */
static void ask_without_memory(fixture *f, strata_query *query, void *context) {
    strata_sort key = { column_path[AGE], 1, false };
    strata_stage distinct = { .kind = STRATA_STAGE_DISTINCT, .key_count = 1, .keys = &key };
    query->stages = &distinct;
    query->stage_count = context == NULL ? 0 : 1;
    uint64_t expected, sum;
    MUST(ask(f, query, &expected));
    bool met = true;
    for (unsigned n = 1; met; n++) {
        long before = fault_blocks();
        fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
        strata_status status = ask(f, query, &sum);
        met = fault_clear();
        CHECK_EQ(status, met && status < 0 ? STRATA_NO_MEMORY : STRATA_OK);
        if (status == STRATA_OK) CHECK_EQ(sum, expected);
        CHECK_EQ(fault_blocks(), before);
    }
}

void test_plan_without_memory(void) {
    static const char *const conditions[] = {
        "TRUEPREDICATE", "FALSEPREDICATE", "id IN {3, 6, 9, 12}", "age > 5 AND age < 9 OR age == 30",
        "NOT (age > 2 OR city == 'city 01')", "NOT (age < 3 OR age > 4) AND (born == date(1.0) OR city == 'city 02')",
    };
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    fixture *f = make_twins();
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        query_of_text(f, INDEXED, conditions[i], ask_without_memory, NULL);
        query_of_text(f, INDEXED, conditions[i], ask_without_memory, f); /* distinct */
    }
    strata_value values[] = { strata_link(200), strata_link(9), strata_null() };
    strata_step self = { .kind = STRATA_STEP_SELF };
    strata_node node = { .op = STRATA_IN, .left = { .path = &self, .path_length = 1 }, .value_count = 3,
                         .values = values };
    strata_query q = { .size = sizeof q, .nodes = &node, .node_count = 1 };
    ask_without_memory(f, &q, NULL);
    fixture_close(f);
}
