/* SPDX-License-Identifier: MIT
 * test_condition_words.c -- what conditions mean, on a few objects that can be told apart; what they are called, and
 * what is refused with which words. Numbers are those of the statements about behaviour. */
#include <math.h>
#include <stdio.h>

#include "strata_decimal.h"
#include "strata_mixed.h"
#include "strata_predicate.h"
#include "support/strata_support.h"

enum { PERSON, DOG, PLACE };
enum { NAME, NICK, AGE, LIMIT, SCORE, TAGS, POINTS, ANYTHING, DOGS, BEST, HOME, PICTURE };
enum { DOG_NAME, DOG_AGE };

/* ---- Objects ---------------------------------------------------------- */

static void append(fixture *f, uint64_t key, uint32_t column, strata_value value) {
    strata_row row = row_of(f, PERSON, key);
    uint64_t size;
    MUST(strata_collection_size(&row, column, &size, &f->error));
    MUST(strata_list_insert(&row, column, size, &value, 1, &f->error));
}

static void put(fixture *f, uint64_t key, uint32_t column, const char *name, strata_value value) {
    strata_row row = row_of(f, PERSON, key);
    MUST(strata_map_set(&row, column, (strata_bytes){ name, strlen(name) }, &value, &f->error));
}

/* {"a": 1, "list": ["x", null]} */
static void put_nested(fixture *f, uint64_t key) {
    strata_nested *n = strata_nested_make();
    strata_value one = strata_int(1), x = strata_string("x", 1), none = strata_null(), value;
    CHECK(n != NULL);
    MUST(strata_nested_begin_map(n, NULL, &f->error));
    MUST(strata_nested_put(n, (strata_bytes){ "a", 1 }, &one, &f->error));
    MUST(strata_nested_begin_list(n, &(strata_bytes){ "list", 4 }, &f->error));
    MUST(strata_nested_append(n, &x, &f->error));
    MUST(strata_nested_append(n, &none, &f->error));
    MUST(strata_nested_end(n, &f->error));
    MUST(strata_nested_end(n, &f->error));
    MUST(strata_nested_finish(n, &value, &f->error));
    set(f, PERSON, key, ANYTHING, value);
    strata_nested_free(n);
}

/* Ann (1) has two dogs, tags, points and a nested value; Bob (2) a best dog and a home; Cid (3) has nothing. */
static fixture *make_world(void) {
    static const strata_column_spec persons[] = {
        { "name", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_INDEXED, NULL },
        { "nick", STRATA_STRING, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
        { "age", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_NULLABLE | STRATA_COLUMN_INDEXED, NULL },
        { "limit", STRATA_INT, STRATA_SINGLE, 0, NULL },
        { "score", STRATA_DOUBLE, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
        { "tags", STRATA_STRING, STRATA_LIST, 0, NULL },
        { "points", STRATA_INT, STRATA_MAP, STRATA_COLUMN_NULLABLE, NULL },
        { "anything", STRATA_MIXED, STRATA_SINGLE, 0, NULL },
        { "dogs", STRATA_LINK, STRATA_LIST, 0, "Dog" },
        { "best", STRATA_LINK, STRATA_SINGLE, 0, "Dog" },
        { "home", STRATA_LINK, STRATA_SINGLE, 0, "Place" },
        { "picture", STRATA_DATA, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL },
    };
    static const strata_column_spec dogs[] = { { "name", STRATA_STRING, STRATA_SINGLE, 0, NULL },
                                               { "age", STRATA_INT, STRATA_SINGLE, STRATA_COLUMN_NULLABLE, NULL } };
    static const strata_column_spec places[] = { { "type", STRATA_STRING, STRATA_SINGLE, 0, NULL },
                                                 { "coordinates", STRATA_DOUBLE, STRATA_LIST, 0, NULL } };
    static const strata_table_spec tables[] = { { "Person", 0, 12, persons }, { "Dog", 0, 2, dogs },
                                                { "Place", 0, 2, places } };
    fixture *f = fixture_open("conditions");
    MUST(apply(f, 1, tables, 3));
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t rex = ADD(DOG, value_of("Rex"), strata_int(3)), ida = ADD(DOG, value_of("Ida"), strata_int(7));
    uint64_t old = ADD(DOG, value_of("Old"), strata_null()), home = ADD(PLACE, value_of("Point"));
    ADD(PERSON, value_of("Ann"), value_of("\xC3\x84nnchen"), strata_int(30), strata_int(30), strata_double(2.5));
    ADD(PERSON, value_of("Bob"), strata_null(), strata_int(20), strata_int(25), strata_null());
    ADD(PERSON, value_of("Cid"), value_of("cid"), strata_null(), strata_int(25), strata_double(2.5));
    append(f, 1, DOGS, strata_link(rex));
    append(f, 1, DOGS, strata_link(ida));
    append(f, 1, TAGS, value_of("red"));
    append(f, 1, TAGS, value_of("blue"));
    put(f, 1, POINTS, "x", strata_int(5));
    put(f, 1, POINTS, "y", strata_null());
    put_nested(f, 1);
    set(f, PERSON, 2, BEST, strata_link(ida));
    append(f, 2, DOGS, strata_link(old));
    set(f, PERSON, 2, HOME, strata_link(home));
    set(f, PERSON, 2, ANYTHING, strata_mixed_link(DOG, rex));
    set(f, PERSON, 3, ANYTHING, strata_data("a\xC3\xA4", 3));
    set(f, PERSON, 3, PICTURE, strata_data("a\xC3\xA4", 3));
    strata_row row = row_of(f, PLACE, home);
    strata_value at[] = { strata_double(13.4), strata_double(52.5), strata_double(34) };
    MUST(strata_list_insert(&row, 1, 0, at, 3, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

/* ---- Words for conditions --------------------------------------------- */

#define COLUMN(number) { .column = (number) }
#define KEYS { .kind = STRATA_STEP_KEYS }
#define KEY(text) { .kind = STRATA_STEP_KEY, .key = { text, sizeof(text) - 1 } }
#define POSITION(at) { .kind = STRATA_STEP_POSITION, .position = (at) }
#define EACH { .kind = STRATA_STEP_EACH }
#define ELEMENTS { .kind = STRATA_STEP_ELEMENTS }
#define SELF { .kind = STRATA_STEP_SELF }
#define BACKLINKS(from, through) { .kind = STRATA_STEP_BACKLINKS, .table = (from), .column = (through) }
#define PATH(...) ((strata_operand){ .path = (const strata_step[]){ __VA_ARGS__ }, \
                                     .path_length = sizeof((strata_step[]){ __VA_ARGS__ }) / sizeof(strata_step) })
#define VALUES(...) .values = (const strata_value[]){ __VA_ARGS__ }, \
                    .value_count = sizeof((strata_value[]){ __VA_ARGS__ }) / sizeof(strata_value)

static strata_operand total(strata_aggregate aggregate, strata_operand path, uint32_t length) {
    path.aggregate = aggregate;
    path.aggregate_length = length;
    return path;
}

/* The keys of the persons that meet the condition, as a number: 13 are Ann and Cid. */
static int who(fixture *f, const strata_node *nodes, uint32_t count, strata_query_stats *stats) {
    strata_query q = { .size = sizeof q, .table = PERSON, .nodes = nodes, .node_count = count };
    strata_keys keys;
    int found = 0;
    MUST(strata_query_run(f->view, &q, &keys, stats, &f->error));
    for (uint64_t i = 0; i < keys.count; i++) found = 10 * found + (int)keys.data[i];
    strata_keys_free(&keys);
    return found;
}
#define NODES(...) \
    (const strata_node[]){ __VA_ARGS__ }, sizeof((strata_node[]){ __VA_ARGS__ }) / sizeof(strata_node)
#define WHO(...) who(f, NODES(__VA_ARGS__), NULL)

/* ---- What they mean --------------------------------------------------- */

static void check_paths(fixture *f) {
    strata_value none = strata_null(), five = strata_int(5), rex = value_of("Rex"), x = value_of("x");
    strata_operand ages = PATH(COLUMN(DOGS), COLUMN(DOG_AGE)), best = PATH(COLUMN(BEST), COLUMN(DOG_NAME));
    CHECK_EQ(WHO({ .op = STRATA_GREATER, .left = ages, VALUES(five) }), 1); /* 118: any of them */
    CHECK_EQ(WHO({ .op = STRATA_NOT }, { .op = STRATA_GREATER, .left = ages, VALUES(five) }), 23); /* 119 */
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = ages, VALUES(none) }), 2);
    CHECK_EQ(WHO({ .op = STRATA_AND, .children = 2 }, { .op = STRATA_LESS, .left = ages, VALUES(five) },
                 { .op = STRATA_GREATER, .left = ages, VALUES(five) }), 1); /* 136: two dogs may do */
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = best, VALUES(none) }), 13); /* a missing link makes it null */
    CHECK_EQ(WHO({ .op = STRATA_NOT_EQUAL, .left = best, VALUES(rex) }), 123); /* 122 */
    strata_operand fellows = PATH(COLUMN(BEST), BACKLINKS(PERSON, DOGS), COLUMN(NAME));
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = fellows, VALUES(value_of("Ann")) }), 2);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = fellows, VALUES(none) }), 0);
    CHECK_EQ(WHO({ .op = STRATA_IN, .left = PATH(SELF), VALUES(strata_link(3), strata_link(1)) }), 13);
    /* 134 */
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(POINTS), KEYS), VALUES(value_of("y")) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = PATH(COLUMN(POINTS), KEYS), VALUES(value_of("?")) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(POINTS)), VALUES(five) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(POINTS), KEY("x")), VALUES(five) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_NOT_EQUAL, .left = PATH(COLUMN(POINTS), KEY("x")), VALUES(five) }), 23);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(POINTS), KEY("y")), VALUES(none) }), 123);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(TAGS), POSITION(-1)), VALUES(value_of("blue")) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(DOGS), POSITION(0), COLUMN(DOG_NAME)), VALUES(rex) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(DOGS), POSITION(1), COLUMN(DOG_NAME)), VALUES(none) }), 23);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(ANYTHING), KEY("a")), VALUES(strata_double(1)) }), 1);
    strata_operand inside = PATH(COLUMN(ANYTHING), KEY("list"), EACH);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = inside, VALUES(x) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = inside, VALUES(none) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(ANYTHING), KEY("list"), POSITION(-2)), VALUES(x) }), 1);
}

static void check_totals(fixture *f) {
    strata_value none = strata_null(), two = strata_int(2), five = strata_int(5);
    strata_operand dogs = total(STRATA_COUNT, PATH(COLUMN(DOGS)), 1), ages = PATH(COLUMN(DOGS), COLUMN(DOG_AGE));
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = dogs, VALUES(two) }), 1); /* 131 */
    CHECK_EQ(WHO({ .op = STRATA_LESS, .left = dogs, VALUES(strata_double(1.5)) }), 23);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = total(STRATA_COUNT, PATH(COLUMN(POINTS)), 1), VALUES(two) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = total(STRATA_MAX, ages, 1), VALUES(strata_int(7)) }), 1); /* 133 */
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = total(STRATA_MIN, ages, 1), VALUES(none) }), 23); /* 132 */
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = total(STRATA_AVERAGE, ages, 1), VALUES(five) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = total(STRATA_SUM, ages, 1), VALUES(strata_int(0)) }), 23);
    strata_operand back = total(STRATA_COUNT, PATH(COLUMN(BEST), BACKLINKS(PERSON, DOGS)), 2);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = back, VALUES(strata_int(1)) }), 2);
    strata_operand inside = total(STRATA_COUNT, PATH(COLUMN(ANYTHING), EACH), 2);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = inside, VALUES(two) }), 1);
    /* 135, 136: the same dog has to meet both */
    strata_operand age = PATH(COLUMN(DOG_AGE)), owners = total(STRATA_COUNT, PATH(BACKLINKS(PERSON, DOGS)), 1);
    strata_node young = { .op = STRATA_LESS, .left = age, VALUES(five) };
    strata_node old = { .op = STRATA_GREATER, .left = age, VALUES(five) };
    strata_node some = { .op = STRATA_GREATER, .left = dogs, .children = 1, VALUES(strata_int(0)) };
    CHECK_EQ(WHO(some, young), 1);
    CHECK_EQ(WHO(some, { .op = STRATA_AND, .children = 2 }, young, old), 0);
    strata_node named = { .op = STRATA_EQUAL, .left = PATH(COLUMN(NAME)), VALUES(value_of("Bob")) };
    CHECK_EQ(WHO(some, { .op = STRATA_EQUAL, .left = owners, .children = 1, VALUES(strata_int(1)) }, named), 2);
}

static void check_pairs(fixture *f) {
    strata_operand age = PATH(COLUMN(AGE)), limit = PATH(COLUMN(LIMIT)), score = PATH(COLUMN(SCORE));
    strata_operand ages = PATH(COLUMN(DOGS), COLUMN(DOG_AGE)), dogs = total(STRATA_COUNT, PATH(COLUMN(DOGS)), 1);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = age, .right = &limit }), 1); /* 130 */
    CHECK_EQ(WHO({ .op = STRATA_LESS, .left = age, .right = &limit }), 2);
    CHECK_EQ(WHO({ .op = STRATA_NOT_EQUAL, .left = age, .right = &limit }), 23);
    CHECK_EQ(WHO({ .op = STRATA_GREATER, .left = limit, .right = &ages }), 1);
    CHECK_EQ(WHO({ .op = STRATA_LESS, .left = dogs, .right = &score }), 13); /* 131 */
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = PATH(COLUMN(BEST), COLUMN(DOG_AGE)), .right = &age }), 3);
    strata_operand nick = PATH(COLUMN(NICK)), name = PATH(COLUMN(NAME));
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .options = STRATA_CASE_INSENSITIVE, .left = name, .right = &nick }), 3);
    CHECK_EQ(WHO({ .op = STRATA_BEGINS_WITH, .options = 3, .left = nick, .right = &name }), 13);
    strata_operand best = PATH(COLUMN(BEST)), mates = PATH(COLUMN(DOGS));
    CHECK_EQ(WHO({ .op = STRATA_IN, .left = best, .right = &mates }), 0);
    CHECK_EQ(WHO({ .op = STRATA_NOT_EQUAL, .left = best, .right = &mates }), 12);
}

static void check_texts(fixture *f) {
    strata_operand nick = PATH(COLUMN(NICK)), anything = PATH(COLUMN(ANYTHING)), picture = PATH(COLUMN(PICTURE));
    strata_value none = strata_null(), empty = strata_string("", 0);
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = nick, VALUES(value_of("?nn*")) }), 1); /* 124 */
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = nick, VALUES(value_of("CI?")) }), 0);
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .options = 1, .left = nick, VALUES(value_of("CI?")) }), 3);
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = nick, VALUES(none) }), 2);
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = nick, VALUES(value_of("*")) }), 13);
    CHECK_EQ(WHO({ .op = STRATA_CONTAINS, .left = nick, VALUES(empty) }), 0); /* 121 */
    CHECK_EQ(WHO({ .op = STRATA_CONTAINS, .left = nick, VALUES(none) }), 0);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .options = 1, .left = nick, VALUES(value_of("\xC3\xA4NNCHEN")) }), 1); /* 123 */
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .options = 3, .left = nick, VALUES(value_of("annchen")) }), 1);
    CHECK_EQ(WHO({ .op = STRATA_LESS, .left = PATH(COLUMN(NAME)), VALUES(value_of("Bob")) }), 1); /* 125 */
    /* 126: bytes of data, one by one */
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = picture, VALUES(strata_data("a??", 3)) }), 3);
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = picture, VALUES(strata_data("a?", 2)) }), 0);
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = anything, VALUES(strata_string("a??", 3)) }), 3);
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = anything, VALUES(strata_string("a?", 2)) }), 0);
    CHECK_EQ(WHO({ .op = STRATA_ENDS_WITH, .left = anything, VALUES(strata_data("\xA4", 1)) }), 3);
}

static void check_shapes(fixture *f) {
    static const strata_geo_point around[] = { { 13, 52 }, { 14, 53 } }, elsewhere[] = { { 1, 52 }, { 2, 53 } };
    strata_shape box = { .kind = STRATA_BOX, .points = around, .point_count = 2 };
    strata_shape circle = { .kind = STRATA_CIRCLE, .points = around, .point_count = 1, .radius = 0.02 };
    strata_node node = { .op = STRATA_WITHIN, .left = PATH(COLUMN(HOME)), .shape = &box };
    CHECK_EQ(WHO(node), 2); /* 141 */
    CHECK_EQ(WHO({ .op = STRATA_NOT }, node), 13);
    node.shape = &circle;
    CHECK_EQ(WHO(node), 2);
    box.points = elsewhere;
    node.shape = &box;
    CHECK_EQ(WHO(node), 0);
}

void test_condition_means_what_it_says(void) {
    fixture *f = make_world();
    check_paths(f);
    check_totals(f);
    check_pairs(f);
    check_texts(f);
    check_shapes(f);
    fixture_close(f);
}

/* A long string that is stored elsewhere, and that marks make longer than what it equals. */
void test_condition_of_long_strings(void) {
    fixture *f = make_world();
    enum { LENGTH = 3000 };
    char *marked = malloc(2 * LENGTH), *plain = malloc(LENGTH);
    CHECK(marked != NULL && plain != NULL);
    for (int i = 0; i < LENGTH; i++) memcpy(marked + 2 * i, "\xC3\xA9", 2);
    memset(plain, 'e', LENGTH);
    MUST(strata_view_begin(f->view, &f->error));
    set(f, PERSON, 2, NICK, strata_string(marked, 2 * LENGTH));
    MUST(strata_view_commit(f->view, &f->error));
    strata_operand nick = PATH(COLUMN(NICK));
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .options = 2, .left = nick, VALUES(strata_string(plain, LENGTH)) }), 2);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .options = 2, .left = nick, VALUES(strata_string(plain, LENGTH - 1)) }), 0);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = nick, VALUES(strata_string(marked, 2 * LENGTH)) }), 2);
    CHECK_EQ(WHO({ .op = STRATA_LIKE, .left = nick, VALUES(value_of("\xC3\xA9*\xC3\xA9")) }), 2);
    CHECK_EQ(WHO({ .op = STRATA_EQUAL, .left = nick, .right = &nick }), 123);
    free(marked);
    free(plain);
    fixture_close(f);
}

/* ---- What they are called --------------------------------------------- */

static void check_plan(fixture *f, const char *words, const strata_node *nodes, uint32_t count) {
    strata_query_stats stats;
    char plan[220];
    (void)who(f, nodes, count, &stats);
    snprintf(plan, sizeof plan, "scan Person, filter %s", words);
    CHECK_TEXT(stats.plan, plan);
}
#define PLAN(words, ...) check_plan(f, words, NODES(__VA_ARGS__))

void test_condition_in_words(void) {
    static const strata_geo_point corners[] = { { 0, 0 }, { 1, 1 } };
    static const strata_shape box = { .kind = STRATA_BOX, .points = corners, .point_count = 2 };
    fixture *f = make_world();
    strata_value one = strata_int(1);
    strata_operand age = PATH(COLUMN(AGE)), ages = PATH(COLUMN(DOGS), COLUMN(DOG_AGE)), limit = PATH(COLUMN(LIMIT));
    strata_operand dogs = total(STRATA_COUNT, PATH(COLUMN(DOGS)), 1);
    strata_node small = { .op = STRATA_LESS, .left = limit, VALUES(one) };
    PLAN("count of dogs > 1", { .op = STRATA_GREATER, .left = dogs, VALUES(one) });
    PLAN("any of dogs.age = null", { .op = STRATA_EQUAL, .left = ages, VALUES(strata_null()) });
    PLAN("nick like[c] \"*x\"",
         { .op = STRATA_LIKE, .options = 1, .left = PATH(COLUMN(NICK)), VALUES(value_of("*x")) });
    PLAN("max of dogs.age >= 1", { .op = STRATA_GREATER_EQUAL, .left = total(STRATA_MAX, ages, 1), VALUES(one) });
    PLAN("average of points != limit",
         { .op = STRATA_NOT_EQUAL, .left = total(STRATA_AVERAGE, PATH(COLUMN(POINTS)), 1), .right = &limit });
    PLAN("age <= limit", { .op = STRATA_LESS_EQUAL, .left = age, .right = &limit });
    PLAN("any of points.keys in 2 values",
         { .op = STRATA_IN, .left = PATH(COLUMN(POINTS), KEYS), VALUES(value_of("a"), value_of("b")) });
    PLAN("points[\"x\"] between 1 and 1",
         { .op = STRATA_BETWEEN, .left = PATH(COLUMN(POINTS), KEY("x")), VALUES(one, one) });
    PLAN("any of anything[\"list\"][*][-1] = 1",
         { .op = STRATA_EQUAL, .left = PATH(COLUMN(ANYTHING), KEY("list"), EACH, POSITION(-1)), VALUES(one) });
    PLAN("any of best.@links.Person.dogs.name begins with \"A\"",
         { .op = STRATA_BEGINS_WITH, .left = PATH(COLUMN(BEST), BACKLINKS(PERSON, DOGS), COLUMN(NAME)),
           VALUES(value_of("A")) });
    PLAN("self != object 1", { .op = STRATA_NOT_EQUAL, .left = PATH(SELF), VALUES(strata_link(1)) });
    PLAN("home within a box", { .op = STRATA_WITHIN, .left = PATH(COLUMN(HOME)), .shape = &box });
    PLAN("count of dogs where (age < 5 or age = null) = 1",
         { .op = STRATA_EQUAL, .left = dogs, .children = 1, VALUES(one) }, { .op = STRATA_OR, .children = 3 },
         { .op = STRATA_LESS, .left = PATH(COLUMN(DOG_AGE)), VALUES(strata_int(5)) }, { .op = STRATA_FALSE },
         { .op = STRATA_EQUAL, .left = PATH(COLUMN(DOG_AGE)), VALUES(strata_null()) });
    PLAN("count of dogs where (true) = 1", { .op = STRATA_EQUAL, .left = dogs, .children = 1, VALUES(one) },
         { .op = STRATA_OR, .children = 2 }, { .op = STRATA_LESS, .left = PATH(COLUMN(DOG_AGE)), VALUES(one) },
         { .op = STRATA_TRUE });
    PLAN("limit < 1 and not (count of dogs > 1)", { .op = STRATA_AND, .children = 2 }, { .op = STRATA_NOT },
         { .op = STRATA_GREATER, .left = dogs, VALUES(one) }, small);
    PLAN("limit < 1 or (limit < 1 and limit < 1)", { .op = STRATA_OR, .children = 2 },
         { .op = STRATA_AND, .children = 2 }, small, small, small);
    strata_query_stats stats;
    CHECK_EQ(who(f, NODES({ .op = STRATA_LIKE, .left = PATH(COLUMN(NAME)), VALUES(value_of("An*")) }), &stats), 1);
    CHECK_TEXT(stats.plan, "index name begins with \"An\"");
    CHECK_EQ(who(f, NODES({ .op = STRATA_LIKE, .left = PATH(COLUMN(NAME)), VALUES(value_of("Bob")) }), &stats), 2);
    CHECK_TEXT(stats.plan, "index name = \"Bob\"");
    strata_node many[41] = { { .op = STRATA_OR, .children = 40 } };
    for (int i = 1; i < 41; i++) many[i] = small;
    CHECK_EQ(who(f, many, 41, &stats), 0);
    CHECK(strncmp(stats.plan, "scan Person, filter limit < 1 or limit < 1 or ", 46) == 0);
    CHECK(strlen(stats.plan) < 160 && strcmp(stats.plan + strlen(stats.plan) - 3, "...") == 0);
    fixture_close(f);
}

/* ---- What is refused -------------------------------------------------- */

static void refuse(fixture *f, strata_status expected, const char *message, const strata_node *nodes, uint32_t count) {
    strata_query q = { .size = sizeof q, .table = PERSON, .nodes = nodes, .node_count = count };
    strata_keys keys;
    CHECK_EQ(strata_query_check(f->view, &q, &f->error), expected);
    CHECK_TEXT(f->error.message, message);
    CHECK_EQ(strata_query_run(f->view, &q, &keys, NULL, NULL), expected);
}
#define REFUSE(status, message, ...) refuse(f, status, message, NODES(__VA_ARGS__))

static void refuse_paths(fixture *f) {
    strata_value one = strata_int(1);
    REFUSE(STRATA_TYPE, "the keys of points of Person are strings; a path ends there",
           { .op = STRATA_EQUAL, .left = PATH(COLUMN(POINTS), KEYS, COLUMN(0)), VALUES(one) });
    REFUSE(STRATA_TYPE, "the step KEYS follows tags of Person, a list of string values, and not a map",
           { .op = STRATA_EQUAL, .left = PATH(COLUMN(TAGS), KEYS), VALUES(one) });
    REFUSE(STRATA_TYPE, "the step POSITION follows age of Person, a column of int values, and not a list or a mixed "
           "value",
           { .op = STRATA_EQUAL, .left = PATH(COLUMN(AGE), POSITION(1)), VALUES(one) });
    REFUSE(STRATA_TYPE, "a step of a path from Person, EACH, only follows a mixed value",
           { .op = STRATA_EQUAL, .left = PATH(EACH), VALUES(one) });
    REFUSE(STRATA_TYPE, "the step ELEMENTS follows age of Person, a column of int values, and not a collection",
           { .op = STRATA_EQUAL, .left = PATH(COLUMN(AGE), ELEMENTS), VALUES(one) });
    REFUSE(STRATA_TYPE, "the step ELEMENTS follows tags of Person behind a step that says already which of its string "
           "values are meant, and these are not a collection",
           { .op = STRATA_EQUAL, .left = PATH(COLUMN(TAGS), ELEMENTS, ELEMENTS), VALUES(one) });
    REFUSE(STRATA_TYPE, "the step POSITION follows tags of Person behind a step that says already which of its string "
           "values are meant, and these are not a list or a mixed value",
           { .op = STRATA_EQUAL, .left = PATH(COLUMN(TAGS), ELEMENTS, POSITION(0)), VALUES(one) });
    REFUSE(STRATA_MISUSE, "a path from Person goes on behind SELF, which is its last step",
           { .op = STRATA_EQUAL, .left = PATH(SELF, COLUMN(0)), VALUES(one) });
    REFUSE(STRATA_MISUSE, "best of Person does not link to Person",
           { .op = STRATA_EQUAL, .left = PATH(BACKLINKS(PERSON, BEST)), VALUES(one) });
    REFUSE(STRATA_MISUSE, "9 is no kind of step in a path",
           { .op = STRATA_EQUAL, .left = PATH({ .kind = (strata_step_kind)9 }), VALUES(one) });
    strata_step far[300];
    memset(far, 0, sizeof far);
    for (int i = 0; i < 300; i++) far[i].column = i % 2 == 0 ? BEST : 0;
    REFUSE(STRATA_MISUSE, "a path from Person has 300 steps; there may be 200",
           { .op = STRATA_EQUAL, .left = { .path = far, .path_length = 300 }, VALUES(one) });
}

static void refuse_totals(fixture *f) {
    strata_value one = strata_int(1);
    strata_operand tags = PATH(COLUMN(TAGS)), dogs = total(STRATA_COUNT, PATH(COLUMN(DOGS)), 1);
    strata_node inner = { .op = STRATA_TRUE };
    REFUSE(STRATA_TYPE, "tags of Person is a string, of which there is no sum",
           { .op = STRATA_EQUAL, .left = total(STRATA_SUM, tags, 1), VALUES(one) });
    REFUSE(STRATA_TYPE, "the first 1 of 1 steps from Person lead to no collection that a maximum could be taken of",
           { .op = STRATA_EQUAL, .left = total(STRATA_MAX, PATH(COLUMN(AGE)), 1), VALUES(one) });
    REFUSE(STRATA_TYPE, "a path from Person meets another collection behind the one that a minimum is taken of",
           { .op = STRATA_EQUAL,
             .left = total(STRATA_MIN, PATH(COLUMN(DOGS), BACKLINKS(PERSON, DOGS), COLUMN(AGE)), 1), VALUES(one) });
    REFUSE(STRATA_MISUSE, "a path from Person goes on behind the collection that is counted",
           { .op = STRATA_EQUAL, .left = total(STRATA_COUNT, PATH(COLUMN(DOGS), COLUMN(0)), 1), VALUES(one) });
    REFUSE(STRATA_TYPE, "the count of dogs of Person is compared with null, which it never is; nothing counts and adds "
           "up to 0", { .op = STRATA_EQUAL, .left = dogs, VALUES(strata_null()) });
    REFUSE(STRATA_TYPE, "the count of dogs of Person is an int; compared with a string",
           { .op = STRATA_EQUAL, .left = dogs, VALUES(value_of("2")) });
    REFUSE(STRATA_TYPE, "the count of tags of Person counts no objects, so there can be no condition on them",
           { .op = STRATA_EQUAL, .left = total(STRATA_COUNT, tags, 1), .children = 1, VALUES(one) }, inner);
    REFUSE(STRATA_MISUSE, "a comparison of age of Person has 1 children; only that of a count has one, on what is "
           "counted",
           { .op = STRATA_EQUAL, .left = PATH(COLUMN(AGE)), .children = 1, VALUES(one) }, inner);
}

static void refuse_comparisons(fixture *f) {
    strata_value one = strata_int(1), text = value_of("a");
    strata_operand name = PATH(COLUMN(NAME)), age = PATH(COLUMN(AGE)), score = PATH(COLUMN(SCORE));
    strata_operand home = PATH(COLUMN(HOME)), best = PATH(COLUMN(BEST)), self = PATH(SELF);
    strata_shape none = { .kind = STRATA_BOX };
    REFUSE(STRATA_TYPE, "age of Person (int) is compared with score of Person (double); two columns have to be of the "
           "same type", { .op = STRATA_EQUAL, .left = age, .right = &score }); /* 130 */
    REFUSE(STRATA_TYPE, "best of Person (Dog) is compared with an object of Person (Person); two columns have to be of "
           "the same type", { .op = STRATA_EQUAL, .left = best, .right = &self });
    REFUSE(STRATA_MISUSE, "age of Person is compared with BETWEEN, which takes two values, not age of Person",
           { .op = STRATA_BETWEEN, .left = age, .right = &age });
    REFUSE(STRATA_TYPE, "age of Person is an int, which cannot be compared with LIKE",
           { .op = STRATA_LIKE, .left = age, VALUES(text) });
    REFUSE(STRATA_TYPE, "name of Person, a string: the marks of letters cannot be ignored with LIKE",
           { .op = STRATA_LIKE, .options = 2, .left = name, VALUES(text) }); /* 124 */
    REFUSE(STRATA_MISUSE, "name of Person is compared with the options 8, not all of which exist",
           { .op = STRATA_EQUAL, .options = 8, .left = name, VALUES(text) });
    REFUSE(STRATA_TYPE, "picture of Person, a data: upper and lower case cannot be ignored with =",
           { .op = STRATA_EQUAL, .options = 1, .left = PATH(COLUMN(PICTURE)), VALUES(strata_data("a", 1)) });
    REFUSE(STRATA_TYPE, "objects of Dog are no points: a point has a column \"type\", a string",
           { .op = STRATA_WITHIN, .left = best, .shape = &none }); /* 141 */
    REFUSE(STRATA_TYPE, "age of Person is an int; only a link to a point lies within a shape",
           { .op = STRATA_WITHIN, .left = age, .shape = &none });
    REFUSE(STRATA_MISUSE, "home of Person is compared with WITHIN, which takes a shape",
           { .op = STRATA_WITHIN, .left = home, VALUES(one) });
}

void test_condition_refuses_nonsense(void) {
    fixture *f = make_world();
    refuse_paths(f);
    refuse_totals(f);
    refuse_comparisons(f);
    fixture_close(f);
}

/* ---- NaN, lists and maps ---------------------------------------------- */

enum { DOUBLES, DECIMALS, DOUBLE, DECIMAL, LEFT, RIGHT };

static fixture *make_odd_values(void) {
    static const strata_column_spec columns[] = {
        { "doubles", STRATA_DOUBLE, STRATA_LIST, 0, NULL },   { "decimals", STRATA_DECIMAL, STRATA_LIST, 0, NULL },
        { "double", STRATA_DOUBLE, STRATA_SINGLE, 0, NULL },  { "decimal", STRATA_DECIMAL, STRATA_SINGLE, 0, NULL },
        { "left", STRATA_MIXED, STRATA_SINGLE, 0, NULL },     { "right", STRATA_MIXED, STRATA_SINGLE, 0, NULL },
    };
    static const strata_table_spec table = { "Odd", 0, 6, columns };
    fixture *f = fixture_open("odd");
    MUST(apply(f, 1, &table, 1));
    MUST(strata_view_begin(f->view, &f->error));
    return f;
}

static strata_value decimal_nan(void) { return strata_decimal_value(strata_decimal_from_double((double)NAN)); }

/* Which of ==, !=, <, <=, > and >= hold for the first object, as the letters of "=!lLgG". */
static const char *holding(fixture *f, strata_operand left, const strata_operand *right, strata_value value) {
    static char text[7];
    size_t size = 0;
    for (strata_operator op = STRATA_EQUAL; op <= STRATA_GREATER_EQUAL; op++) {
        strata_node node = { .op = op, .left = left, .right = right, .value_count = right == NULL, .values = &value };
        if (who(f, &node, 1, NULL) != 0) text[size++] = "=!lLgG"[op - STRATA_EQUAL];
    }
    text[size] = 0;
    return text;
}

void test_condition_of_numbers_that_are_none(void) {
    fixture *f = make_odd_values();
    strata_value nan = strata_double((double)NAN), five = strata_double(5), whole = strata_int(5);
    ADD(0, strata_null(), strata_null(), nan, decimal_nan(), nan);
    append(f, 1, DOUBLES, nan);
    append(f, 1, DECIMALS, decimal_nan());
    MUST(strata_view_commit(f->view, &f->error));
    strata_operand plain = PATH(COLUMN(DOUBLE)), decimal = PATH(COLUMN(DECIMAL)), any = PATH(COLUMN(LEFT));
    CHECK_TEXT(holding(f, plain, NULL, nan), "!");
    CHECK_TEXT(holding(f, plain, NULL, five), "!");
    CHECK_TEXT(holding(f, decimal, NULL, decimal_nan()), "=LG");
    CHECK_TEXT(holding(f, any, NULL, nan), "=LG");
    CHECK_TEXT(holding(f, any, NULL, five), "!lL");
    for (strata_aggregate aggregate = STRATA_MIN; aggregate <= STRATA_AVERAGE; aggregate++) {
        strata_operand doubles = total(aggregate, PATH(COLUMN(DOUBLES)), 1);
        strata_operand decimals = total(aggregate, PATH(COLUMN(DECIMALS)), 1);
        CHECK_TEXT(holding(f, doubles, NULL, nan), "!");
        CHECK_TEXT(holding(f, doubles, NULL, five), "!");
        CHECK_TEXT(holding(f, doubles, NULL, whole), "!lL");
        CHECK_TEXT(holding(f, doubles, NULL, decimal_nan()), "=LG");
        CHECK_TEXT(holding(f, decimals, NULL, decimal_nan()), "=LG");
        CHECK_TEXT(holding(f, decimals, NULL, nan), "=LG");
        CHECK_TEXT(holding(f, decimals, NULL, five), "!lL");
        CHECK_TEXT(holding(f, doubles, &plain, nan), "!");
        CHECK_TEXT(holding(f, doubles, &decimal, nan), "=LG");
        CHECK_TEXT(holding(f, doubles, &decimals, nan), "=LG");
    }
    fixture_close(f);
}

/* A list or map with one entry. */
static strata_value nested_of(strata_nested *n, bool map, int64_t entry) {
    strata_value value = strata_int(entry), out = strata_null();
    CHECK_EQ(map ? strata_nested_begin_map(n, NULL, NULL) : strata_nested_begin_list(n, NULL, NULL), STRATA_OK);
    CHECK_EQ(map ? strata_nested_put(n, (strata_bytes){ "k", 1 }, &value, NULL)
                 : strata_nested_append(n, &value, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_end(n, NULL), STRATA_OK);
    CHECK_EQ(strata_nested_finish(n, &out, NULL), STRATA_OK);
    return out;
}

static int found_by_text(fixture *f, const char *text, strata_value value) {
    strata_predicate *predicate;
    strata_condition *condition;
    strata_argument argument = { .value = value };
    MUST(strata_predicate_parse(text, strlen(text), &argument, 1, &predicate, &f->error));
    strata_status status = strata_predicate_resolve(predicate, f->view, 0, NULL, 0, &condition, &f->error);
    strata_predicate_free(predicate);
    if (status != STRATA_OK) return -1;
    int found = who(f, condition->nodes, condition->node_count, NULL);
    strata_condition_free(condition);
    return found;
}

/* Nodes and two properties of any type have the order of strata_mixed_compare(); text refuses it for a constant. */
void test_condition_orders_lists_and_maps(void) {
    fixture *f = make_odd_values();
    strata_nested *a = strata_nested_make(), *b = strata_nested_make();
    strata_operand left = PATH(COLUMN(LEFT)), right = PATH(COLUMN(RIGHT));
    for (int map = 0; map < 2; map++) {
        strata_value low = nested_of(a, map, 1), high = nested_of(b, map, 2);
        uint64_t key = ADD(0, strata_null(), strata_null(), strata_double(0), decimal_nan(), low, high);
        CHECK_TEXT(holding(f, left, NULL, low), "=LG");
        CHECK_TEXT(holding(f, left, NULL, high), "!lL");
        CHECK_TEXT(holding(f, left, &right, high), "!lL");
        CHECK_EQ(found_by_text(f, "left < right", high), (int)key);
        CHECK_EQ(found_by_text(f, "left == %@", low), (int)key);
        CHECK_EQ(found_by_text(f, "left < %@", high), -1);
        CHECK(strstr(f->error.message, "use == or !=") != NULL);
        MUST(strata_object_delete(f->view, 0, key, &f->error));
    }
    strata_nested_free(a);
    strata_nested_free(b);
    fixture_close(f);
}
