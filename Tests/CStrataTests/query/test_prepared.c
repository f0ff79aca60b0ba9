/* SPDX-License-Identifier: MIT
 * test_prepared.c -- prepared queries: across schemas, views and writes, without allocating, and misused.
 *
 * That they answer as plain queries do is tested where random queries are: check_prepared() in those tests. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "query/prepared.h"
#include "support/faults.h"
#include "support/prepared_support.h"
#include "support/strata_support.h"

enum { THING, NUMBER = 0, TEXT, REAL, DATE, NEXT, NUMBERS, COLUMNS };

/* ---- Across schemas, views and writes --------------------------------- */

typedef struct scene {
    fixture *f;
    strata_view *other; /* it stays behind, and is advanced now and then */
    strata_query_cache *cache; /* of both views */
    uint64_t random, version, extra;
} scene;

static uint64_t below(scene *s, uint64_t limit) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (s->random >> 33) % limit;
}

/* The same columns with other indexes, and now and then one more. */
static void apply_schema(scene *s) {
    fixture *f = s->f;
    strata_column_spec columns[COLUMNS + 8] = {
        column("number", STRATA_INT, 0), column("text", STRATA_STRING, 0),
        column("real", STRATA_DOUBLE, STRATA_COLUMN_NULLABLE), column("date", STRATA_DATE, STRATA_COLUMN_NULLABLE),
        link_to("next", "Thing"), column("numbers", STRATA_INT, 0),
    };
    static const char *const extra[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    static const char *const names[] = { "text", "number" };
    strata_index_spec pair = { 2, names };
    columns[NUMBERS].collection = STRATA_LIST;
    for (uint32_t c = NUMBER; c <= DATE; c++)
        if (c != REAL && below(s, 2) == 0) columns[c].flags |= STRATA_COLUMN_INDEXED;
    if (s->extra < 8 && below(s, 3) == 0) s->extra++;
    for (uint64_t e = 0; e < s->extra; e++) columns[COLUMNS + e] = column(extra[e], STRATA_INT, 0);
    strata_table_spec thing = { .name = "Thing", .columns = columns, .column_count = COLUMNS + (uint32_t)s->extra };
    if (below(s, 3) == 0) thing.indexes = &pair, thing.index_count = 1;
    MUST(apply(f, ++s->version, &thing, 1));
}

static strata_value constant(scene *s, uint32_t column) {
    static const char *const texts[] = { "", "a", "ab", "b", "ba", "c*", "*b" };
    uint64_t pick = below(s, 8);
    if (pick == 0 && column != NUMBER && column != TEXT) return strata_null();
    switch (column) {
    case TEXT: return value_of(texts[pick % 7]);
    case REAL: return strata_double((double)pick / 2);
    case DATE: return strata_date((double)pick);
    case NEXT: return strata_link(1 + pick);
    default: return strata_int((int64_t)pick);
    }
}

static void add_thing(scene *s) {
    fixture *f = s->f;
    strata_value values[COLUMNS - 1];
    for (uint32_t c = 0; c < COLUMNS - 1; c++) values[c] = constant(s, c);
    if (table_size(f, THING) < 10) values[NEXT] = strata_null();
    strata_row row = row_of(f, THING, add(f, THING, COLUMNS - 1, values));
    for (uint64_t i = below(s, 3); i > 0; i--) {
        strata_value value = strata_int((int64_t)below(s, 8));
        MUST(strata_list_insert(&row, NUMBERS, 0, &value, 1, &f->error));
    }
}

static strata_operator random_operator(scene *s, uint32_t column) {
    static const strata_operator of_numbers[] = { STRATA_EQUAL, STRATA_NOT_EQUAL, STRATA_LESS, STRATA_GREATER_EQUAL,
                                                  STRATA_BETWEEN, STRATA_IN };
    static const strata_operator of_texts[] = { STRATA_EQUAL, STRATA_BEGINS_WITH, STRATA_CONTAINS, STRATA_LIKE,
                                                STRATA_LESS, STRATA_IN };
    if (column == NEXT) return below(s, 2) == 0 ? STRATA_EQUAL : STRATA_IN;
    return column == TEXT ? of_texts[below(s, 6)] : of_numbers[below(s, 6)];
}

enum { SHAPES = 16, MOST_NODES = 4, MOST_VALUES = 16 };

/* A condition whose constants come later, and the prepared query. */
typedef struct shape {
    strata_node nodes[MOST_NODES];
    strata_operand operands[MOST_NODES];
    uint32_t columns[MOST_NODES];
    strata_query query;
    strata_prepared *prepared;
    uint32_t count;
} shape;

/* Paths of one column; the first of each pair leads there through a link. */
static strata_step paths[2 * COLUMNS][2];

static void make_shape(scene *s, shape *out) {
    fixture *f = s->f;
    uint32_t terms = 1 + (uint32_t)below(s, 3), count = 0;
    *out = (shape){ .query = strata_query_blank() };
    if (terms > 1) out->nodes[count++] = (strata_node){ .op = below(s, 3) == 0 ? STRATA_OR : STRATA_AND,
                                                        .children = terms };
    for (uint32_t t = 0; t < terms; t++, count++) {
        uint32_t column = out->columns[count] = (uint32_t)below(s, COLUMNS);
        bool far = below(s, 4) == 0;
        strata_operator op = random_operator(s, column);
        out->nodes[count] = (strata_node){
            .op = op, .options = STRATA_PARAMETERS,
            .left = { .path = paths[2 * column + !far] + !far, .path_length = 1 + far },
            .value_count = op == STRATA_IN ? 1 + (uint32_t)below(s, 4) : op == STRATA_BETWEEN ? 2 : 1 };
        out->count += out->nodes[count].value_count;
    }
    out->query.nodes = out->nodes;
    out->query.node_count = count;
    MUST(strata_query_prepare(f->view, &out->query, &out->prepared, &f->error));
    CHECK_EQ(strata_prepared_parameters(out->prepared), out->count);
}

/* With random arguments, in a view. */
static void check_shape(scene *s, shape *it, strata_view *view) {
    fixture *f = s->f;
    strata_value values[MOST_VALUES];
    strata_node nodes[MOST_NODES];
    strata_query query = it->query;
    strata_keys keys, expected;
    uint64_t count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < query.node_count; i++) {
        nodes[i] = it->nodes[i];
        if ((nodes[i].options & STRATA_PARAMETERS) == 0) continue;
        nodes[i].options = 0;
        nodes[i].values = values + at;
        for (uint32_t v = 0; v < nodes[i].value_count; v++) values[at++] = constant(s, it->columns[i]);
    }
    query.nodes = nodes;
    MUST(strata_query_run(view, &query, &expected, NULL, &f->error));
    MUST(strata_prepared_count(it->prepared, view, values, it->count, &count, NULL, &f->error));
    CHECK_EQ(count, expected.count);
    MUST(strata_prepared_run(it->prepared, view, values, it->count, &keys, NULL, &f->error));
    CHECK(keys.count == expected.count && (keys.count == 0 || memcmp(keys.data, expected.data, 8 * keys.count) == 0));
    strata_keys_free(&keys);
    MUST(strata_query_cache_run(s->cache, view, &query, &keys, NULL, &f->error));
    CHECK(keys.count == expected.count && (keys.count == 0 || memcmp(keys.data, expected.data, 8 * keys.count) == 0));
    strata_keys_free(&keys);
    MUST(strata_query_cache_count(s->cache, view, &query, &count, NULL, &f->error));
    CHECK_EQ(count, expected.count);
    strata_keys_free(&expected);
}

void test_prepared_across_schemas_views_and_writes(void) {
    static shape shapes[SHAPES];
    fixture *f = fixture_open_memory();
    scene s = { .f = f, .random = ctest_seed() };
    for (uint32_t c = 0; c < COLUMNS; c++)
        for (uint32_t k = 0; k < 2; k++)
            paths[2 * c + k][0] = strata_step_column(NEXT), paths[2 * c + k][1] = strata_step_column(c);
    apply_schema(&s);
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < 300; i++) add_thing(&s);
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_view_open(f->store, &s.other, &f->error));
    MUST(strata_query_cache_make(&s.cache, &f->error));
    for (int i = 0; i < SHAPES; i++) make_shape(&s, &shapes[i]);
    for (unsigned round = 0, rounds = ctest_rounds(1500); round < rounds; round++) {
        uint64_t what = below(&s, 16);
        if (what == 0) apply_schema(&s);
        if (what == 1) MUST(strata_view_refresh(s.other, NULL, &f->error));
        if (what == 2) {
            MUST(strata_view_begin(f->view, &f->error));
            for (int i = 0; i < 5; i++) add_thing(&s); /* pending while it is asked */
            for (int i = 0; i < SHAPES; i++) check_shape(&s, &shapes[i], f->view);
            if (below(&s, 2) == 0) strata_view_cancel(f->view);
            else MUST(strata_view_commit(f->view, &f->error));
        }
        shape *it = &shapes[below(&s, SHAPES)];
        check_shape(&s, it, f->view);
        check_shape(&s, it, s.other);
        if (below(&s, 50) == 0) {
            strata_prepared_free(it->prepared);
            make_shape(&s, it);
        }
    }
    for (int i = 0; i < SHAPES; i++) strata_prepared_free(shapes[i].prepared);
    strata_query_cache_free(s.cache);
    strata_view_close(s.other);
    verify(f);
    fixture_close(f);
}

/* ---- Losing its meaning ----------------------------------------------- */

void test_prepared_loses_its_meaning_with_its_column(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[] = { column("number", STRATA_INT, STRATA_COLUMN_INDEXED),
                                     column("text", STRATA_STRING, 0) };
    strata_table_spec both = { .name = "Thing", .columns = columns, .column_count = 2 }, one = both;
    strata_step path = strata_step_column(TEXT);
    strata_node node = { .op = STRATA_EQUAL, .options = STRATA_PARAMETERS, .left = { .path = &path, .path_length = 1 },
                         .value_count = 1 };
    strata_query query = { .size = sizeof query, .nodes = &node, .node_count = 1 };
    strata_value text = value_of("a");
    strata_prepared *prepared;
    uint64_t count;
    MUST(apply(f, 1, &both, 1));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(THING, strata_int(1), text);
    MUST(strata_view_commit(f->view, &f->error));
    MUST(strata_query_prepare(f->view, &query, &prepared, &f->error));
    MUST(strata_prepared_count(prepared, f->view, &text, 1, &count, NULL, &f->error));
    CHECK_EQ(count, 1);
    one.column_count = 1;
    MUST(apply(f, 2, &one, 1));
    for (int i = 0; i < 2; i++)
        REFUSED(strata_prepared_count(prepared, f->view, &text, 1, &count, NULL, &f->error), STRATA_MISUSE, "column 1");
    CHECK_EQ(count, 0);
    strata_prepared_free(prepared);
    fixture_close(f);
}

/* It needs neither the view nor the store that it was prepared with, and is run with another store as well. */
void test_prepared_outlives_its_store(void) {
    strata_column_spec columns[] = { column("number", STRATA_INT, STRATA_COLUMN_INDEXED) };
    strata_table_spec thing = { .name = "Thing", .columns = columns, .column_count = 1 };
    strata_prepared *prepared = NULL;
    for (int64_t round = 1; round <= 3; round++) {
        fixture *f = fixture_open_memory();
        uint64_t count;
        MUST(apply(f, 1, &thing, 1));
        MUST(strata_view_begin(f->view, &f->error));
        for (int64_t i = 0; i < round; i++) ADD(THING, strata_int(5));
        MUST(strata_view_commit(f->view, &f->error));
        if (prepared == NULL) {
            strata_step path = strata_step_column(NUMBER);
            strata_node node = { .op = STRATA_EQUAL, .options = STRATA_PARAMETERS,
                                 .left = { .path = &path, .path_length = 1 }, .value_count = 1 };
            strata_query query = { .size = sizeof query, .nodes = &node, .node_count = 1 };
            MUST(strata_query_prepare(f->view, &query, &prepared, &f->error));
            node.value_count = 77; /* it is a copy */
            path.column = 77;
        }
        strata_value five = strata_int(5);
        MUST(strata_prepared_count(prepared, f->view, &five, 1, &count, NULL, &f->error));
        CHECK_EQ(count, (uint64_t)round);
        fixture_close(f);
    }
    strata_prepared_free(prepared);
}

/* ---- Memory ----------------------------------------------------------- */

enum { OBJECTS = 5000, VALUES = 50 };

static fixture *many(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[] = { column("number", STRATA_INT, STRATA_COLUMN_INDEXED),
                                     column("text", STRATA_STRING, STRATA_COLUMN_INDEXED) };
    strata_table_spec thing = { .name = "Thing", .columns = columns, .column_count = 2 };
    MUST(apply(f, 1, &thing, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (int64_t i = 0; i < OBJECTS; i++) ADD(THING, strata_int(i % VALUES), value_of(i % 2 == 0 ? "even" : "odd"));
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

static const strata_step number_path[] = { { .column = NUMBER } }, text_path[] = { { .column = TEXT } };

static strata_node parameter(const strata_step *path, strata_operator op, uint32_t count) {
    return (strata_node){ .op = op, .options = STRATA_PARAMETERS, .left = { .path = path, .path_length = 1 },
                          .value_count = count };
}

static strata_prepared *prepare(fixture *f, const strata_node *nodes, uint32_t count) {
    strata_query query = { .size = sizeof query, .nodes = nodes, .node_count = count };
    strata_prepared *prepared;
    MUST(strata_query_prepare(f->view, &query, &prepared, &f->error));
    return prepared;
}

/* Not one allocation, of the engine or of LMDB: each would fail. */
void test_prepared_count_needs_no_memory(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    fixture *f = many();
    strata_node nodes[] = { parameter(number_path, STRATA_EQUAL, 1), parameter(number_path, STRATA_BETWEEN, 2),
                            parameter(text_path, STRATA_EQUAL, 1), parameter(number_path, STRATA_IN, 3) };
    strata_value numbers[] = { strata_int(7), strata_int(9), strata_int(11) }, text = value_of("odd");
    const strata_value *arguments[] = { numbers, numbers, &text, numbers };
    uint64_t expected[] = { OBJECTS / VALUES, 3 * OBJECTS / VALUES, OBJECTS / 2, 3 * OBJECTS / VALUES };
    for (int i = 0; i < 4; i++) {
        strata_prepared *prepared = prepare(f, &nodes[i], 1);
        uint64_t count;
        MUST(strata_prepared_count(prepared, f->view, arguments[i], nodes[i].value_count, &count, NULL, &f->error));
        fault_set(FAULT_ALLOCATION, 1, UINT_MAX, ENOMEM);
        for (int again = 0; again < 3; again++) {
            strata_status status =
                strata_prepared_count(prepared, f->view, arguments[i], nodes[i].value_count, &count, NULL, &f->error);
            if (status != STRATA_OK || count != expected[i]) break;
        }
        CHECK(!fault_clear());
        CHECK_EQ(count, expected[i]);
        strata_prepared_free(prepared);
    }
    fixture_close(f);
}

/* Allocation number N fails, for every N: of preparing, of compiling again for another schema, and of opening. */
void test_prepared_without_memory(void) {
    if (!fault_allocations_work()) ctest_skip("the allocator belongs to a sanitizer, or to the program");
    fixture *f = many();
    strata_node nodes[] = { { .op = STRATA_AND, .children = 2 }, parameter(number_path, STRATA_IN, 2),
                            parameter(text_path, STRATA_LIKE, 1) };
    strata_sort key = { number_path, 1, true };
    strata_stage sort = { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = &key };
    strata_query query = { .size = sizeof query, .nodes = nodes, .node_count = 3, .stages = &sort, .stage_count = 1 };
    strata_value arguments[] = { strata_int(4), strata_int(6), value_of("ev*") };
    strata_prepared *prepared = NULL;
    bool met = true;
    for (unsigned n = 1; met; n++) {
        long before = fault_blocks();
        fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
        strata_status status = strata_query_prepare(f->view, &query, &prepared, &f->error);
        met = fault_clear();
        CHECK_EQ(status, met ? STRATA_NO_MEMORY : STRATA_OK);
        CHECK((prepared == NULL) == met);
        if (met) CHECK_EQ(fault_blocks(), before);
        if (!met) CHECK(n > 3);
    }
    for (int how = 0; how < 2; how++) {
        met = true;
        for (unsigned n = 1; met; n++) {
            strata_keys keys = { NULL, 0 };
            strata_query_cursor *cursor = NULL;
            prepared->catalog = 0; /* as if the schema was another one */
            fault_set(FAULT_ALLOCATION, n, 1, ENOMEM);
            strata_status status = how == 0
                ? strata_prepared_run(prepared, f->view, arguments, 3, &keys, NULL, &f->error)
                : strata_prepared_open(prepared, f->view, arguments, 3, &cursor, &f->error);
            met = fault_clear();
            CHECK_EQ(status, met ? STRATA_NO_MEMORY : STRATA_OK);
            CHECK_EQ(keys.count, met || how == 1 ? 0 : 2 * OBJECTS / VALUES);
            strata_keys_free(&keys);
            strata_query_close(cursor);
        }
    }
    strata_prepared_free(prepared);
    fixture_close(f);
}

/* ---- Threads ---------------------------------------------------------- */

typedef struct racer {
    fixture *f;
    strata_prepared *prepared;
    uint64_t right, refused;
} racer;

static void *race(void *argument) {
    racer *r = argument;
    strata_error error;
    strata_view *view;
    strata_value number = strata_int(3);
    uint64_t count;
    CHECK_EQ(strata_view_open(r->f->store, &view, &error), STRATA_OK);
    for (int i = 0; i < 3000; i++) {
        strata_status status = strata_prepared_count(r->prepared, view, &number, 1, &count, NULL, &error);
        if (status == STRATA_OK && count == OBJECTS / VALUES) r->right++;
        else if (status == STRATA_MISUSE && strstr(error.message, "two calls at once") != NULL) r->refused++;
    }
    strata_view_close(view);
    return NULL;
}

void test_prepared_is_used_by_one_call_at_a_time(void) {
    fixture *f = many();
    strata_node node = parameter(number_path, STRATA_EQUAL, 1);
    strata_prepared *prepared = prepare(f, &node, 1);
    racer racers[2] = { { f, prepared, 0, 0 }, { f, prepared, 0, 0 } };
    pthread_t threads[2];
    strata_value number = strata_int(3);
    uint64_t count;
    for (int i = 0; i < 2; i++) CHECK_EQ(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    for (int i = 0; i < 2; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 2; i++) CHECK_EQ(racers[i].right + racers[i].refused, 3000);
    atomic_flag_test_and_set(&prepared->busy);
    REFUSED(strata_prepared_count(prepared, f->view, &number, 1, &count, NULL, &f->error), STRATA_MISUSE,
            "two calls at once", "prepare one for each thread");
    atomic_flag_clear(&prepared->busy);
    MUST(strata_prepared_count(prepared, f->view, &number, 1, &count, NULL, &f->error));
    strata_prepared_free(prepared);
    fixture_close(f);
}

/* ---- Misuse ----------------------------------------------------------- */

static void refuse(fixture *f, const strata_node *nodes, uint32_t count, strata_status expected, const char *words) {
    strata_query query = { .size = sizeof query, .nodes = nodes, .node_count = count };
    strata_prepared *prepared;
    REFUSED(strata_query_prepare(f->view, &query, &prepared, &f->error), expected, words);
    CHECK(prepared == NULL);
}

void test_prepared_refuses_nonsense(void) {
    fixture *f = many();
    strata_value number = strata_int(3), text = value_of("3");
    strata_operand other = { .path = number_path, .path_length = 1 };
    strata_node node = parameter(number_path, STRATA_EQUAL, 1), both = node;
    strata_query plain = { .size = sizeof plain, .nodes = &node, .node_count = 1 };
    strata_query_cursor *cursor;
    uint64_t count;
    REFUSED(strata_query_count(f->view, &plain, &count, NULL, &f->error), STRATA_MISUSE, "number of Thing",
            "strata_query_prepare()");
    both.right = &other;
    refuse(f, &both, 1, STRATA_MISUSE, "node 0 of a condition has STRATA_PARAMETERS, but is no comparison");
    both = (strata_node){ .op = STRATA_AND, .options = STRATA_PARAMETERS };
    refuse(f, &both, 1, STRATA_MISUSE, "no comparison with constants");
    both = parameter(number_path, STRATA_IN, 0);
    refuse(f, &both, 1, STRATA_MISUSE, "its value_count is 0");
    both = parameter(number_path, STRATA_IN, STRATA_MAX_CONSTANTS + 1);
    refuse(f, &both, 1, STRATA_MISUSE, "4194305 parameters");
    both = parameter(number_path, STRATA_CONTAINS, 1);
    refuse(f, &both, 1, STRATA_TYPE, "number of Thing");
    refuse(f, &node, 2000000, STRATA_MISUSE, "2000000 nodes");
    refuse(f, NULL, 1, STRATA_MISUSE, "without an address");

    strata_prepared *prepared = prepare(f, &node, 1);
    REFUSED(strata_prepared_count(prepared, f->view, &number, 2, &count, NULL, &f->error), STRATA_MISUSE,
            "1 parameters", "2 arguments");
    REFUSED(strata_prepared_count(prepared, f->view, NULL, 1, &count, NULL, &f->error), STRATA_MISUSE,
            "1 arguments without an address");
    REFUSED(strata_prepared_count(prepared, f->view, &text, 1, &count, NULL, &f->error), STRATA_TYPE,
            "number of Thing is an int; compared with a string");
    REFUSED(strata_prepared_open(prepared, f->view, &text, 1, &cursor, &f->error), STRATA_TYPE, "a string");
    REFUSED(strata_prepared_count(NULL, f->view, &number, 1, &count, NULL, &f->error), STRATA_MISUSE, "is NULL");
    CHECK_EQ(strata_prepared_parameters(NULL), 0);
    MUST(strata_prepared_count(prepared, f->view, &number, 1, &count, NULL, &f->error));
    CHECK_EQ(count, OBJECTS / VALUES);
    strata_prepared_free(prepared);
    strata_prepared_free(NULL);
    fixture_close(f);
}
