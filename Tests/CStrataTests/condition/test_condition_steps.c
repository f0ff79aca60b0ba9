/* SPDX-License-Identifier: MIT
 *
 * test_condition_steps.c -- a condition takes a step for each link, whatever ways there are through them.
 *
 * Objects are nodes of a graph at random, with cycles and with links that are there twice. What a query takes is
 * counted in steps, not in time.
 */
#include <stdio.h>

#include "strata_predicate.h"
#include "support/strata_support.h"

enum { NODE, N_I = 0, N_NEXT, N_KIDS };
enum { MOST_NODES = 400, KIDS = 8, DEPTH = 6 };

typedef struct graph {
    fixture *f;
    strata_interrupt *interrupt;
    uint64_t random;
    uint32_t count;
    int64_t numbers[MOST_NODES + 1]; /* by key, which begin at 1 */
    uint32_t next[MOST_NODES + 1];
    uint32_t kids[MOST_NODES + 1][KIDS], kid_count[MOST_NODES + 1];
} graph;

static uint32_t pick(graph *g, uint32_t limit) { return (uint32_t)(ctest_random(&g->random) % limit); }

static void add_links(graph *g, uint32_t key) {
    fixture *f = g->f;
    strata_row row = row_of(f, NODE, key);
    strata_value links[KIDS];
    g->next[key] = pick(g, 4) == 0 ? 0 : 1 + pick(g, g->count);
    g->kid_count[key] = pick(g, 8) == 0 ? pick(g, KIDS) : KIDS;
    for (uint32_t i = 0; i < g->kid_count[key]; i++) {
        g->kids[key][i] = 1 + pick(g, g->count);
        links[i] = strata_link(g->kids[key][i]);
    }
    set(f, NODE, key, N_NEXT, g->next[key] == 0 ? strata_null() : strata_link(g->next[key]));
    MUST(strata_list_insert(&row, N_KIDS, 0, links, g->kid_count[key], &f->error));
}

static graph *graph_make(uint32_t count) {
    graph *g = calloc(1, sizeof *g);
    CHECK(g != NULL);
    fixture *f = g->f = fixture_open_memory();
    strata_column_spec columns[] = { column("i", STRATA_INT, 0), link_to("next", "Node"), list_of("kids", "Node") };
    strata_table_spec node = { .name = "Node", .columns = columns, .column_count = 3 };
    g->random = ctest_seed();
    g->count = count;
    MUST(apply(f, 1, &node, 1));
    MUST(strata_interrupt_make(&g->interrupt, &f->error));
    MUST(strata_view_set_interrupt(f->view, g->interrupt, &f->error));
    MUST(strata_view_begin(f->view, &f->error));
    for (uint32_t key = 1; key <= count; key++) {
        g->numbers[key] = pick(g, count / 2);
        CHECK_EQ(ADD(NODE, strata_int(g->numbers[key])), key);
    }
    for (uint32_t key = 1; key <= count; key++) add_links(g, key);
    MUST(strata_view_commit(f->view, &f->error));
    return g;
}

static void graph_free(graph *g) {
    fixture_close(g->f);
    strata_interrupt_free(g->interrupt);
    free(g);
}

/* How many objects meet the condition, and how many steps that took. */
static uint64_t count_of(graph *g, const char *text, uint64_t *steps) {
    fixture *f = g->f;
    strata_predicate *predicate;
    strata_condition *condition;
    uint64_t count;
    MUST(strata_predicate_parse(text, strlen(text), NULL, 0, &predicate, &f->error));
    MUST(strata_predicate_resolve(predicate, f->view, NODE, NULL, 0, &condition, &f->error));
    strata_query query = { .size = sizeof query, .table = NODE, .nodes = condition->nodes,
                           .node_count = condition->node_count };
    strata_interrupt_reset(g->interrupt);
    MUST(strata_query_count(f->view, &query, &count, NULL, &f->error));
    *steps = strata_interrupt_steps(g->interrupt);
    strata_condition_free(condition);
    strata_predicate_free(predicate);
    return count;
}

/* ---- The model -------------------------------------------------------- */

/* Moves a set of objects, one byte for each key, along `kids`. */
static void follow_kids(const graph *g, uint8_t *set) {
    uint8_t next[MOST_NODES + 1] = { 0 };
    for (uint32_t key = 1; key <= g->count; key++) {
        for (uint32_t i = 0; i < g->kid_count[key] && set[key] != 0; i++) next[g->kids[key][i]] = 1;
    }
    memcpy(set, next, sizeof next);
}

/* How many objects have one with the number at the end of so many steps; `own`: with their own number. */
static uint64_t model_count(const graph *g, uint32_t depth, bool through_next, bool own, int64_t number) {
    uint64_t count = 0;
    for (uint32_t key = 1; key <= g->count; key++) {
        uint8_t set[MOST_NODES + 1] = { 0 };
        uint32_t start = through_next ? g->next[key] : key;
        bool found = false;
        if (start != 0) set[start] = 1;
        for (uint32_t i = 0; i < depth; i++) follow_kids(g, set);
        for (uint32_t at = 1; at <= g->count; at++) {
            found |= set[at] != 0 && g->numbers[at] == (own ? g->numbers[key] : number);
        }
        count += found;
    }
    return count;
}

static void path_text(char *out, size_t size, const char *before, uint32_t depth, const char *behind) {
    size_t at = (size_t)snprintf(out, size, "%s", before);
    for (uint32_t i = 0; i < depth; i++) at += (size_t)snprintf(out + at, size - at, "%skids", i == 0 ? "" : ".");
    (void)snprintf(out + at, size - at, "%s", behind);
}

/* A step for each object, and one for each link with the object behind it, on each of the levels. */
static uint64_t most_steps(const graph *g, uint32_t depth) { return (uint64_t)(depth + 1) * g->count * (2 * KIDS + 4); }

/* ---- Paths ------------------------------------------------------------ */

static void check_paths(graph *g) {
    char text[300], behind[60];
    uint64_t steps;
    for (uint32_t depth = 1; depth <= DEPTH; depth++) {
        int64_t number = g->numbers[1 + pick(g, g->count)];
        (void)snprintf(behind, sizeof behind, ".i == %lld", (long long)number);
        path_text(text, sizeof text, "ANY ", depth, behind);
        CHECK_EQ(count_of(g, text, &steps), model_count(g, depth, false, false, number));
        CHECK(steps <= most_steps(g, depth));
        path_text(text, sizeof text, "NONE ", depth, ".i == -5");
        CHECK_EQ(count_of(g, text, &steps), g->count);
        CHECK(steps <= most_steps(g, depth));
        path_text(text, sizeof text, "ANY next.", depth, behind);
        CHECK_EQ(count_of(g, text, &steps), model_count(g, depth, true, false, number));
        CHECK(steps <= most_steps(g, depth + 1));
    }
}

void test_condition_steps_grow_with_links(void) {
    for (uint32_t count = 100; count <= MOST_NODES; count *= 2) {
        graph *g = graph_make(count);
        check_paths(g);
        graph_free(g);
    }
}

/* What is compared is another value for each object, so that each walks anew: but never from an object twice. */
void test_condition_steps_of_two_paths(void) {
    graph *g = graph_make(100);
    char text[300];
    uint64_t steps;
    for (uint32_t depth = 1; depth <= DEPTH; depth++) {
        path_text(text, sizeof text, "ANY ", depth, ".i == i");
        CHECK_EQ(count_of(g, text, &steps), model_count(g, depth, false, true, 0));
        CHECK(steps <= g->count * most_steps(g, depth));
    }
    graph_free(g);
}

/* ---- Counts ----------------------------------------------------------- */

/* Whether an object has kids that have kids that ... have the number. */
void test_condition_steps_of_subqueries(void) {
    graph *g = graph_make(200);
    char text[900];
    uint64_t steps;
    for (uint32_t depth = 1; depth <= DEPTH; depth++) {
        int64_t number = g->numbers[1 + pick(g, g->count)];
        size_t at = 0;
        for (uint32_t i = 0; i < depth; i++) {
            char from[20] = "";
            if (i != 0) (void)snprintf(from, sizeof from, "$x%u.", i - 1);
            at += (size_t)snprintf(text + at, sizeof text - at, "SUBQUERY(%skids, $x%u, ", from, i);
        }
        at += (size_t)snprintf(text + at, sizeof text - at, "$x%u.i == %lld", depth - 1, (long long)number);
        for (uint32_t i = 0; i < depth; i++) at += (size_t)snprintf(text + at, sizeof text - at, ").@count > 0");
        CHECK_EQ(count_of(g, text, &steps), model_count(g, depth, false, false, number));
        CHECK(steps <= most_steps(g, depth));
    }
    graph_free(g);
}

/* An aggregate counts an object as often as a way leads there. */
void test_condition_counts_each_way(void) {
    graph *g = graph_make(100);
    fixture *f = g->f;
    strata_step path[] = { strata_step_column(N_KIDS), strata_step_column(N_KIDS) };
    for (int64_t wanted = 0; wanted <= KIDS * KIDS; wanted++) {
        uint64_t count, expected = 0;
        strata_value value = strata_int(wanted);
        strata_node node = { .op = STRATA_EQUAL, .value_count = 1, .values = &value,
                             .left = { path, 2, STRATA_COUNT, 2 } };
        strata_query query = { .size = sizeof query, .table = NODE, .nodes = &node, .node_count = 1 };
        for (uint32_t key = 1; key <= g->count; key++) {
            int64_t ways = 0;
            for (uint32_t i = 0; i < g->kid_count[key]; i++) ways += g->kid_count[g->kids[key][i]];
            expected += ways == wanted;
        }
        MUST(strata_query_count(f->view, &query, &count, NULL, &f->error));
        CHECK_EQ(count, expected);
    }
    graph_free(g);
}
