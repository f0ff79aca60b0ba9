/* SPDX-License-Identifier: MIT
 * target.h -- what a path leads to. */
#ifndef ST_PREDICATE_TARGET_H
#define ST_PREDICATE_TARGET_H

#include "predicate/resolver.h"

/** Where a path begins: at an object of `table`, which inside of a subquery is named by the variable, or at a value of
 * one of its collections. */
typedef struct st_origin {
    uint32_t table;
    const st_column *values; /* NULL: at the object */
    strata_bytes variable; /* empty outside of subqueries */
} st_origin;

typedef struct st_target {
    strata_operand operand;
    strata_step *steps;   /* its path, with room for two steps more than the text has components */
    strata_type type;     /* of each value */
    uint32_t table;       /* of a link: where it leads */
    bool many;            /* it leads to any number of values */
    bool nested;          /* it goes on behind a collection */
    bool spread;          /* the text says so itself, with @allKeys, @allValues or #any */
    bool dynamic;         /* it goes through a mixed value, which may hold many */
    uint32_t column;      /* in the text */
    strata_bytes name;    /* of the last property, for messages */
    const char *owner;    /* the table of that property */
} st_target;

/** Follows the path of a term, or that of the collection of a subquery, from table to table. */
bool st_target_find(st_resolver *resolver, const st_origin *origin, const st_term *term, st_target *out);

#endif
