/* SPDX-License-Identifier: MIT
 * result.h -- what becomes of the rows that a query finds, and how indexes are walked for them. */
#ifndef ST_QUERY_RESULT_H
#define ST_QUERY_RESULT_H

#include "query/order.h"
#include "query/plan.h"

enum { ST_RESULT_BATCH = 1024 };

/** The rows that meet the condition, or their number. */
typedef struct st_result {
    st_query *query;
    bool counting;
    bool sorting;
    uint64_t limit;        /* UINT64_MAX: none */
    uint64_t *keys;
    size_t count, capacity; /* of `keys`; `count` also when only counting */
    st_order order;
} st_result;

/** Makes room for more keys. False after a failure, which the query notes. */
bool st_result_room(st_result *result, size_t more);
/** Tests rows one by one (`rest` NULL: not at all) and takes those that pass. */
void st_result_take(st_result *result, const st_test *rest, const uint64_t *keys, size_t count);
/** Nothing further is wanted, or something failed. */
static inline bool st_result_is_full(const st_result *r) {
    return r->query->status != STRATA_OK || (!r->sorting && r->count >= r->limit);
}

/* walk.c */

/** Takes the rows of the plan's ranges in the order of their keys. */
strata_status st_walk_index(st_result *result, const st_plan *plan);
/** The same for one range of one value, only as far as needed and with every copy. */
strata_status st_walk_one(st_result *result, const st_plan *plan);
/** Takes the rows in the order of the index, which is the one wanted. `*useless` if it turns out not to be. */
strata_status st_walk_values(st_result *result, const st_plan *plan, bool *useless);

#endif
