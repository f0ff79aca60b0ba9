/* SPDX-License-Identifier: MIT
 * test_plan.c -- how rows are reached, how many of them are looked at, and what plans say. */
#include <stdio.h>

#include "strata_query.h"
#include "support/strata_support.h"

enum { PERSON, DOG };
enum { ID, AGE, CITY, SCORE, NAME, BORN, PET, COLUMNS };
enum { ROWS = 20000, DOGS = 400, AGES = 100, CITIES = 200 };

/* Of each age there are 200 persons, of each city 100; one has both. A third have no birthday. */
static fixture *make_people(void) {
    enum { N = STRATA_COLUMN_NULLABLE, I = STRATA_COLUMN_INDEXED };
    fixture *f = fixture_open_memory();
    strata_column_spec person[COLUMNS] = {
        column("id", STRATA_INT, STRATA_COLUMN_PRIMARY), column("age", STRATA_INT, I), column("city", STRATA_STRING, I),
        column("score", STRATA_DOUBLE, 0), column("name", STRATA_STRING, I), column("born", STRATA_DATE, N | I),
        link_to("pet", "Dog"),
    };
    strata_column_spec dog[] = { column("name", STRATA_STRING, I) };
    strata_table_spec tables[] = { { .name = "Person", .column_count = COLUMNS, .columns = person },
                                   { .name = "Dog", .column_count = 1, .columns = dog } };
    MUST(apply(f, 1, tables, 2));
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < DOGS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "Dog %03d", i);
        ADD(DOG, value_of(name));
    }
    for (int i = 0; i < ROWS; i++) {
        char city[16], name[24];
        (void)snprintf(city, sizeof city, "city %03d", i / AGES % CITIES);
        (void)snprintf(name, sizeof name, "Person %05d", (i * 7919) % ROWS);
        ADD(PERSON, strata_int(i * 3), strata_int(i % AGES), value_of(city), strata_double(i), value_of(name),
            i % 3 == 0 ? strata_null() : strata_date(i), strata_link((uint64_t)(i % DOGS) + 1));
    }
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

static const strata_step id_path[] = { { .column = ID } }, age_path[] = { { .column = AGE } };
static const strata_step city_path[] = { { .column = CITY } }, score_path[] = { { .column = SCORE } };
static const strata_step name_path[] = { { .column = NAME } }, born_path[] = { { .column = BORN } };
static const strata_step dog_path[] = { { .column = PET }, { .column = 0 } };

static strata_node compare(const strata_step *path, strata_operator op, const strata_value *values, uint32_t count) {
    strata_operand left = { .path = path, .path_length = path == dog_path ? 2 : 1 };
    return (strata_node){ .op = op, .left = left, .value_count = count, .values = values };
}

static strata_node join(strata_operator op, uint32_t children) {
    return (strata_node){ .op = op, .children = children };
}

static strata_query query_of(const strata_node *nodes, uint32_t count) {
    return (strata_query){ .size = sizeof(strata_query), .nodes = nodes, .node_count = count };
}

/* Collects so many objects, looking at no more than so many rows and entries. */
static void check_run(fixture *f, const strata_query *query, uint64_t count, uint64_t rows, uint64_t entries,
                      const char *plan) {
    strata_query_stats stats;
    strata_keys keys;
    MUST(strata_query_run(f->view, query, &keys, &stats, &f->error));
    CHECK_EQ(keys.count, count);
    CHECK_TEXT(stats.plan, plan);
    CHECK(stats.rows_visited <= rows);
    CHECK(stats.entries_visited <= entries);
    CHECK_EQ(stats.rows_returned, count);
    strata_keys_free(&keys);
}

/* Counts them, too. */
static void check_cost(fixture *f, const strata_query *query, uint64_t count, uint64_t rows, uint64_t entries,
                       const char *plan) {
    strata_query_stats stats;
    uint64_t counted;
    MUST(strata_query_count(f->view, query, &counted, &stats, &f->error));
    CHECK_EQ(counted, count);
    CHECK_TEXT(stats.plan, plan);
    CHECK(stats.rows_visited <= rows);
    check_run(f, query, count, rows, entries, plan);
}

/* Comparisons that one index, or several, answer without a look at any row. */
void test_plan_of_conditions(void) {
    fixture *f = make_people();
    strata_value age = strata_int(42), ages[] = { strata_int(3), strata_int(1), strata_int(1), strata_int(400) };
    strata_value city = value_of("city 007"), high = strata_double(500), dog = value_of("Dog 042");
    strata_value none = strata_null();
    strata_value bounds[] = { value_of("Person 00100"), value_of("Person 00199") }, begin = value_of("Person 012");
    strata_value born = strata_date(10000);

    strata_node one = compare(age_path, STRATA_IN, ages, 4);
    strata_query q = query_of(&one, 1);
    check_cost(f, &q, 400, 0, 400, "index age in 4 values");
    one = compare(age_path, STRATA_NOT_EQUAL, &age, 1);
    uint64_t count;
    strata_query_stats stats;
    MUST(strata_query_count(f->view, &q, &count, &stats, &f->error));
    CHECK_EQ(count, ROWS - 200);
    CHECK_EQ(stats.rows_visited + stats.entries_visited, 0);
    CHECK_TEXT(stats.plan, "index age != 42");
    one = compare(born_path, STRATA_EQUAL, &none, 1);
    check_cost(f, &q, (ROWS + 2) / 3, 0, ROWS, "index born = null");
    one = compare(born_path, STRATA_NOT_EQUAL, &none, 1);
    MUST(strata_query_count(f->view, &q, &count, &stats, &f->error));
    CHECK_EQ(count, ROWS - (ROWS + 2) / 3);
    CHECK_EQ(stats.rows_visited, 0);
    one = compare(born_path, STRATA_NOT_EQUAL, &born, 1);
    MUST(strata_query_count(f->view, &q, &count, &stats, &f->error));
    CHECK_EQ(count, ROWS - 1); /* nulls are not equal to it either */
    one = compare(name_path, STRATA_BEGINS_WITH, &begin, 1);
    check_cost(f, &q, 100, 0, 100, "index name begins with \"Person 012\"");
    one = compare(dog_path, STRATA_EQUAL, &dog, 1);
    check_cost(f, &q, ROWS / DOGS, 0, ROWS / DOGS + 1, "index pet.name = \"Dog 042\", links to it by pet of Person");

    strata_node both[] = { join(STRATA_AND, 2), compare(age_path, STRATA_EQUAL, &age, 1),
                           compare(city_path, STRATA_EQUAL, &city, 1) };
    q = query_of(both, 3);
    check_cost(f, &q, 1, 0, 300, "index city = \"city 007\" and index age = 42");
    strata_node filtered[] = { join(STRATA_AND, 3), compare(score_path, STRATA_GREATER, &high, 1),
                               compare(age_path, STRATA_EQUAL, &age, 1), compare(city_path, STRATA_EQUAL, &city, 1) };
    q = query_of(filtered, 4);
    check_cost(f, &q, 1, 1, 300, "index city = \"city 007\" and index age = 42, then filter score > 500");
    strata_node either[] = { join(STRATA_OR, 3), compare(age_path, STRATA_EQUAL, &age, 1),
                             compare(city_path, STRATA_EQUAL, &city, 1), compare(age_path, STRATA_EQUAL, &ages[0], 1) };
    q = query_of(either, 4);
    check_cost(f, &q, 498, 0, 500, "index age = 42 or age = 3 or index city = \"city 007\"");
    strata_node ranges[] = { join(STRATA_AND, 2), compare(name_path, STRATA_GREATER_EQUAL, &bounds[0], 1),
                             compare(name_path, STRATA_LESS, &bounds[1], 1) };
    q = query_of(ranges, 3);
    check_cost(f, &q, 99, 0, 99, "index name >= \"Person 00100\" and name < \"Person 00199\"");
    strata_node mixed[] = { join(STRATA_OR, 2), compare(age_path, STRATA_EQUAL, &age, 1),
                            compare(score_path, STRATA_GREATER, &high, 1) };
    q = query_of(mixed, 3);
    MUST(strata_query_count(f->view, &q, &count, &stats, &f->error));
    CHECK_EQ(stats.rows_visited, ROWS);
    CHECK_TEXT(stats.plan, "scan Person, filter age = 42 or score > 500");
    fixture_close(f);
}

/* Looking ends when enough is found. */
void test_plan_of_limits(void) {
    enum { BLOCK = 400 /* more than the rows of a block */ };
    fixture *f = make_people();
    strata_value low = strata_double(9999), negative = strata_double(-1), city = value_of("city 007");
    strata_node some = compare(score_path, STRATA_GREATER, &low, 1), none = compare(score_path, STRATA_LESS, &negative,
                                                                                    1);
    strata_sort by_name = { name_path, 1, false }, by_age = { age_path, 1, true }, by_score = { score_path, 1, true };
    strata_stage limit = { .kind = STRATA_STAGE_LIMIT, .limit = 10, .skip = 3 };
    strata_stage sorted[] = { { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &by_name }, limit };
    strata_query q = query_of(&some, 1);
    q.stages = &limit;
    q.stage_count = 1;
    check_cost(f, &q, 10, ROWS / 2 + BLOCK, 0, "scan Person, filter score > 9999");
    q = query_of(NULL, 0);
    q.stages = &limit;
    q.stage_count = 1;
    check_run(f, &q, 10, 0, 0, "scan Person");

    q = query_of(&some, 1); /* half of all persons: their index is walked until there are enough */
    q.stages = sorted;
    q.stage_count = 2;
    strata_query_stats stats;
    strata_keys keys;
    MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
    CHECK_EQ(keys.count, 10);
    CHECK(stats.rows_visited < 100);
    CHECK_TEXT(stats.plan, "index name, then filter score > 9999");
    strata_keys_free(&keys);
    q = query_of(&none, 1); /* nobody: the walk is given up before it gets dearer than what else could be done */
    q.stages = sorted;
    q.stage_count = 2;
    MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
    CHECK_EQ(keys.count, 0);
    CHECK(stats.rows_visited < 2 * ROWS);
    CHECK_TEXT(stats.plan, "scan Person, filter score < -1, first 13 of the order");

    strata_node one = compare(city_path, STRATA_EQUAL, &city, 1);
    sorted[0].keys = &by_score; /* 100 rows are sorted, not all */
    q = query_of(&one, 1);
    q.stages = sorted;
    q.stage_count = 2;
    MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
    CHECK_EQ(keys.count, 10);
    CHECK_EQ(stats.rows_visited, 100);
    CHECK_TEXT(stats.plan, "index city = \"city 007\", first 13 of the order");
    strata_keys_free(&keys);
    sorted[0].keys = &by_age;
    q = query_of(NULL, 0);
    q.stages = sorted;
    q.stage_count = 2;
    MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
    CHECK_EQ(stats.rows_visited, 0);
    CHECK(stats.entries_visited <= ROWS / AGES + 1);
    CHECK_EQ(keys.data[0], 4 * AGES); /* the oldest, by their keys, without three */
    strata_keys_free(&keys);
    fixture_close(f);
}

/* A page costs what it shows, wherever it is: statement 103 of ties included. */
static void turn_pages(fixture *f, const strata_sort *keys, uint32_t key_count, uint64_t rows, uint64_t entries) {
    enum { PAGE = 50, PAGES = ROWS / PAGE };
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = key_count, .keys = keys },
                              { .kind = STRATA_STAGE_LIMIT, .limit = PAGE } };
    strata_query q = query_of(NULL, 0);
    strata_bookmark place;
    strata_value values[2];
    q.stages = key_count == 0 ? stages + 1 : stages;
    q.stage_count = key_count == 0 ? 1 : 2;
    uint64_t found = 0;
    for (int page = 0; page < PAGES; page++) {
        strata_keys out;
        strata_query_stats stats;
        MUST(strata_query_run(f->view, &q, &out, &stats, &f->error));
        CHECK_EQ(out.count, PAGE);
        CHECK(stats.rows_visited <= rows);
        CHECK(stats.entries_visited <= entries);
        found += out.count;
        strata_row row = row_of(f, PERSON, out.data[PAGE - 1]);
        for (uint32_t i = 0; i < key_count; i++) {
            MUST(strata_row_get(&row, keys[i].path->column, &values[i], &f->error));
        }
        place = (strata_bookmark){ values, key_count, out.data[PAGE - 1] };
        q.after = &place;
        strata_keys_free(&out);
    }
    CHECK_EQ(found, ROWS);
    uint64_t rest;
    MUST(strata_query_count(f->view, &q, &rest, NULL, &f->error));
    CHECK_EQ(rest, 0);
}

void test_plan_of_pages(void) {
    fixture *f = make_people();
    strata_sort by_age = { age_path, 1, false }, by_age_down = { age_path, 1, true }, by_born = { born_path, 1, true };
    strata_sort by_both[] = { { age_path, 1, false }, { name_path, 1, true } };
    turn_pages(f, NULL, 0, 0, 0);
    turn_pages(f, &by_age, 1, 0, 51);
    turn_pages(f, &by_age_down, 1, 0, 64 + 51); /* so many until it is clear that a value is that of many */
    turn_pages(f, &by_born, 1, 0, 64 + 51);
    turn_pages(f, by_both, 2, 2 * ROWS / AGES + 1, 2 * ROWS / AGES + 1);
    fixture_close(f);
}

/* A bookmark may be of a time when the column had nulls: they came first, or last if descending, and still do. */
void test_plan_behind_a_null(void) {
    fixture *f = make_people();
    strata_value null = strata_null();
    strata_bookmark place = { &null, 1, 7 };
    const strata_step *const paths[] = { age_path, name_path, score_path };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        for (int descending = 0; descending < 2; descending++) {
            strata_sort key = { paths[i], 1, descending != 0 };
            strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &key },
                                      { .kind = STRATA_STAGE_LIMIT, .limit = 50 } };
            strata_query q = query_of(NULL, 0);
            q.stages = stages;
            q.stage_count = 2;
            q.after = &place;
            strata_keys keys;
            MUST(strata_query_run(f->view, &q, &keys, NULL, &f->error));
            CHECK_EQ(keys.count, descending != 0 ? 0 : 50);
            strata_keys_free(&keys);
        }
    }
    fixture_close(f);
}

/* 110 to 113: measures without a look at more than is needed. */
void test_plan_of_groups(void) {
    fixture *f = make_people();
    strata_value bounds[] = { strata_int(20), strata_int(29) }, half = strata_double(9999.5);
    strata_measure ends[] = { { STRATA_MIN, age_path, 1 }, { STRATA_MAX, age_path, 1 }, { STRATA_COUNT, NULL, 0 } };
    strata_measure dates[] = { { STRATA_MIN, born_path, 1 }, { STRATA_MAX, born_path, 1 }, { STRATA_COUNT, NULL, 0 } };
    strata_measure sums[] = { { STRATA_SUM, id_path, 1 }, { STRATA_SUM, score_path, 1 }, { STRATA_COUNT, born_path,
                                                                                           1 } };
    strata_groups groups;
    strata_query_stats stats;
    strata_query q = query_of(NULL, 0);
    MUST(strata_query_group(f->view, &q, NULL, 0, ends, 3, &groups, &stats, &f->error));
    CHECK_EQ(groups.values[0].as.integer, 0);
    CHECK_EQ(groups.values[1].as.integer, AGES - 1);
    CHECK_EQ(groups.values[2].as.integer, ROWS);
    CHECK_EQ(stats.entries_visited, 2);
    CHECK_EQ(stats.rows_visited, 0);
    CHECK_TEXT(stats.plan, "index age, its ends");
    strata_groups_free(&groups);
    MUST(strata_query_group(f->view, &q, NULL, 0, dates, 3, &groups, &stats, &f->error));
    CHECK_EQ(groups.values[0].as.real, 1); /* nulls are ignored */
    CHECK_EQ(groups.values[1].as.real, ROWS - 1);
    CHECK_EQ(groups.values[2].as.integer, ROWS);
    CHECK_EQ(stats.entries_visited, 2);
    strata_groups_free(&groups);
    strata_node node = compare(age_path, STRATA_BETWEEN, bounds, 2);
    q = query_of(&node, 1);
    MUST(strata_query_group(f->view, &q, NULL, 0, ends, 3, &groups, &stats, &f->error));
    CHECK_EQ(groups.values[0].as.integer, 20);
    CHECK_EQ(groups.values[1].as.integer, 29);
    CHECK_EQ(groups.values[2].as.integer, ROWS / 10);
    CHECK_TEXT(stats.plan, "index age between 20 and 29, its ends");
    strata_groups_free(&groups);
    node = compare(score_path, STRATA_LESS, &half, 1);
    MUST(strata_query_group(f->view, &q, NULL, 0, ends, 3, &groups, &stats, &f->error));
    CHECK_EQ(groups.values[1].as.integer, AGES - 1);
    CHECK_EQ(stats.rows_visited, ROWS);
    strata_groups_free(&groups);
    MUST(strata_query_group(f->view, &q, NULL, 0, sums, 3, &groups, &stats, &f->error));
    CHECK_EQ(groups.values[0].as.integer, INT64_C(3) * (ROWS / 2 - 1) * (ROWS / 2) / 2);
    CHECK_EQ(groups.values[1].as.real, (double)(ROWS / 2 - 1) * (ROWS / 2) / 2);
    CHECK_EQ(groups.values[2].as.integer, ROWS / 2 - (ROWS / 2 + 2) / 3);
    strata_groups_free(&groups);
    fixture_close(f);
}

/* Keys in the order given; those of objects that are gone are left out. */
void test_plan_of_keys(void) {
    static const uint64_t wanted[] = { 7, 3, ROWS + 5, 3, 1, 9999 };
    fixture *f = make_people();
    strata_value low = strata_double(3);
    strata_node node = compare(score_path, STRATA_LESS, &low, 1);
    strata_query q = query_of(NULL, 0);
    strata_keys keys;
    strata_query_stats stats;
    uint64_t at;
    q.source = STRATA_SOURCE_KEYS;
    q.keys = wanted;
    q.key_count = 6;
    MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
    CHECK_EQ(keys.count, 5);
    CHECK_EQ(keys.data[2], 3);
    CHECK_TEXT(stats.plan, "6 keys of Person");
    CHECK_EQ(strata_keys_find(&keys, 3, 0, &at), STRATA_OK);
    CHECK_EQ(at, 1);
    CHECK_EQ(strata_keys_find(&keys, 3, 2, &at), STRATA_OK);
    CHECK_EQ(at, 2);
    CHECK_EQ(strata_keys_find(&keys, 3, 3, &at), STRATA_NOT_FOUND);
    CHECK_EQ(strata_keys_find(&keys, 3, 99, &at), STRATA_NOT_FOUND);
    strata_keys_free(&keys);
    q.nodes = &node;
    q.node_count = 1;
    MUST(strata_query_run(f->view, &q, &keys, &stats, &f->error));
    CHECK_EQ(keys.count, 3);
    CHECK_EQ(stats.rows_visited, 5);
    strata_keys_free(&keys);
    fixture_close(f);
}
