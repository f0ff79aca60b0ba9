/* SPDX-License-Identifier: MIT
 *
 * tree.h -- a parsed predicate: a tree of clauses.
 *
 * Everything lies in the arena of the predicate and does not change once it is parsed. A `column` is a column of the
 * text, counted in characters from 1, and only used in messages.
 */
#ifndef ST_PREDICATE_TREE_H
#define ST_PREDICATE_TREE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "strata_predicate.h"

enum {
    ST_PREDICATE_DEPTH = 190,     /* of clauses inside clauses; ST_QUERY_DEPTH is a little higher */
    ST_PREDICATE_COMPONENTS = 100 /* of one path */
};

typedef enum st_component_kind {
    ST_COMPONENT_NAME,      /* `text` */
    ST_COMPONENT_SELF,
    ST_COMPONENT_AGGREGATE, /* `aggregate` */
    ST_COMPONENT_KEYS,      /* @allKeys */
    ST_COMPONENT_VALUES,    /* @allValues */
    ST_COMPONENT_KEY,       /* ['text'] */
    ST_COMPONENT_POSITION,  /* [position] */
    ST_COMPONENT_EACH       /* [#any] */
} st_component_kind;

typedef struct st_component {
    st_component_kind kind;
    uint32_t column;
    strata_aggregate aggregate;
    int64_t position;
    strata_bytes text;
} st_component;

typedef enum st_term_kind { ST_TERM_CONSTANT, ST_TERM_PATH, ST_TERM_SUBQUERY } st_term_kind;

/** One side of a comparison. */
typedef struct st_term {
    st_term_kind kind;
    uint32_t column;
    strata_argument constant;
    strata_bytes variable;  /* with which a path begins; empty: it begins with the object */
    const st_component *components; /* of a path, or of the path to the collection of a subquery */
    uint32_t component_count;
    strata_bytes element;   /* SUBQUERY: its variable, */
    struct st_clause *condition; /* and its condition */
} st_term;

typedef enum st_quantifier { ST_QUANTIFIER_NONE_GIVEN, ST_QUANTIFIER_ANY, ST_QUANTIFIER_NONE } st_quantifier;

/** A node of a predicate. A constant that is compared with a path is on the right side, but for IN. */
typedef struct st_clause {
    strata_operator op;
    uint32_t options;
    st_quantifier quantifier;
    uint32_t column;       /* of the operator of a comparison */
    uint32_t depth;        /* how many clauses are inside of each other below this one */
    uint32_t child_count;
    struct st_clause *first, *last; /* its children, */
    struct st_clause *next;         /* which are a list */
    st_term left, right;
} st_clause;

struct strata_predicate {
    st_arena memory;     /* of all of it, also of this struct */
    const st_clause *root;
    uint32_t node_count; /* its condition has at most so many nodes */
};

/** A copy of `size` bytes; NULL if there is no memory. */
void *st_copy(st_arena *memory, const void *bytes, size_t size);
/** A copy of a shape, with its points; NULL if there is no memory. */
const strata_shape *st_copy_shape(st_arena *memory, const strata_shape *shape);
/** The plain spelling of an operator; "?" if it has none. */
const char *st_operator_text(strata_operator op);
/** The plain spelling of an aggregate, without its @. */
const char *st_aggregate_text(strata_aggregate aggregate);
#endif
