/* SPDX-License-Identifier: MIT
 *
 * resolver.h -- the state of a resolver, which makes the condition of a query out of a predicate.
 *
 * Its functions return false after a failure, of which the first one stays. What they make lies in `memory`, which is
 * that of the condition.
 */
#ifndef ST_PREDICATE_RESOLVER_H
#define ST_PREDICATE_RESOLVER_H

#include "base/arena.h"
#include "predicate/tree.h"
#include "table/view.h"

typedef struct st_resolver {
    const strata_view *view;
    const st_table *tables;
    const strata_alias *aliases;
    uint32_t alias_count;
    st_arena *memory;
    strata_node *nodes;   /* room for all that the predicate makes */
    uint32_t count;       /* nodes made so far */
    strata_error *error;
    strata_status status; /* the first failure */
} st_resolver;

/** Notes a failure "at column N: ...". Returns false. */
bool st_resolver_fail(st_resolver *resolver, strata_status status, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** Notes that there is no memory. Returns false. */
bool st_resolver_no_memory(st_resolver *resolver);
/** Replaces bytes by a copy in the memory of the condition. */
bool st_resolver_copy_bytes(st_resolver *resolver, strata_bytes *bytes);

/** How many bytes of a name are shown in a message. */
static inline int st_shown(strata_bytes name) { return name.size < 60 ? (int)name.size : 60; }

#endif
