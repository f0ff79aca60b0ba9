/* SPDX-License-Identifier: MIT
 * test_plan_logic.c -- AND, OR, NOT and objects themselves: what indexes do for them, compared with what a table of the
 * same objects without indexes finds. */
#include <stdio.h>

#include "strata_predicate.h"
#include "strata_support.h"

enum { INDEXED, PLAIN };
enum { ID, AGE, CITY, BORN, ANY, SCORE, COLUMNS };
enum { ROWS = 3000, AGES = 50, CITIES = 30, LONG = 600 };

/* Every third has no date; values of any type are ints, strings and nulls; one city has a long name. */
static void add_object(fixture *f, uint32_t table, int i) {
    char city[LONG] = { 0 };
    (void)snprintf(city, sizeof city, "city %02d", i % CITIES);
    if (i == 17) memset(city + 7, 'x', LONG - 8);
    strata_value any = i % 3 == 0 ? strata_null() : i % 3 == 1 ? strata_int(i % 7) : value_of(city);
    ADD(table, strata_int(3 * i), strata_int(i % AGES), value_of(city), i % 3 == 0 ? strata_null() : strata_date(i % 100),
        any, strata_double(i));
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

static strata_keys run(fixture *f, uint32_t table, const char *text, uint64_t *counted, strata_query_stats *stats) {
    strata_predicate *predicate;
    strata_condition *condition;
    strata_keys keys;
    MUST(strata_predicate_parse(text, strlen(text), NULL, 0, &predicate, &f->error));
    MUST(strata_predicate_resolve(predicate, f->view, table, NULL, 0, &condition, &f->error));
    strata_query q = { .size = sizeof q, .table = table, .nodes = condition->nodes,
                       .node_count = condition->node_count };
    MUST(strata_query_count(f->view, &q, counted, NULL, &f->error));
    MUST(strata_query_run(f->view, &q, &keys, stats, &f->error));
    strata_condition_free(condition);
    strata_predicate_free(predicate);
    return keys;
}

/* Both tables have the same objects under the same keys. */
static void check(fixture *f, const char *text, uint64_t rows, const char *plan) {
    strata_query_stats stats, all;
    uint64_t counted, expected;
    strata_keys found = run(f, INDEXED, text, &counted, &stats), wanted = run(f, PLAIN, text, &expected, &all);
    CHECK_TEXT(stats.plan, plan);
    CHECK_EQ(stats.rows_visited, rows);
    CHECK_EQ(found.count, wanted.count);
    CHECK_EQ(counted, wanted.count);
    CHECK_EQ(expected, wanted.count);
    for (uint64_t i = 0; i < found.count; i++) CHECK_EQ(found.data[i], wanted.data[i]);
    strata_keys_free(&found);
    strata_keys_free(&wanted);
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
    check(f, text, 1, "index city = \"city 17xxxxxxxxxxxxxxxxx...\", then filter city = \"city 17xxxxxxxxxxxxxxxxx...\"");
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
    check(f, "(age == 1 OR age == 3) AND city == 'city 01'", 0, "index city = \"city 01\" and index (age = 1 or age = 3)");
    check(f, "(age == 1 OR city == 'city 02') AND born == date(1.0)", 0,
          "index born = 1 and (index age = 1 or index city = \"city 02\")");
    check(f, "age == 1 AND city == 'city 01' OR born == date(2.0)", 0,
          "index born = 2 or (index age = 1 and index city = \"city 01\")");
    fixture_close(f);
}
