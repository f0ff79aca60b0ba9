/* SPDX-License-Identifier: MIT
 *
 * test.h -- a compiled condition: a tree of tests.
 *
 * NOT has been pushed down to the comparisons, constants have been folded away, and the children of AND and OR stand
 * in the order of their costs. So TRUE and FALSE stand alone, at the root or as the condition on what is counted. Tests
 * lie in the memory of the query. Only operands change later, because they hold the state of walks.
 */
#ifndef ST_CONDITION_TEST_H
#define ST_CONDITION_TEST_H

#include "catalog/catalog.h"
#include "condition/comparison.h"

struct st_operand;
struct st_within;

typedef struct st_test {
    strata_operator op;        /* TRUE, FALSE, AND, OR, NOT, or that of a comparison */
    uint32_t child_count;      /* AND and OR: at least two; NOT: one, which is a comparison */
    struct st_test **children; /* those that cost least first */
    uint32_t cost;             /* of testing a row, relative to looking at a number */
    /* Of a comparison: */
    const strata_node *node;
    struct st_operand *left, *right; /* `right` is NULL: compared with `comparison` or `within` */
    struct st_test *counted;         /* `left` is a count: the condition on what is counted, or NULL */
    const struct st_within *within;  /* the operator is WITHIN */
    st_kind kind;                    /* of the values compared */
    st_comparison comparison;
    /* Set if an index may know of it: a column, or any element of a collection of links, is compared with constants. */
    const st_column *column;
    st_field field;                  /* how that column is packed */
} st_test;

#endif
