/* SPDX-License-Identifier: MIT
 * test_query_cache.c -- caches of prepared queries: their size, other types of constants, other plans, and misuse.
 *
 * That they answer as plain queries do is tested where random queries are (check_prepared()), and across schemas, views
 * and writes in test_prepared.c. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>

#include "query/query_cache.h"
#include "support/faults.h"
#include "support/strata_support.h"

enum { THING, NUMBER = 0, TEXT, REAL, COLUMNS, OBJECTS = 3000 };

static const strata_step paths[] = { { .column = NUMBER }, { .column = TEXT }, { .column = REAL } };

static fixture *many(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[] = {
        column("number", STRATA_INT, STRATA_COLUMN_INDEXED | STRATA_COLUMN_NULLABLE),
        column("text", STRATA_STRING, STRATA_COLUMN_INDEXED), column("real", STRATA_DOUBLE, STRATA_COLUMN_NULLABLE),
    };
    strata_table_spec thing = { .name = "Thing", .columns = columns, .column_count = COLUMNS };
    MUST(apply(f, 1, &thing, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int64_t i = 0; i < OBJECTS; i++)
        ADD(THING, i % 7 == 0 ? strata_null() : strata_int(i % 50), value_of(i % 2 == 0 ? "even" : "odd"),
            i % 5 == 0 ? strata_double(NAN) : i % 3 == 0 ? strata_null() : strata_double((double)(i % 10)));
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

static strata_node comparison(uint32_t column, strata_operator op, const strata_value *values, uint32_t count) {
    return (strata_node){ .op = op, .left = { .path = &paths[column], .path_length = 1 }, .value_count = count,
                          .values = values };
}

static strata_query query_of(const strata_node *nodes, uint32_t count) {
    return (strata_query){ .size = sizeof(strata_query), .nodes = nodes, .node_count = count };
}

/* The cache says what a plain query says: status, words, keys, count, and plan. */
static void compare(fixture *f, strata_query_cache *cache, const strata_query *query) {
    strata_query_stats plain = { 0 }, cached = { 0 };
    strata_keys expected, keys;
    strata_error error = { 0 };
    uint64_t count;
    strata_status status = strata_query_run(f->view, query, &expected, &plain, &f->error);
    CHECK_EQ(strata_query_cache_run(cache, f->view, query, &keys, &cached, &error), status);
    if (status != STRATA_OK) CHECK_TEXT(error.message, f->error.message);
    CHECK(keys.count == expected.count && (keys.count == 0 || memcmp(keys.data, expected.data, 8 * keys.count) == 0));
    CHECK_TEXT(cached.plan, plain.plan);
    CHECK_EQ(cached.rows_visited, plain.rows_visited);
    strata_keys_free(&keys);
    CHECK_EQ(strata_query_cache_count(cache, f->view, query, &count, NULL, &error), status);
    CHECK_EQ(count, expected.count);
    strata_keys_free(&expected);
}

/* ---- Constants of one shape ------------------------------------------- */

/* Null, numbers that fit and do not, NaN: all of one shape, in each order. */
void test_query_cache_of_other_types(void) {
    fixture *f = many();
    strata_value values[] = { strata_int(3),    strata_null(),      strata_double(3),  strata_double(NAN),
                              value_of("even"), strata_int(-1),     strata_bool(true), value_of(""),
                              strata_float(3),  strata_data("x", 1) };
    enum { VALUES = sizeof values / sizeof *values };
    static const strata_operator ops[] = { STRATA_EQUAL, STRATA_NOT_EQUAL, STRATA_LESS, STRATA_GREATER_EQUAL,
                                           STRATA_BEGINS_WITH, STRATA_LIKE };
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            strata_query_cache *cache;
            MUST(strata_query_cache_make(&cache, &f->error));
            for (int a = 0; a < VALUES; a++) {
                for (int b = 0; b < VALUES; b++) {
                    strata_node first = comparison(c, ops[o], &values[a], 1);
                    strata_node then = comparison(c, ops[o], &values[b], 1);
                    strata_query one = query_of(&first, 1), other = query_of(&then, 1);
                    compare(f, cache, &one);
                    compare(f, cache, &other);
                }
            }
            CHECK(strata_query_cache_prepared(cache) <= 1);
            strata_query_cache_free(cache);
        }
    }
    fixture_close(f);
}

/* A value that many objects have is found by another plan than one that few have, and that changes with writes. */
void test_query_cache_plans_anew(void) {
    fixture *f = many();
    strata_query_cache *cache;
    strata_value constants[] = { value_of("even"), strata_int(3) };
    strata_node nodes[] = { { .op = STRATA_AND, .children = 2 }, comparison(TEXT, STRATA_EQUAL, &constants[0], 1),
                            comparison(NUMBER, STRATA_EQUAL, &constants[1], 1) };
    strata_sort key = { &paths[REAL], 1, true };
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &key },
                              { .kind = STRATA_STAGE_LIMIT, .skip = 1, .limit = 4 } };
    strata_query query = query_of(nodes, 3);
    query.stages = stages;
    query.stage_count = 2;
    MUST(strata_query_cache_make(&cache, &f->error));
    static const char *const texts[] = { "even", "odd", "rare", "" };
    for (int round = 0; round < 6; round++) {
        for (size_t t = 0; t < 4; t++) {
            for (int64_t n = 0; n < 5; n++) {
                constants[0] = value_of(texts[t]);
                constants[1] = strata_int(n);
                compare(f, cache, &query);
            }
        }
        MUST(strata_view_begin(f->view, &f->error));
        for (int64_t i = 0; i < 500 * round; i++) ADD(THING, strata_int(3), value_of("rare"), strata_double(1));
        MUST(strata_view_commit(f->view, &f->error));
    }
    CHECK_EQ(strata_query_cache_prepared(cache), 1);
    strata_query_cache_free(cache);
    fixture_close(f);
}

/* Queries that are alike in almost everything are different shapes. */
void test_query_cache_tells_shapes_apart(void) {
    fixture *f = many();
    strata_query_cache *cache;
    strata_value three[] = { strata_int(3), strata_int(5), strata_int(9) };
    strata_sort keys[] = { { &paths[NUMBER], 1, false }, { &paths[NUMBER], 1, true }, { &paths[TEXT], 1, false } };
    MUST(strata_query_cache_make(&cache, &f->error));
    for (int again = 0; again < 3; again++) {
        for (uint32_t count = 1; count <= 3; count++) {
            for (uint32_t k = 0; k < 3; k++) {
                for (uint64_t skip = 0; skip < 3; skip++) {
                    strata_node node = comparison(NUMBER, STRATA_IN, three, count);
                    strata_operand right = { .path = &paths[NUMBER], .path_length = 1 };
                    strata_stage stages[] = { { .kind = STRATA_STAGE_LIMIT, .skip = skip, .limit = 100 - skip },
                                              { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &keys[k] },
                                              { .kind = STRATA_STAGE_DISTINCT, .key_count = 1, .keys = &keys[k] } };
                    strata_query query = query_of(&node, 1);
                    for (query.stage_count = 0; query.stage_count <= 3; query.stage_count++) {
                        query.stages = stages;
                        compare(f, cache, &query);
                    }
                    query.stage_count = 0;
                    node.op = STRATA_EQUAL;
                    node.right = &right;
                    compare(f, cache, &query);
                    query.nodes = NULL;
                    query.node_count = 0;
                    query.stage_count = 2;
                    compare(f, cache, &query);
                }
            }
        }
    }
    CHECK(strata_query_cache_prepared(cache) <= STRATA_CACHED_QUERIES);
    strata_query_cache_free(cache);
    fixture_close(f);
}

/* ---- Memory ----------------------------------------------------------- */

/* However many shapes there are, it has the memory of so many queries, and gives all of it back. */
void test_query_cache_has_bounded_memory(void) {
    fixture *f = many();
    strata_query_cache *cache;
    strata_value one = strata_int(1);
    long before = fault_blocks(), full = 0;
    MUST(strata_query_cache_make(&cache, &f->error));
    for (uint64_t round = 0; round < 3000; round++) {
        strata_node node = comparison(NUMBER, STRATA_LESS, &one, 1);
        strata_stage limit = { .kind = STRATA_STAGE_LIMIT, .limit = round };
        strata_query query = query_of(&node, 1);
        query.stages = &limit;
        query.stage_count = 1;
        uint64_t count;
        for (int i = 0; i < 3; i++) MUST(strata_query_cache_count(cache, f->view, &query, &count, NULL, &f->error));
        CHECK_EQ(count, round < 51 ? round : 51);
        if (round == 1000) full = fault_blocks();
    }
    CHECK_EQ(strata_query_cache_prepared(cache), STRATA_CACHED_QUERIES);
    if (fault_allocations_work()) CHECK_EQ(fault_blocks(), full);
    strata_query_cache_free(cache);
    if (fault_allocations_work()) CHECK_EQ(fault_blocks(), before);
    strata_query_cache_free(NULL);
    CHECK_EQ(strata_query_cache_prepared(NULL), 0);
    fixture_close(f);
}

/* From the third call on nothing is allocated: each would fail. */
void test_query_cache_count_needs_no_memory(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    fixture *f = many();
    strata_query_cache *cache;
    strata_value text = value_of("odd");
    strata_node node = comparison(TEXT, STRATA_EQUAL, &text, 1);
    strata_query query = query_of(&node, 1);
    strata_status status = STRATA_OK;
    uint64_t count;
    MUST(strata_query_cache_make(&cache, &f->error));
    for (int i = 0; i < 2; i++) MUST(strata_query_cache_count(cache, f->view, &query, &count, NULL, &f->error));
    CHECK_EQ(strata_query_cache_prepared(cache), 1);
    fault_set(FAULT_ALLOCATION, 1, UINT_MAX, ENOMEM);
    for (int i = 0; i < 3 && status == STRATA_OK; i++)
        status = strata_query_cache_count(cache, f->view, &query, &count, NULL, &f->error);
    CHECK(!fault_clear());
    CHECK(status == STRATA_OK && count == OBJECTS / 2);
    strata_query_cache_free(cache);
    fixture_close(f);
}

/* Allocation number N of three runs fails, for every N: each run then fails, or answers all the same. */
void test_query_cache_without_memory(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    fixture *f = many();
    strata_value numbers[] = { strata_int(4), strata_int(6) }, text = value_of("ev*");
    strata_node nodes[] = { { .op = STRATA_AND, .children = 2 }, comparison(NUMBER, STRATA_IN, numbers, 2),
                            comparison(TEXT, STRATA_LIKE, &text, 1) };
    strata_query query = query_of(nodes, 3);
    uint64_t expected, count;
    bool met = true;
    MUST(strata_query_count(f->view, &query, &expected, NULL, &f->error));
    for (unsigned n = 1; met; n++) {
        strata_query_cache *cache = NULL;
        long before = fault_blocks();
        fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
        strata_status made = strata_query_cache_make(&cache, &f->error);
        for (int i = 0; i < 4 && made == STRATA_OK; i++) {
            strata_status status = strata_query_cache_count(cache, f->view, &query, &count, NULL, &f->error);
            if (status != STRATA_OK && status != STRATA_NO_MEMORY) made = status;
            if (count != (status == STRATA_OK ? expected : 0)) made = STRATA_MISUSE;
        }
        met = fault_clear();
        CHECK(made == STRATA_OK || (made == STRATA_NO_MEMORY && n == 1));
        strata_query_cache_free(cache);
        CHECK_EQ(fault_blocks(), before);
        if (!met) CHECK(n > 4);
    }
    fixture_close(f);
}

/* ---- Threads, and misuse ---------------------------------------------- */

typedef struct racer {
    fixture *f;
    strata_query_cache *cache;
    uint64_t right, refused;
} racer;

static void *race(void *argument) {
    racer *r = argument;
    strata_error error;
    strata_view *view;
    CHECK_EQ(strata_view_open(r->f->store, &view, &error), STRATA_OK);
    for (int i = 0; i < 3000; i++) {
        strata_value text = value_of(i % 2 == 0 ? "odd" : "even");
        strata_node node = comparison(TEXT, STRATA_EQUAL, &text, 1);
        strata_query query = query_of(&node, 1);
        uint64_t count;
        strata_status status = strata_query_cache_count(r->cache, view, &query, &count, NULL, &error);
        if (status == STRATA_OK && count == OBJECTS / 2) r->right++;
        else if (status == STRATA_MISUSE && strstr(error.message, "two calls at once") != NULL) r->refused++;
    }
    strata_view_close(view);
    return NULL;
}

void test_query_cache_is_used_by_one_call_at_a_time(void) {
    fixture *f = many();
    strata_query_cache *cache;
    MUST(strata_query_cache_make(&cache, &f->error));
    racer racers[2] = { { f, cache, 0, 0 }, { f, cache, 0, 0 } };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK_EQ(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    for (int i = 0; i < 2; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 2; i++) CHECK_EQ(racers[i].right + racers[i].refused, 3000);
    CHECK(racers[0].right + racers[1].right > 0);
    strata_query_cache_free(cache);
    fixture_close(f);
}

void test_query_cache_refuses_nonsense(void) {
    fixture *f = many();
    strata_query_cache *cache;
    strata_query query = query_of(NULL, 0);
    strata_keys keys;
    uint64_t count = 9;
    REFUSED(strata_query_cache_count(NULL, f->view, &query, &count, NULL, &f->error), STRATA_MISUSE, "is NULL");
    CHECK_EQ(count, 0);
    MUST(strata_query_cache_make(&cache, &f->error));
    atomic_flag_test_and_set(&cache->busy);
    REFUSED(strata_query_cache_run(cache, f->view, &query, &keys, NULL, &f->error), STRATA_MISUSE, "two calls at once",
            "make one for each thread");
    atomic_flag_clear(&cache->busy);
    REFUSED(strata_query_cache_count(cache, f->view, NULL, &count, NULL, &f->error), STRATA_MISUSE,
            "strata_query.size");
    strata_value number = strata_int(3);
    strata_node bad[] = { comparison(NUMBER, STRATA_EQUAL, NULL, 1), comparison(NUMBER, STRATA_EQUAL, &number, 1),
                          comparison(NUMBER, STRATA_BETWEEN, &number, 1), comparison(NUMBER, STRATA_IN, &number, 0) };
    bad[1].options = STRATA_PARAMETERS;
    for (int i = 0; i < 4; i++) {
        query = query_of(&bad[i], 1);
        for (int again = 0; again < 3; again++) compare(f, cache, &query);
    }
    query = query_of(bad, 2000000);
    for (int again = 0; again < 3; again++) compare(f, cache, &query);
    query = query_of(NULL, 1);
    for (int again = 0; again < 3; again++) compare(f, cache, &query);
    strata_step unknown = { .column = 77 };
    bad[3] = comparison(NUMBER, STRATA_EQUAL, &number, 1);
    bad[3].left.path = &unknown;
    query = query_of(&bad[3], 1);
    for (int again = 0; again < 3; again++) compare(f, cache, &query);
    strata_query_cache_free(cache);
    fixture_close(f);
}
