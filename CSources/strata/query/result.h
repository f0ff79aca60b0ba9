/* SPDX-License-Identifier: MIT
 *
 * result.h -- what becomes of the rows that a query finds: one pipeline, being run.
 *
 * Rows are added one by one or as blocks. They pass the filters, and are then sorted, grouped, counted or collected.
 * Failures while rows are added are noted in the query.
 */
#ifndef ST_QUERY_RESULT_H
#define ST_QUERY_RESULT_H

#include "plan/pipeline.h"
#include "query/distinct_set.h"
#include "query/order.h"

struct st_groups;
struct st_test;

enum { ST_RESULT_BATCH = 1024 };

/** A filter stage, being run. */
typedef struct st_running_filter {
    uint64_t skip, left;   /* LIMIT: how many rows are still to be skipped, and then to be passed on */
    st_key_reader *keys;   /* DISTINCT, otherwise NULL */
    st_distinct_set seen;
} st_running_filter;

typedef struct st_result {
    st_query *query;
    st_running_filter *filters;
    uint32_t filter_count;
    bool sorting;          /* into `order` */
    bool counting;         /* only `count` */
    bool visits;           /* rows are looked at, not only their keys */
    bool full;             /* no further rows are wanted */
    struct st_groups *groups; /* rows are grouped there; NULL: they are not */
    uint64_t *keys;
    size_t count, capacity; /* of `keys`; `count` also when only counting */
    st_order order;
} st_result;

/** Begins a pipeline; `last` if its rows are what the query was run for. `wanted` is how many rows of its sort will be
 * used. Whatever it returns, the result is freed with st_result_free(). */
strata_status st_result_begin(st_result *result, st_query *query, const st_pipeline *pipeline, bool last,
                              st_purpose purpose, struct st_groups *groups, uint64_t wanted);
void st_result_free(st_result *result);

void st_result_add_row(st_result *result, const st_stored_row *row, uint64_t key);
/** Adds the rows of a block that a selection mask keeps. */
void st_result_add_block(st_result *result, const uint8_t *block, size_t size, const uint8_t *keep);
/** Adds the objects with these keys if their rows meet the test `rest`; NULL: all of them. An object that does not
 * exist is a sign of damage, unless `may_lack`. */
void st_result_add_keys(st_result *result, const struct st_test *rest, const uint64_t *keys, size_t count,
                        bool may_lack);
/** Adds rows of which only the number is wanted. */
void st_result_add_count(st_result *result, uint64_t count);

/** No further rows are wanted, or something failed. */
static inline bool st_result_is_full(const st_result *r) { return r->full || r->query->status != STRATA_OK; }

/** Makes room for more keys. False after a failure, which the query notes. */
bool st_result_room(st_result *result, size_t more);

#endif
