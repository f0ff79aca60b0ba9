/* SPDX-License-Identifier: MIT
 *
 * test_condition_limits.c -- what is refused because there is too much of it, and what is not although there is a lot.
 */
#include <stdio.h>

#include "strata_predicate.h"
#include "support/strata_support.h"

enum { THING, T_I = 0, T_S, T_PATTERN, T_ANY, T_DATA, T_NEXT };

static fixture *things(void) {
    fixture *f = fixture_open_memory();
    strata_column_spec columns[] = { column("i", STRATA_INT, STRATA_COLUMN_INDEXED), column("s", STRATA_STRING, 0),
                                     column("pattern", STRATA_STRING, 0), column("any", STRATA_MIXED, 0),
                                     column("data", STRATA_DATA, 0), link_to("next", "Thing") };
    strata_table_spec thing = { .name = "Thing", .columns = columns, .column_count = 6 };
    MUST(apply(f, 1, &thing, 1));
    MUST(strata_view_begin(f->view, &f->error));
    ADD(THING, strata_int(1), value_of("aBc"), value_of("a?c"), value_of("XaBcX"), strata_data("aBc", 3));
    ADD(THING, strata_int(2), value_of("x"), value_of("x*"), strata_data("XaBcX", 5), strata_data("x", 1));
    ADD(THING, strata_int(3), value_of(""), value_of(""), strata_int(3), strata_data("", 0), strata_link(1));
    MUST(strata_view_commit(f->view, &f->error));
    return f;
}

static strata_status count_nodes(fixture *f, const strata_node *nodes, uint32_t count, uint64_t *out) {
    strata_query query = { .size = sizeof query, .table = THING, .nodes = nodes, .node_count = count };
    return strata_query_count(f->view, &query, out, NULL, &f->error);
}

/* ---- Conditions ------------------------------------------------------- */

/* OR of many comparisons of different costs, those that cost most first. */
static strata_node *many_nodes(uint32_t count, const strata_value *number, const strata_value *text) {
    static const strata_step i = { .column = T_I }, s = { .column = T_S };
    strata_node *nodes = calloc(count, sizeof *nodes);
    CHECK(nodes != NULL);
    nodes[0] = (strata_node){ .op = STRATA_OR, .children = count - 1 };
    for (uint32_t k = 1; k < count; k++) {
        bool costly = k < count / 2;
        nodes[k].op = costly ? STRATA_CONTAINS : STRATA_EQUAL;
        nodes[k].left = (strata_operand){ .path = costly ? &s : &i, .path_length = 1 };
        nodes[k].values = costly ? text : number;
        nodes[k].value_count = 1;
    }
    return nodes;
}

void test_condition_of_many_nodes(void) {
    fixture *f = things();
    strata_value two = strata_int(2), text = value_of("z");
    strata_node *nodes = many_nodes(STRATA_MAX_NODES + 1, &two, &text);
    uint64_t count;
    REFUSED(count_nodes(f, nodes, STRATA_MAX_NODES + 1, &count), STRATA_MISUSE,
            "a condition has 1000001 nodes; there may be 1000000");
    nodes[0].children--;
    MUST(count_nodes(f, nodes, STRATA_MAX_NODES, &count));
    CHECK_EQ(count, 1);
    free(nodes);
    fixture_close(f);
}

void test_condition_limits_are_told(void) {
    fixture *f = things();
    uint64_t count;
    strata_value *values = calloc(STRATA_MAX_CONSTANTS + 1, sizeof *values);
    strata_step *path = calloc(STRATA_MAX_STEPS + 1, sizeof *path);
    strata_node nodes[STRATA_MAX_DEPTH + 2] = { { 0 } };
    CHECK(values != NULL && path != NULL);
    for (uint32_t i = 0; i < STRATA_MAX_STEPS; i++) path[i].column = T_NEXT;
    path[STRATA_MAX_STEPS].column = T_I;
    values[0] = strata_int(0);
    nodes[0] = (strata_node){ .op = STRATA_IN, .left = { .path = path + STRATA_MAX_STEPS, .path_length = 1 },
                              .value_count = STRATA_MAX_CONSTANTS + 1, .values = values };
    REFUSED(count_nodes(f, nodes, 1, &count), STRATA_MISUSE,
            "i of Thing is compared with 4194305 values; there may be 4194304");
    nodes[0] = (strata_node){ .op = STRATA_EQUAL, .left = { .path = path, .path_length = STRATA_MAX_STEPS + 1 },
                              .value_count = 1, .values = values };
    REFUSED(count_nodes(f, nodes, 1, &count), STRATA_MISUSE, "a path from Thing has 201 steps; there may be 200");
    nodes[0].left.path++;
    nodes[0].left.path_length--;
    MUST(count_nodes(f, nodes, 1, &count));
    for (uint32_t i = 0; i < STRATA_MAX_DEPTH + 1; i++) nodes[i] = (strata_node){ .op = STRATA_NOT, .children = 1 };
    nodes[STRATA_MAX_DEPTH + 1] = (strata_node){ .op = STRATA_TRUE };
    REFUSED(count_nodes(f, nodes, STRATA_MAX_DEPTH + 2, &count), STRATA_MISUSE, "nested more than 200 deep");
    MUST(count_nodes(f, nodes + 1, STRATA_MAX_DEPTH + 1, &count));
    free(values);
    free(path);
    fixture_close(f);
}

void test_condition_stages_have_limits(void) {
    fixture *f = things();
    uint64_t count;
    strata_stage *stages = calloc(STRATA_MAX_STAGES + 1, sizeof *stages);
    strata_sort *keys = calloc(STRATA_MAX_SORT_KEYS + 1, sizeof *keys);
    strata_step i = { .column = T_I };
    CHECK(stages != NULL && keys != NULL);
    for (uint32_t k = 0; k <= STRATA_MAX_STAGES; k++) {
        stages[k] = (strata_stage){ .kind = STRATA_STAGE_LIMIT, .limit = 2 };
    }
    for (uint32_t k = 0; k <= STRATA_MAX_SORT_KEYS; k++) keys[k] = (strata_sort){ .path = &i, .path_length = 1 };
    strata_query query = { .size = sizeof query, .table = THING, .stages = stages,
                           .stage_count = STRATA_MAX_STAGES + 1 };
    REFUSED(strata_query_check(f->view, &query, &f->error), STRATA_MISUSE,
            "a query has 1001 stages; there may be 1000");
    query.stage_count--;
    MUST(strata_query_count(f->view, &query, &count, NULL, &f->error));
    CHECK_EQ(count, 2);
    stages[0] = (strata_stage){ .kind = STRATA_STAGE_SORT, .key_count = STRATA_MAX_SORT_KEYS + 1, .keys = keys };
    REFUSED(strata_query_check(f->view, &query, &f->error), STRATA_MISUSE, "a sort has 1001 keys; there may be 1000");
    stages[0].key_count = STRATA_MAX_SORT_KEYS;
    stages[1] = (strata_stage){ .kind = STRATA_STAGE_SORT, .key_count = 1, .keys = keys };
    REFUSED(strata_query_check(f->view, &query, &f->error), STRATA_MISUSE,
            "the sorts of a query have 1001 keys together; there may be 1000");
    free(stages);
    free(keys);
    fixture_close(f);
}

/* ---- Predicates ------------------------------------------------------- */

static strata_status parse(fixture *f, const char *text, size_t size, const strata_argument *arguments,
                           uint32_t count) {
    strata_predicate *predicate;
    strata_status status = strata_predicate_parse(text, size, arguments, count, &predicate, &f->error);
    strata_predicate_free(predicate);
    return status;
}

void test_condition_as_text_has_limits(void) {
    enum { CLAUSE = 5 };
    fixture *f = things();
    size_t size = (size_t)CLAUSE * (STRATA_MAX_NODES + 1);
    char *text = malloc(size + 1);
    CHECK(text != NULL);
    for (size_t at = 0; at < size; at += CLAUSE) memcpy(text + at, "i=1||", CLAUSE);
    REFUSED(parse(f, text, size - 2, NULL, 0), STRATA_MISUSE, "a predicate has more than 1000000 conditions here");
    free(text);
    strata_argument *arguments = calloc(STRATA_MAX_CONSTANTS + 1, sizeof *arguments);
    CHECK(arguments != NULL);
    REFUSED(parse(f, "i == %@", 7, arguments, STRATA_MAX_CONSTANTS + 1), STRATA_MISUSE,
            "a predicate has 4194305 arguments; there may be 4194304");
    free(arguments);
    fixture_close(f);
}

/* ---- Patterns --------------------------------------------------------- */

static uint64_t count_text(fixture *f, const char *text) {
    strata_predicate *predicate;
    strata_condition *condition;
    uint64_t count = UINT64_MAX;
    MUST(strata_predicate_parse(text, strlen(text), NULL, 0, &predicate, &f->error));
    MUST(strata_predicate_resolve(predicate, f->view, THING, NULL, 0, &condition, &f->error));
    MUST(count_nodes(f, condition->nodes, condition->node_count, &count));
    strata_condition_free(condition);
    strata_predicate_free(predicate);
    return count;
}

void test_condition_patterns_have_limits(void) {
    static char pattern[STRATA_MAX_SEGMENT + 3];
    static const strata_step s = { .column = T_S }, other = { .column = T_PATTERN };
    fixture *f = things();
    uint64_t count;
    memset(pattern, 'a', sizeof pattern);
    pattern[5] = '?';
    strata_value value = strata_string(pattern, STRATA_MAX_SEGMENT + 1);
    strata_operand right = { .path = &other, .path_length = 1 };
    strata_node node = { .op = STRATA_LIKE, .left = { .path = &s, .path_length = 1 }, .value_count = 1,
                         .values = &value };
    REFUSED(count_nodes(f, &node, 1, &count), STRATA_MISUSE,
            "s of Thing is compared with a pattern that has more than 4096 bytes with ? among them and no *");
    pattern[9] = '*';
    MUST(count_nodes(f, &node, 1, &count));
    CHECK_EQ(count, 0);
    node.right = &right;
    MUST(count_nodes(f, &node, 1, &count));
    CHECK_EQ(count, 3);
    pattern[9] = '?';
    MUST(strata_view_begin(f->view, &f->error));
    set(f, THING, 2, T_PATTERN, value);
    MUST(strata_view_commit(f->view, &f->error));
    REFUSED(count_nodes(f, &node, 1, &count), STRATA_MISUSE, "a pattern of LIKE in a column has more than 4096 bytes");
    fixture_close(f);
}

/* Statement 126: data among values of any type is searched as a string of its bytes would be, options included; a data
 * column is compared as it is. */
void test_condition_searches_data_in_mixed_values(void) {
    fixture *f = things();
    static const char *const found[] = {
        "any BEGINSWITH 'Xa'", "any ENDSWITH 'cX'", "any CONTAINS 'aB'", "any LIKE '*a?c*'", "any BEGINSWITH[c] 'xA'",
        "any ENDSWITH[c] 'Cx'", "any CONTAINS[c] 'AbC'", "any LIKE[c] 'xA?cX'", "any CONTAINS[cd] 'ABC'",
        "any CONTAINS[c] data('616263')", "any LIKE 'XaBcX'",
    };
    static const char *const not_found[] = {
        "any BEGINSWITH 'xa'", "any ENDSWITH 'Cx'", "any CONTAINS 'ab'", "any LIKE 'xabcx'",
        "any CONTAINS data('616263')",
    };
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) CHECK_EQ(count_text(f, found[i]), 2);
    for (size_t i = 0; i < sizeof not_found / sizeof not_found[0]; i++) CHECK_EQ(count_text(f, not_found[i]), 0);
    CHECK_EQ(count_text(f, "any ==[c] 'xabcx'"), 1); /* the string: data never equals one */
    CHECK_EQ(count_text(f, "data BEGINSWITH data('61')"), 1);
    CHECK_EQ(count_text(f, "data BEGINSWITH[c] data('61')"), 1);
    CHECK_EQ(count_text(f, "data BEGINSWITH[c] data('41')"), 0);
    CHECK_EQ(count_text(f, "data CONTAINS[c] data('62')"), 0);
    CHECK_EQ(count_text(f, "data ENDSWITH[c] data('43')"), 0);
    CHECK_EQ(count_text(f, "data LIKE[c] data('413f63')"), 0);
    CHECK_EQ(count_text(f, "data LIKE[c] data('613f63')"), 1);
    fixture_close(f);
}
