/* SPDX-License-Identifier: MIT
 *
 * query.h -- a query while it runs.
 *
 * A query is compiled into a tree of tests, a plan is chosen for how to find its rows, and the plan is run: over whole
 * blocks where that is possible, otherwise row by row. Pending changes are flushed before, so that stored blocks are
 * all there is, and blocks stay where they are until the query ends.
 *
 * A failure is noted in `status`, with its message in `error`; the first one stays. Loops over rows look at `status`,
 * so that most functions that test rows need not return it.
 *
 * A query counts its steps: rows, elements, entries of an index, what lies in one block. From time to time it looks
 * whether it has to end (base/interrupt.h); then that is its failure. Every loop whose length a file or a program
 * decides takes steps.
 *
 * Instead of rows a condition may be tested on the values of one collection: then `values` is set, every path begins
 * at `value`, and there is no row.
 *
 * Lifetime: whatever belongs to a query lies in its memory and is freed with it.
 */
#ifndef ST_CONDITION_QUERY_H
#define ST_CONDITION_QUERY_H

#include "base/arena.h"
#include "base/buffer.h"
#include "strata_query.h"
#include "table/view.h"

struct st_test;
struct st_operand;
struct st_bindings;
struct st_known_block;

enum { ST_STEPS_OF_LARGE = 256 /* that reading and searching a large value takes, at least */ };

typedef struct st_query {
    strata_view *view;
    const strata_query *spec;
    const st_table *table;     /* of the rows; NULL: values are tested */
    const st_column *values;   /* the collection whose values are tested, or NULL */
    uint32_t owner;            /* the table of that column */
    const strata_value *value; /* the value being tested, with all its bytes */
    strata_error *error;
    strata_status status;  /* the first failure, or STRATA_OK */
    strata_query_stats stats;
    bool explained;        /* the caller wants the plan in words */
    st_arena memory;
    struct st_test *condition;   /* NULL: every row matches */
    uint32_t next_node;          /* while compiling: the node of `spec` that comes next */
    struct st_bindings *bindings; /* while compiling: the comparisons whose constants come later, or NULL */
    struct st_operand *operands; /* all of them, to be freed */
    st_buffer scratch;     /* an overflow value that was read */
    st_buffer folded;      /* a folded value, or bytes to sort by */
    st_buffer folded_right; /* the other side of a comparison of two operands */
    struct st_known_block *known; /* blocks in which rows were found; NULL as long as few rows were looked for */
    uint32_t finds;        /* how many rows were looked for before `known` was made */
    uint32_t steps_left;   /* until it looks whether it has to end, */
    uint32_t steps_given;  /* of so many */
    uint8_t *keep;         /* memory for selection masks of one block: as many as the condition needs at a time */
    size_t keep_size;      /* of one mask */
    uint32_t keep_count;   /* of masks beside that of the whole condition */
} st_query;

/** A row in a stored block. Unlike an st_row_ref it knows the size of the block, against which reads are checked, and
 * its key is read only when needed. */
typedef struct st_stored_row {
    const uint8_t *block;
    size_t size;
    uint32_t slot;
} st_stored_row;

/** Checks that the view can be read, and flushes pending changes. */
strata_status st_query_ready(strata_view *view, strata_error *error);
/** For messages: the table that paths begin at, or the collection whose values they begin at if that is ST_NONE. */
const char *st_query_root(const st_query *query, uint32_t table);
/** Notes a failure, unless there was one before. */
void st_query_fail(st_query *query, strata_status status);
/** Notes a status that is a failure. Returns true if it is STRATA_OK; answers such as STRATA_NOT_FOUND are neither. */
static inline bool st_query_note(st_query *query, strata_status status) {
    if (status < 0) st_query_fail(query, status);
    return status == STRATA_OK;
}
/** What st_query_step() does when all steps are used up. */
bool st_query_look(st_query *query, uint32_t steps);
/** Takes steps. False if the query has to end, which it notes as its failure. */
static inline bool st_query_step(st_query *query, uint32_t steps) {
    if (steps >= query->steps_left) return st_query_look(query, steps);
    query->steps_left -= steps;
    return true;
}
/** Adds the steps that the query took since it looked last to those of the interrupt. */
void st_query_report(const st_query *query);
/** Notes that there is no memory for what the query was doing: "running a query". Returns false. */
bool st_query_no_memory(st_query *query, const char *doing);

#endif
