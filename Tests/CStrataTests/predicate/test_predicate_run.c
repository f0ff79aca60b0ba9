/* SPDX-License-Identifier: MIT
 *
 * test_predicate_run.c -- what predicates find.
 *
 *     1 Ann    30  height 1.7   dog 1  dogs 1 2    scores 1 5 9   tags red blue  prices tea 2.5        any 5
 *     2 Bob    40  height null  no dog dogs        scores         tags           prices                any 'five'
 *     3 Zoë    30  height 1.5   dog 2  dogs 2 2 3  scores 5       tags Red       prices tea 1, ale 4   any [5, {k: 7}]
 *     4 (null) -5  height 1.9   dog 3  dogs 3      scores 7 7     tags            prices ale 2.5       any true
 *     5 BÉA*   0   height 1.7   no dog dogs        scores 0       tags é         prices                any 5.0
 *
 *     dogs: 1 Rex 3 of Ann, with a ball (0.5); 2 Fido 7 of Zoë, with a ball (0.5) and a bone (2.0); 3 rex 1 of nobody
 */
#include <stdio.h>

#include "support/predicate_support.h"
#include "strata_mixed.h"

static strata_row person(fixture *f, uint64_t key) { return row_of(f, PERSON, key); }

static void fill_list(fixture *f, uint64_t key, uint32_t column, const strata_value *values, uint64_t count) {
    strata_row row = person(f, key);
    MUST(strata_list_insert(&row, column, 0, values, count, &f->error));
}

static void add_tag(fixture *f, uint64_t key, const char *tag) {
    strata_row row = person(f, key);
    strata_value value = value_of(tag);
    uint64_t position;
    bool inserted;
    MUST(strata_set_insert(&row, P_TAGS, &value, &inserted, &position, &f->error));
}

static void put_price(fixture *f, uint64_t key, const char *name, double price) {
    strata_row row = person(f, key);
    strata_value value = strata_double(price);
    MUST(strata_map_set(&row, P_PRICES, (strata_bytes){ name, strlen(name) }, &value, &f->error));
}

static void put_nested(fixture *f, uint64_t key) {
    strata_nested *nested = strata_nested_make();
    strata_value five = strata_int(5), seven = strata_int(7), value;
    CHECK(nested != NULL);
    MUST(strata_nested_begin_list(nested, NULL, &f->error));
    MUST(strata_nested_append(nested, &five, &f->error));
    MUST(strata_nested_begin_map(nested, NULL, &f->error));
    MUST(strata_nested_put(nested, (strata_bytes){ "k", 1 }, &seven, &f->error));
    MUST(strata_nested_end(nested, &f->error));
    MUST(strata_nested_end(nested, &f->error));
    MUST(strata_nested_finish(nested, &value, &f->error));
    set(f, PERSON, key, P_ANY, value);
    strata_nested_free(nested);
}

static void add_dogs(fixture *f) {
    strata_value half = strata_double(0.5), two = strata_double(2);
    ADD(TOY, value_of("ball"), half);
    ADD(TOY, value_of("bone"), two);
    ADD(DOG, value_of("Rex"), strata_int(3), strata_link(1));
    ADD(DOG, value_of("Fido"), strata_int(7), strata_link(3));
    ADD(DOG, value_of("rex"), strata_int(1));
    strata_row rex = row_of(f, DOG, 1), fido = row_of(f, DOG, 2);
    strata_value toys[] = { strata_link(1), strata_link(2) };
    MUST(strata_list_insert(&rex, D_TOYS, 0, toys, 1, &f->error));
    MUST(strata_list_insert(&fido, D_TOYS, 0, toys, 2, &f->error));
}

static fixture *zoo(void) {
    fixture *f = fixture_open_memory();
    MUST(apply(f, 1, zoo_tables, ZOO_TABLES));
    MUST(strata_view_begin(f->view, &f->error));
    const char *const names[] = { "Ann", "Bob", "Zoë", NULL, "BÉA*" };
    const int64_t ages[] = { 30, 40, 30, -5, 0 };
    const double heights[] = { 1.7, 0, 1.5, 1.9, 1.7 };
    for (size_t i = 0; i < 5; i++) {
        ADD(PERSON, names[i] == NULL ? strata_null() : value_of(names[i]), strata_int(ages[i]),
            i == 1 ? strata_null() : strata_double(heights[i]), strata_float(0.1f));
    }
    add_dogs(f);
    strata_value rex = strata_link(1), fido = strata_link(2), other = strata_link(3);
    set(f, PERSON, 1, P_DOG, rex);
    set(f, PERSON, 3, P_DOG, fido);
    set(f, PERSON, 4, P_DOG, other);
    fill_list(f, 1, P_DOGS, (strata_value[]){ rex, fido }, 2);
    fill_list(f, 3, P_DOGS, (strata_value[]){ fido, fido, other }, 3);
    fill_list(f, 4, P_DOGS, &other, 1);
    fill_list(f, 1, P_SCORES, (strata_value[]){ strata_int(1), strata_int(5), strata_int(9) }, 3);
    fill_list(f, 3, P_SCORES, (strata_value[]){ strata_int(5) }, 1);
    fill_list(f, 4, P_SCORES, (strata_value[]){ strata_int(7), strata_int(7) }, 2);
    fill_list(f, 5, P_SCORES, (strata_value[]){ strata_int(0) }, 1);
    add_tag(f, 1, "red");
    add_tag(f, 1, "blue");
    add_tag(f, 3, "Red");
    add_tag(f, 5, "é");
    put_price(f, 1, "tea", 2.5);
    put_price(f, 3, "tea", 1);
    put_price(f, 3, "ale", 4);
    put_price(f, 4, "ale", 2.5);
    set(f, PERSON, 1, P_ANY, strata_int(5));
    set(f, PERSON, 2, P_ANY, value_of("five"));
    put_nested(f, 3);
    set(f, PERSON, 4, P_ANY, strata_bool(true));
    set(f, PERSON, 5, P_ANY, strata_double(5));
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

static void finds(fixture *f, uint32_t table, const char *text, const strata_argument *arguments, uint32_t count,
                  const char *expected, int line) {
    strata_predicate *predicate;
    strata_condition *condition = NULL;
    strata_keys keys = { NULL, 0 };
    char found[100] = "", report[900];
    strata_status status = strata_predicate_parse(text, strlen(text), arguments, count, &predicate, &f->error);
    if (status == STRATA_OK) {
        status = strata_predicate_resolve(predicate, f->view, table, zoo_aliases, zoo_alias_count, &condition,
                                          &f->error);
    }
    if (status == STRATA_OK) {
        strata_query query = { .size = sizeof query, .table = table, .nodes = condition->nodes,
                               .node_count = condition->node_count };
        status = strata_query_run(f->view, &query, &keys, NULL, &f->error);
    }
    if (status != STRATA_OK) {
        snprintf(report, sizeof report, "%.300s: %s", text, f->error.message);
        ctest_fail(__FILE__, line, report);
    }
    for (uint64_t i = 0; i < keys.count; i++) {
        size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, i == 0 ? "%llu" : " %llu", (unsigned long long)keys.data[i]);
    }
    if (strcmp(found, expected) != 0) {
        snprintf(report, sizeof report, "%.300s: finds \"%s\", not \"%s\"", text, found, expected);
        ctest_fail(__FILE__, line, report);
    }
    strata_keys_free(&keys);
    strata_condition_free(condition);
    strata_predicate_free(predicate);
}

#define FINDS(text, expected) finds(f, PERSON, text, NULL, 0, expected, __LINE__)
#define FINDS_WITH(text, expected, ...)                                    \
    finds(f, PERSON, text, (const strata_argument[]){ __VA_ARGS__ },       \
          sizeof((const strata_argument[]){ __VA_ARGS__ }) / sizeof(strata_argument), expected, __LINE__)

/* Statements 117, 120, 122, 127. */
void test_predicate_finds_values(void) {
    fixture *f = zoo();
    FINDS("TRUEPREDICATE", "1 2 3 4 5");
    FINDS("FALSEPREDICATE", "");
    FINDS("age == 30", "1 3");
    FINDS("age != 30 AND age <= 0", "4 5");
    FINDS("30 < age OR name == nil", "2 4");
    FINDS("height == 1.7", "1 5");
    FINDS("height != 1.7", "2 3 4");
    FINDS("height == nil", "2");
    FINDS("height < 1.8", "1 3 5");
    FINDS("NOT height < 1.8", "2 4");
    FINDS("height < nil OR height >= nil", "");
    FINDS("weight == 0.1", "1 2 3 4 5");
    FINDS("age BETWEEN {0, 30}", "1 3 5");
    FINDS("age BETWEEN {30, 0}", "");
    FINDS("age IN {30, 0, 7}", "1 3 5");
    FINDS("age IN {}", "");
    FINDS("NOT age IN {}", "1 2 3 4 5");
    FINDS("height IN {nil, 1.5}", "2 3");
    FINDS("(age == 30 AND height > 1.6) OR (age < 0 AND NOT height == 1.7)", "1 4");
    fixture_close(f);
}

/* Statements 121, 123-125. */
void test_predicate_finds_strings(void) {
    fixture *f = zoo();
    FINDS("name == 'ann'", "");
    FINDS("name ==[c] 'ann' OR name !=[c] 'BOB'", "1 3 4 5");
    FINDS("name ==[d] 'Zoe'", "3");
    FINDS("name ==[cd] 'bea*'", "5");
    FINDS("name BEGINSWITH 'B'", "2 5");
    FINDS("name BEGINSWITH[c] 'bé'", "5");
    FINDS("name ENDSWITH[d] 'oe'", "3");
    FINDS("name CONTAINS 'n'", "1");
    FINDS("name CONTAINS[c] 'B'", "2 5");
    FINDS("name CONTAINS '' OR name BEGINSWITH nil", "");
    FINDS("NOT name CONTAINS ''", "1 2 3 4 5");
    FINDS("name LIKE 'Zo?'", "3");
    FINDS("name LIKE '*n*'", "1");
    FINDS("name LIKE[c] 'b*'", "2 5");
    FINDS("name LIKE nil", "4");
    FINDS("name < 'B'", "1");
    FINDS("name >= 'BÉ'", "3 5");
    FINDS("name IN[c] {'ANN', 'bob'}", "1 2");
    FINDS("name IN[cd] {'bea*', nil}", "4 5");
    FINDS("any LIKE[c] 'F*E' OR name CONTAINS dog.name", "2");
    FINDS_WITH("photo ==[c] %@ AND NOT photo CONTAINS[d] %@ AND photo LIKE %@", "1 2 3 4 5",
               argument_of(strata_data("", 0)), argument_of(strata_data("x", 1)), argument_of(strata_data("*", 1)));
    fixture_close(f);
}

/* Statements 128 and 134, and Q12: values of any type, and what is inside of them. */
void test_predicate_finds_mixed_values(void) {
    fixture *f = zoo();
    FINDS("any == 5", "1 5");
    FINDS("any == 5.0 AND any == decimal('5.00')", "1 5");
    FINDS("any == true", "4");
    FINDS("any == 1", "");
    FINDS("any == 'five' OR any BEGINSWITH[c] 'FI'", "2");
    FINDS("any > 4", "1 5");
    FINDS("any[0] == 5", "3");
    FINDS("any[1]['k'] == 7 AND any[-1]['k'] >= 7", "3");
    FINDS("any[#any] == 5", "3");
    FINDS("5 IN any", "3");
    FINDS("any[#any]['k'] == 7", "3");
    /* [5, {k: 7}], its map, and lists that are like it. */
    FINDS("any == nested('1d100000000200000012053d050000000100000001006b1207')", "3");
    FINDS("any != nested('1d100000000200000012053d050000000100000001006b1207')", "1 2 4 5");
    FINDS("any[1] == nested('3d050000000100000001006b1207')", "3");
    FINDS("any IN {nested('3d0000000000000000'), 5, nested('1d100000000200000012053d050000000100000001006b1207')}",
          "1 3 5");
    FINDS("nested('3d050000000100000001006b1207') IN any", "3");
    FINDS("any == nested('1d0000000000000000')", "");
    FINDS("prices['tea'] > 2", "1");
    FINDS("prices['tea'] == nil", "2 4 5");
    FINDS("ANY prices.@allKeys BEGINSWITH 'a'", "3 4");
    FINDS("prices.@allKeys == 'ale' OR prices.@allValues == 2.5", "1 3 4");
    FINDS("'tea' IN prices.@allKeys", "1 3");
    FINDS("ANY prices.@allValues > 2", "1 3 4");
    FINDS("2.5 IN prices", "1 4");
    fixture_close(f);
}

/* Statements 118, 119, 136. */
void test_predicate_finds_in_collections(void) {
    fixture *f = zoo();
    FINDS("ANY scores > 5", "1 4");
    FINDS("NONE scores > 5", "2 3 5");
    FINDS("5 IN scores", "1 3");
    FINDS("ANY scores IN {0, 9}", "1 5");
    FINDS("ANY tags ==[c] 'RED'", "1 3");
    FINDS("ANY tags ==[d] 'e'", "5");
    FINDS("scores[0] == 5", "3");
    FINDS("scores[-1] == 9", "1");
    FINDS("ANY dogs.name == 'Fido'", "1 3");
    FINDS("ANY dogs.name == 'Fido' AND ANY dogs.age == 1", "3");
    FINDS("NONE dogs.name == 'Fido'", "2 4 5");
    FINDS("ANY dogs.toys.name == 'bone'", "1 3");
    FINDS("dogs[0].name == 'Rex'", "1");
    FINDS("age IN scores", "5");
    FINDS("ANY scores == age", "5");
    fixture_close(f);
}

/* Statements 110-112, 131-133. */
void test_predicate_finds_by_aggregates(void) {
    fixture *f = zoo();
    FINDS("dogs.@count == 3", "3");
    FINDS("dogs.@count IN {1, 2} OR dogs.@count BETWEEN {3, 5}", "1 3 4");
    FINDS("scores.@count == 0 OR prices.@count == 2", "2 3");
    FINDS("scores.@max > 6", "1 4");
    FINDS("scores.@max == nil", "2");
    FINDS("scores.@sum == 15 OR scores.@sum == 14", "1 4");
    FINDS("scores.@sum == 0", "2 5");
    FINDS("scores.@avg == 5", "1 3");
    FINDS("dogs.@max.age == 7", "1 3");
    FINDS("dogs.@min.age == 1", "3 4");
    FINDS("dogs.@avg.age == 5", "1 3");
    FINDS("dogs.@sum.age == 15", "3");
    FINDS("prices.@allValues.@max >= 2.5", "1 3 4");
    FINDS("scores.@max > age", "4");
    FINDS("age <= scores.@min", "4 5");
    fixture_close(f);
}

/* Statement 135. */
void test_predicate_finds_by_subqueries(void) {
    fixture *f = zoo();
    FINDS("SUBQUERY(dogs, $d, $d.age > 5).@count > 0", "1 3");
    FINDS("SUBQUERY(dogs, $d, $d.age > 5).@count == 2", "3");
    FINDS("SUBQUERY(dogs, $d, $d.age > 5 AND $d.name ==[c] 'FIDO').@count == 1", "1");
    FINDS("SUBQUERY(dogs, $d, $d.age > 100).@count == 0", "1 2 3 4 5");
    FINDS("SUBQUERY(dogs, $d, SUBQUERY($d.toys, $t, $t.weight > 1).@count == 1).@count >= 1", "1 3");
    FINDS("SUBQUERY(dogs, $d, $d.owner == nil).@count == 1", "3 4");
    FINDS("SUBQUERY(dogs, $d, $d.owner.dog.name == 'Fido').@count == 2 AND age == 30", "3");
    FINDS_WITH("SUBQUERY(dogs, $d, $d == %@).@count == 2", "3", argument_of(strata_mixed_link(DOG, 2)));
    fixture_close(f);
}

/* Statements 129, 130, and links from their other end. */
void test_predicate_finds_links(void) {
    fixture *f = zoo();
    strata_value rex = strata_mixed_link(DOG, 1), both[] = { rex, strata_null() };
    FINDS_WITH("dog == %@", "1", argument_of(rex));
    FINDS_WITH("dog != %@", "2 3 4 5", argument_of(rex));
    FINDS_WITH("dog IN %@", "1 2 5", argument_list(both, 2));
    FINDS_WITH("%@ IN dogs", "1", argument_of(rex));
    FINDS_WITH("dog == %@ OR %@ IN dogs OR any == %@", "", argument_nothing(), argument_nothing(), argument_nothing());
    FINDS_WITH("dog != %@", "1 2 3 4 5", argument_nothing());
    FINDS_WITH("SELF == %@ OR SELF IN %@", "3", argument_of(strata_mixed_link(PERSON, 3)),
               argument_list((const strata_value[]){ strata_mixed_link(PERSON, 3) }, 1));
    FINDS("dog == nil", "2 5");
    FINDS("dog.name == 'Fido'", "3");
    FINDS("dog.age == nil", "2 5");
    FINDS("dog.owner.name == 'Ann'", "1");
    FINDS("dog.owner == SELF", "1 3");
    FINDS("ANY dog.owners.name == 'Zoë'", "3 4");
    finds(f, DOG, "owners.@count == 3", NULL, 0, "2", __LINE__);
    finds(f, DOG, "ANY owners.age < 0", NULL, 0, "3", __LINE__);
    finds(f, DOG, "SUBQUERY(owners, $p, $p.age == 30).@count == 3", NULL, 0, "2", __LINE__);
    fixture_close(f);
}

static void selects(fixture *f, uint64_t key, uint32_t column, const char *text, const char *expected, int line) {
    strata_predicate *predicate;
    strata_condition *condition = NULL;
    strata_keys keys = { NULL, 0 };
    char found[100] = "", report[900];
    strata_row row = person(f, key);
    strata_status status = strata_predicate_parse(text, strlen(text), NULL, 0, &predicate, &f->error);
    if (status == STRATA_OK) {
        status = strata_predicate_resolve_values(predicate, f->view, PERSON, column, zoo_aliases, zoo_alias_count,
                                                 &condition, &f->error);
        strata_predicate_free(predicate);
    }
    if (status == STRATA_OK) {
        status = strata_collection_select(&row, column, condition->nodes, condition->node_count, &keys, &f->error);
    }
    if (status != STRATA_OK) snprintf(found, sizeof found, "%.99s", f->error.message);
    for (uint64_t i = 0; i < keys.count; i++) {
        size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, i == 0 ? "%llu" : " %llu", (unsigned long long)keys.data[i]);
    }
    bool met = status == STRATA_OK ? strcmp(found, expected) == 0 : strstr(f->error.message, expected) != NULL;
    if (!met || (status != STRATA_OK && expected[0] == 0)) {
        snprintf(report, sizeof report, "%.300s: gives \"%s\", not \"%s\"", text, found, expected);
        ctest_fail(__FILE__, line, report);
    }
    strata_keys_free(&keys);
    strata_condition_free(condition);
}

/* The positions, or a part of the message. */
#define SELECTS(key, column, text, expected) selects(f, key, column, text, expected, __LINE__)

/* Conditions on the values of one collection, where SELF is the value. */
void test_predicate_selects_values(void) {
    fixture *f = zoo();
    SELECTS(1, P_SCORES, "SELF > 3", "1 2");
    SELECTS(1, P_SCORES, "3 < SELF AND NOT SELF == 9", "1");
    SELECTS(1, P_SCORES, "SELF IN {1, 9, 11} OR SELF BETWEEN {4, 6}", "0 1 2");
    SELECTS(1, P_SCORES, "SELF == nil", "");
    SELECTS(1, P_SCORES, "TRUEPREDICATE", "0 1 2");
    SELECTS(1, P_SCORES, "FALSEPREDICATE", "");
    SELECTS(1, P_SCORES, "SELF == SELF", "0 1 2");
    SELECTS(2, P_SCORES, "SELF > 3", "");
    SELECTS(1, P_TAGS, "SELF BEGINSWITH[c] 'R'", "1");
    SELECTS(3, P_PRICES, "SELF >= 2.5", "0");
    SELECTS(1, P_DOGS, "age > 3", "1");
    SELECTS(1, P_DOGS, "owner.name == 'Ann' AND ANY toys.name == 'ball'", "0");
    SELECTS(1, P_DOGS, "SELF.age > 3", "1");
    SELECTS(1, P_DOGS, "SUBQUERY(toys, $t, $t.weight > 1).@count == 1", "1");
    SELECTS(1, P_SCORES, "SELF == 'five'", "'scores' of Person is an int; it cannot be compared with a string");
    SELECTS(1, P_SCORES, "age > 3", "'scores' of Person is a value (int); a path goes on only through links");
    SELECTS(1, P_SCORES, "SELF[0] > 3", "only maps, lists and values of any type");
    SELECTS(1, P_SCORES, "ANY SELF > 3", "ANY");
    SELECTS(1, P_SCORES, "SELF.@max > 3", "only a collection has aggregates");
    SELECTS(1, P_AGE, "SELF > 3", "Person.age is no collection");
    fixture_close(f);
}

/* The positions of the entries of what is nested in Person.any of an object. */
static strata_keys selected_nested(fixture *f, uint64_t key, const char *text) {
    strata_predicate *predicate;
    strata_condition *condition;
    strata_keys keys;
    strata_value value;
    strata_row row = person(f, key);
    MUST(strata_row_get(&row, P_ANY, &value, &f->error));
    CHECK_EQ(value.type, STRATA_NESTED);
    MUST(strata_predicate_parse(text, strlen(text), NULL, 0, &predicate, &f->error));
    MUST(strata_predicate_resolve_values(predicate, f->view, PERSON, P_ANY, NULL, 0, &condition, &f->error));
    strata_predicate_free(predicate);
    MUST(strata_nested_select(f->view, PERSON, P_ANY, value.as.bytes, condition->nodes, condition->node_count, &keys,
                              &f->error));
    strata_condition_free(condition);
    return keys;
}

/* Conditions on what is nested in a value of any type: person 3 has [5, { "k": 7 }]. */
void test_predicate_selects_nested_values(void) {
    static const struct { const char *text; uint64_t count, first; } tests[] = {
        { "SELF == 5", 1, 0 },         { "SELF['k'] == 7", 1, 1 },     { "SELF < 5", 0, 0 },
        { "NOT SELF == 5", 1, 1 },     { "SELF[#any] == 7", 1, 1 },     { "TRUEPREDICATE", 2, 0 },
        { "SELF == 5 OR SELF['k'] > 6", 2, 0 },
    };
    fixture *f = zoo();
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        strata_keys keys = selected_nested(f, 3, tests[i].text);
        CHECK_EQ(keys.count, tests[i].count);
        if (keys.count != 0) CHECK_EQ(keys.data[0], tests[i].first);
        strata_keys_free(&keys);
    }
    fixture_close(f);
}
