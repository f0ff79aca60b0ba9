/* SPDX-License-Identifier: MIT
 * resolver.h -- what the files share that find the columns of a predicate. */
#ifndef ST_PREDICATE_RESOLVER_H
#define ST_PREDICATE_RESOLVER_H

#include "predicate/tree.h"
#include "table/view.h"

/** Where a path begins: at an object of `table`, which the variable names inside of a subquery. */
typedef struct st_origin {
    uint32_t table;
    strata_bytes variable; /* empty: outside of subqueries */
} st_origin;

typedef struct st_resolver {
    const strata_view *view;
    const st_table *tables;
    const strata_alias *aliases;
    uint32_t alias_count;
    st_arena *memory;  /* of the condition */
    strata_node *nodes; /* room for all that the predicate makes */
    uint32_t count;
    strata_error *error;
    strata_status status; /* the first failure */
} st_resolver;

/** What a path leads to. */
typedef struct st_target {
    strata_operand operand;
    strata_step *steps;   /* its path, with room for one more than the text has parts */
    strata_type type;     /* of each value */
    uint32_t table;       /* of a link: where it leads */
    bool many;            /* it leads to any number of values */
    bool nested;          /* it goes on behind a collection */
    bool spread;          /* it says so itself, with @allKeys, @allValues or #any */
    bool dynamic;         /* it goes through a mixed value, which may hold many */
    uint32_t column;      /* in the text */
    strata_bytes name;    /* of the last property, for messages */
    const char *owner;    /* and of its table */
} st_target;

/** Notes a failure "at column N: ...". Returns false. */
bool st_resolver_fail(st_resolver *resolver, strata_status status, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool st_resolver_no_memory(st_resolver *resolver);

/** How many bytes of a name are shown in a message. */
static inline int st_shown(strata_bytes name) { return name.size < 60 ? (int)name.size : 60; }

/* predicate_names.c */

/** The step that a name stands for in a table; fails with the name that was probably meant. */
bool st_find_name(st_resolver *resolver, uint32_t table, strata_bytes name, uint32_t column, strata_step *out);

/* predicate_target.c */

/** Follows the path of a term, or of the collection of a subquery. False after a failure. */
bool st_follow_path(st_resolver *resolver, const st_origin *origin, const st_term *term, st_target *out);

/* predicate_fit.c */

/** Does the target have the operator, with these options? */
bool st_check_operator(st_resolver *resolver, const st_target *target, strata_operator op, uint32_t options,
                       uint32_t column);
/** Makes a constant one of the target's type. `column` is where it stands. */
bool st_fit_value(st_resolver *resolver, const st_target *target, const strata_value *value, uint32_t column,
                  strata_value *out);
/** Can points be looked for behind the target? */
bool st_check_points(st_resolver *resolver, const st_target *target, uint32_t column);
/** A copy in the memory of the condition. */
bool st_keep_bytes(st_resolver *resolver, strata_bytes *bytes);

#endif
