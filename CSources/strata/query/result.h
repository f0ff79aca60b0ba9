/* SPDX-License-Identifier: MIT
 *
 * result.h -- what becomes of the rows that a query finds: cut, and then sorted, grouped, counted or collected.
 */
#ifndef ST_QUERY_RESULT_H
#define ST_QUERY_RESULT_H

#include "query/distinct_set.h"
#include "query/order.h"
#include "plan/pipeline.h"

struct st_groups;

enum { ST_RESULT_BATCH = 1024 };

/** A cut that is under way. */
typedef struct st_running_filter {
    uint64_t skip, left;   /* of a LIMIT */
    st_key_reader *keys;        /* of a DISTINCT, or NULL */
    st_distinct_set seen;
} st_running_filter;

/** One pipeline of the stages, with what it ends in. */
typedef struct st_result {
    st_query *query;
    st_running_filter *filters;
    uint32_t filter_count;
    bool sorting;          /* into `order` */
    bool counting;         /* only `count` */
    bool visits;           /* rows are looked at, not only their keys */
    bool full;             /* nothing further is wanted */
    struct st_groups *group; /* NULL: none */
    uint64_t *keys;
    size_t count, capacity; /* of `keys`; `count` also when only counting */
    st_order order;
} st_result;

/** Begins a pipeline; `last` if its rows are what the query was run for. `wanted` is how many rows of the order will be
 * used. Whatever it returns, the result is freed with st_result_free(). */
strata_status st_result_begin(st_result *result, st_query *query, const st_pipeline *pipeline, bool last,
                              st_purpose purpose, struct st_groups *group, uint64_t wanted);
void st_result_free(st_result *result);

/** Takes a row. */
void st_result_add_row(st_result *result, const st_stored_row *row, uint64_t key);
/** Takes the rows of a block whose byte in the mask is 1. */
void st_result_add_block(st_result *result, const uint8_t *block, size_t size, const uint8_t *keep);
/** Tests rows one by one (`rest` NULL: not at all) and takes those that pass. Rows that are missing are a damage,
 * unless `may_lack`. */
void st_result_add_keys(st_result *result, const st_test *rest, const uint64_t *keys, size_t count, bool may_lack);
/** Takes that many rows, of which only the number is wanted. */
void st_result_add_count(st_result *result, uint64_t count);

/** Nothing further is wanted, or something failed. */
static inline bool st_result_is_full(const st_result *r) { return r->full || r->query->status != STRATA_OK; }

/** Makes room for more keys. False after a failure, which the query notes. */
bool st_result_room(st_result *result, size_t more);

#endif
