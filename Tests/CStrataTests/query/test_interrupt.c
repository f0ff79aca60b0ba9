/* SPDX-License-Identifier: MIT
 * test_interrupt.c -- queries that end early. */
#include <pthread.h>
#include <stdatomic.h>

#include "strata_facet.h"
#include "support/strata_support.h"

enum { THING, T_NUMBER = 0, T_TEXT, T_OTHER, T_NUMBERS, T_OTHERS };
enum { THINGS = 20000 };

/* Many objects with a list each; the list of the first one is long. */
static fixture *things(strata_interrupt **interrupt) {
    fixture *f = fixture_open_memory();
    strata_column_spec numbers = column("numbers", STRATA_INT, 0);
    numbers.collection = STRATA_LIST;
    strata_column_spec columns[] = { column("number", STRATA_INT, STRATA_COLUMN_INDEXED),
                                     column("text", STRATA_STRING, 0), link_to("other", "Thing"), numbers,
                                     list_of("others", "Thing") };
    strata_table_spec thing = { .name = "Thing", .columns = columns, .column_count = 5 };
    static strata_value values[THINGS], links[THINGS];
    MUST(apply(f, 1, &thing, 1));
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t i = 0; i < THINGS; i++) {
        values[i] = strata_int((i * 7919) % THINGS);
        links[i] = strata_link(i + 1);
        ADD(THING, values[i], strata_string(&"abcdefgh"[i % 7], 1), i == 0 ? strata_null() : strata_link(i / 2 + 1));
    }
    strata_row row = row_of(f, THING, 1);
    MUST(strata_list_insert(&row, T_NUMBERS, 0, values, THINGS, &f->error));
    MUST(strata_list_insert(&row, T_OTHERS, 0, links, THINGS, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    *interrupt = fixture_interrupt(f);
    return f;
}

/* ---- All that can be interrupted -------------------------------------- */

static strata_status run_query(fixture *f, const strata_query *query) {
    strata_keys keys;
    strata_status status = strata_query_run(f->view, query, &keys, NULL, &f->error);
    CHECK((status == STRATA_OK) || keys.data == NULL);
    strata_keys_free(&keys);
    return status;
}

static strata_step number[] = { { .column = T_NUMBER } }, text[] = { { .column = T_TEXT } };
static strata_step far[] = { { .column = T_OTHER }, { .column = T_OTHER }, { .column = T_TEXT } };
static strata_step others[] = { { .column = T_OTHERS }, { .column = T_TEXT } };
static strata_step from_others[] = { { .kind = STRATA_STEP_BACKLINKS, .table = THING, .column = T_OTHER },
                                   { .column = T_TEXT } };
static strata_step self[] = { { .kind = STRATA_STEP_SELF } };
static strata_sort by_far[] = { { far, 3, false } }, by_text[] = { { text, 1, false } };
static strata_sort by_number[] = { { number, 1, true } };

static strata_query table_query(const strata_node *nodes, const strata_stage *stages) {
    return (strata_query){ .size = sizeof(strata_query), .table = THING, .nodes = nodes, .node_count = nodes != NULL,
                           .stages = stages, .stage_count = stages != NULL };
}

static strata_node equal(strata_step *path, uint32_t length, strata_operator op, const strata_value *value) {
    return (strata_node){ .op = op, .left = { .path = path, .path_length = length }, .value_count = 1,
                          .values = value };
}

static strata_status scan(fixture *f) {
    strata_value z = strata_string("z", 1);
    strata_node node = equal(text, 1, STRATA_CONTAINS, &z);
    strata_query query = table_query(&node, NULL);
    return run_query(f, &query);
}

static strata_status walk_index(fixture *f) {
    strata_value zero = strata_int(0);
    strata_node node = equal(number, 1, STRATA_NOT_EQUAL, &zero);
    strata_stage sort = { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = by_number };
    strata_query query = table_query(&node, &sort);
    return run_query(f, &query);
}

static strata_status walk_range(fixture *f) {
    strata_value ten = strata_int(10);
    strata_node node = equal(number, 1, STRATA_GREATER, &ten);
    strata_query query = table_query(&node, NULL);
    return run_query(f, &query);
}

/* The objects at the end of whose path there is a certain text. */
static strata_status walk(fixture *f, strata_step *path, uint32_t length) {
    strata_value z = strata_string("z", 1);
    strata_node node = equal(path, length, STRATA_EQUAL, &z);
    strata_query query = table_query(&node, NULL);
    return run_query(f, &query);
}

static strata_status walk_paths(fixture *f) { return walk(f, far, 3); }

static strata_status walk_elements(fixture *f) { return walk(f, others, 2); }

static strata_status walk_backlinks(fixture *f) { return walk(f, from_others, 2); }

static strata_status sort(fixture *f) {
    strata_stage stage = { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = by_far };
    strata_query query = table_query(NULL, &stage);
    return run_query(f, &query);
}

static strata_status distinct(fixture *f) {
    strata_stage stage = { .kind = STRATA_STAGE_DISTINCT, .key_count = 1, .keys = by_text };
    strata_query query = table_query(NULL, &stage);
    return run_query(f, &query);
}

static strata_status read_list(fixture *f) {
    strata_query query = { .size = sizeof query, .source = STRATA_SOURCE_LIST, .table = THING, .origin_table = THING,
                           .origin_column = T_OTHERS, .key = 1 };
    return run_query(f, &query);
}

static strata_status count(fixture *f) {
    strata_value z = strata_string("z", 1);
    strata_node node = equal(text, 1, STRATA_NOT_EQUAL, &z);
    strata_query query = table_query(&node, NULL);
    uint64_t found;
    return strata_query_count(f->view, &query, &found, NULL, &f->error);
}

static strata_status group(fixture *f) {
    strata_query query = table_query(NULL, NULL);
    strata_measure measure = { .aggregate = STRATA_COUNT };
    strata_groups groups;
    strata_status status = strata_query_group(f->view, &query, by_far, 1, &measure, 1, &groups, NULL, &f->error);
    strata_groups_free(&groups);
    return status;
}

static strata_status facet_of(fixture *f, const strata_sort *key, uint32_t most_different) {
    strata_query query = table_query(NULL, NULL);
    strata_facet_options options = strata_facet_options_blank();
    options.most_values = options.most_bins = 10;
    options.most_different = most_different;
    strata_facet facet;
    strata_status status = strata_query_facet(f->view, &query, key->path, key->path_length, &options, &facet,
                                              &f->error);
    strata_facet_free(&facet);
    return status;
}
static strata_status facet_of_index(fixture *f) { return facet_of(f, by_number, 100); }
static strata_status facet_of_objects(fixture *f) { return facet_of(f, by_far, 100); }

static strata_status order_values(fixture *f) {
    strata_row row = row_of(f, THING, 1);
    strata_keys keys;
    strata_status status = strata_collection_order(&row, T_NUMBERS, 0, &keys, &f->error);
    strata_keys_free(&keys);
    return status;
}

static strata_status add_values(fixture *f) {
    strata_row row = row_of(f, THING, 1);
    strata_value total;
    return strata_collection_total(&row, T_NUMBERS, STRATA_SUM, &total, &f->error);
}

static strata_status select_values(fixture *f) {
    strata_row row = row_of(f, THING, 1);
    strata_value zero = strata_int(0);
    strata_node node = equal(self, 1, STRATA_GREATER, &zero);
    strata_keys keys;
    strata_status status = strata_collection_select(&row, T_NUMBERS, &node, 1, &keys, &f->error);
    strata_keys_free(&keys);
    return status;
}

static const struct {
    const char *name;
    strata_status (*run)(fixture *f);
} calls[] = {
    { "scan", scan },                   { "walk_index", walk_index }, { "walk_range", walk_range },
    { "walk_paths", walk_paths },       { "walk_elements", walk_elements },
    { "walk_backlinks", walk_backlinks }, { "sort", sort },           { "distinct", distinct },
    { "read_list", read_list },         { "count", count },           { "group", group },
    { "facet_of_index", facet_of_index }, { "facet_of_objects", facet_of_objects },
    { "order_values", order_values },   { "add_values", add_values }, { "select_values", select_values },
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* ---- Steps ------------------------------------------------------------ */

/* A pattern of which many beginnings are in view at a time takes a step for 64 bytes of it at 64 bytes of a value. */
void test_interrupt_counts_long_patterns(void) {
    enum { ROWS = 500, VALUE = 1000, PATTERN = 900 };
    static char value[VALUE], pattern[PATTERN];
    strata_interrupt *interrupt;
    fixture *f = things(&interrupt);
    memset(value, 'a', VALUE);
    for (size_t i = 0; i < PATTERN; i++) pattern[i] = i == 0 || i == PATTERN - 1 ? '*' : i % 2 == 0 ? '?' : 'a';
    pattern[PATTERN - 2] = 'b';
    MUST(strata_view_begin(f->view, &f->error));
    for (int i = 0; i < ROWS; i++) ADD(THING, strata_int(i), strata_string(value, VALUE));
    MUST(strata_view_commit(f->view, &f->error));
    strata_value like = strata_string(pattern, PATTERN);
    strata_node node = equal(text, 1, STRATA_LIKE, &like);
    strata_query query = table_query(&node, NULL);
    strata_interrupt_reset(interrupt);
    MUST(run_query(f, &query));
    uint64_t whole = (uint64_t)ROWS * (VALUE / 64) * (PATTERN / 64);
    CHECK(strata_interrupt_steps(interrupt) > whole);
    strata_interrupt_reset(interrupt);
    strata_interrupt_after_steps(interrupt, whole / 4);
    REFUSED(run_query(f, &query), STRATA_INTERRUPTED, "takes more than the");
    CHECK(strata_interrupt_steps(interrupt) < whole / 2);
    fixture_close_with(f, interrupt);
}

/* Each call counts its steps, ends when it has taken as many as it may, and not before. */
void test_interrupt_after_steps(void) {
    strata_interrupt *interrupt;
    fixture *f = things(&interrupt);
    for (size_t i = 0; i < CALLS; i++) {
        strata_interrupt_reset(interrupt);
        MUST(calls[i].run(f));
        uint64_t steps = strata_interrupt_steps(interrupt);
        if (steps < THINGS / 20) ctest_fail(__FILE__, __LINE__, calls[i].name);
        strata_interrupt_reset(interrupt);
        strata_interrupt_after_steps(interrupt, steps);
        MUST(calls[i].run(f));
        for (uint64_t most = 0; most < steps; most += steps / 3) {
            strata_interrupt_reset(interrupt);
            strata_interrupt_after_steps(interrupt, most);
            REFUSED(calls[i].run(f), STRATA_INTERRUPTED, "takes more than the", "steps it may take");
            CHECK(strata_interrupt_steps(interrupt) <= most + 4096 + THINGS);
        }
    }
    fixture_close_with(f, interrupt);
}

/* ---- Stops and deadlines ---------------------------------------------- */

/* A sort keeps no more than it may; the first objects of it, or those that an index has in order, take little. */
void test_interrupt_bounds_the_memory_of_a_sort(void) {
    enum { BYTES = 240000 };
    strata_interrupt *interrupt;
    fixture *f = things(&interrupt);
    strata_stage stages[] = { { .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = by_text },
                              { .kind = STRATA_STAGE_LIMIT, .skip = 500, .limit = 100 } };
    strata_query query = table_query(NULL, stages);
    strata_interrupt_after_bytes(interrupt, BYTES);
    REFUSED(run_query(f, &query), STRATA_INTERRUPTED, "more than the 240000 bytes");
    query.stage_count = 2;
    MUST(run_query(f, &query));
    stages[1].skip = THINGS - 100;
    REFUSED(run_query(f, &query), STRATA_INTERRUPTED, "an index in this order");
    stages[0].keys = by_number;
    MUST(run_query(f, &query));
    strata_interrupt_reset(interrupt);
    stages[0].keys = by_text;
    MUST(run_query(f, &query));
    fixture_close_with(f, interrupt);
}

void test_interrupt_stops_at_once(void) {
    strata_interrupt *interrupt;
    fixture *f = things(&interrupt);
    for (size_t i = 0; i < CALLS; i++) {
        strata_interrupt_stop(interrupt);
        REFUSED(calls[i].run(f), STRATA_INTERRUPTED, "the program interrupted a query");
        strata_interrupt_reset(interrupt);
        MUST(calls[i].run(f));
        strata_interrupt_after(interrupt, 0);
        REFUSED(calls[i].run(f), STRATA_INTERRUPTED, "did not end before its deadline");
        strata_interrupt_reset(interrupt);
        strata_interrupt_after(interrupt, UINT64_MAX);
        MUST(calls[i].run(f));
    }
    strata_interrupt_stop(interrupt);
    MUST(strata_view_set_interrupt(f->view, NULL, &f->error));
    for (size_t i = 0; i < CALLS; i++) MUST(calls[i].run(f));
    fixture_close_with(f, interrupt);
}

/* A view whose query was interrupted goes on with its write. */
void test_interrupt_keeps_the_write(void) {
    strata_interrupt *interrupt;
    fixture *f = things(&interrupt);
    MUST(strata_view_begin(f->view, &f->error));
    uint64_t key = ADD(THING, strata_int(5));
    strata_interrupt_stop(interrupt);
    REFUSED(scan(f), STRATA_INTERRUPTED, "interrupted");
    set(f, THING, key, T_NUMBER, strata_int(6));
    MUST(strata_view_commit(f->view, &f->error));
    strata_interrupt_reset(interrupt);
    strata_value six = strata_int(6);
    CHECK_EQ(index_count(f, THING, T_NUMBER, &six), 2);
    verify(f);
    fixture_close_with(f, interrupt);
}

/* ---- Another thread --------------------------------------------------- */

typedef struct stopper {
    strata_interrupt *interrupt;
    atomic_int running; /* how many queries were begun */
} stopper;

static void *stop_soon(void *context) {
    stopper *s = context;
    while (s->running < 3) {}
    strata_interrupt_stop(s->interrupt);
    return NULL;
}

/* The same query again and again, until the other thread stops it. */
void test_interrupt_from_another_thread(void) {
    stopper s = { NULL, 0 };
    fixture *f = things(&s.interrupt);
    pthread_t thread;
    strata_status status = STRATA_OK;
    CHECK_EQ(pthread_create(&thread, NULL, stop_soon, &s), 0);
    while (status == STRATA_OK) {
        s.running++;
        status = walk_elements(f);
    }
    CHECK_EQ(status, STRATA_INTERRUPTED);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    fixture_close_with(f, s.interrupt);
}

/* All pairs of two paths with as many values each as there are objects. */
void test_interrupt_ends_what_would_not(void) {
    strata_interrupt *interrupt;
    fixture *f = things(&interrupt);
    strata_step numbers[] = { { .column = T_NUMBERS } }, all[] = { { .column = T_OTHERS }, { .column = T_NUMBER } };
    strata_operand right = { .path = numbers, .path_length = 1 };
    strata_node node = { .op = STRATA_LESS, .left = { .path = all, .path_length = 2 }, .right = &right };
    MUST(strata_view_begin(f->view, &f->error));
    strata_row row = row_of(f, THING, 1);
    strata_value low = strata_int(-1);
    for (uint64_t i = 0; i < THINGS; i++) MUST(strata_list_set(&row, T_NUMBERS, i, &low, &f->error));
    MUST(strata_view_commit(f->view, &f->error));
    strata_query query = table_query(&node, NULL);
    strata_interrupt_reset(interrupt);
    strata_interrupt_after_steps(interrupt, 2000000);
    REFUSED(run_query(f, &query), STRATA_INTERRUPTED, "2000000 steps");
    fixture_close_with(f, interrupt);
}
