/* SPDX-License-Identifier: MIT
 * choose.c -- chooses the plan of a query. */
#include "plan/choose.h"

#include "plan/access_find.h"
#include "plan/explain_plan.h"
#include "plan/plan_order.h"
#include "table/table_state.h"

/* ---- Costs ------------------------------------------------------------ */

/* The cost of sorting so many rows, or of finding only the first ones among them. */
static uint64_t sort_cost(const st_goal *goal, uint64_t hits) {
    if (goal->sorted == NULL) return 0;
    return st_cost_times(hits, goal->wanted < hits / 4 ? ST_COST_SORTED / 10 : ST_COST_SORTED);
}

/* The cost of looking at all rows; without a sort, only until enough are found. */
static uint64_t scan_cost(const st_goal *goal, uint64_t rows, uint64_t hits) {
    uint64_t cost = ST_COST_RANGE + st_cost_times(rows, ST_COST_SCANNED) + sort_cost(goal, hits);
    if (goal->sorted != NULL || goal->wanted >= hits) return cost;
    return hits == 0 ? cost : st_cost_times(cost / hits, goal->wanted + 1);
}

/* The cost of finding rows by an access, `looks` if they are then looked at. Entries of ranges that are only counted
 * need not be walked. */
static uint64_t access_cost(const st_goal *goal, const st_access *access, bool looks) {
    bool counted = goal->counting && !looks && access->kind == ST_ACCESS_RANGES && !access->copies;
    if (counted) return st_cost_times(access->range_count, ST_COST_RANGE);
    uint64_t seen = access->entries, cost = access->cost;
    bool one_value = access->kind == ST_ACCESS_RANGES && access->points && access->range_count == 1;
    if (goal->sorted == NULL && goal->wanted < seen) {
        seen = goal->wanted;
        if (one_value) cost = ST_COST_RANGE + st_cost_times(seen, ST_COST_ENTRY);
    }
    return cost + (looks ? st_cost_times(seen, ST_COST_SOUGHT) : 0) + sort_cost(goal, access->entries);
}

/* ---- Choosing --------------------------------------------------------- */

static strata_status choose(st_query *query, const st_goal *goal, st_test **tests, uint32_t count, st_plan *out) {
    st_test **rest = NULL;
    uint32_t rest_count = 0;
    if (goal->sorted != NULL) {
        strata_status status = st_plan_results_in_order(query, goal, tests, count, out);
        if (status != STRATA_NOT_FOUND) return status;
    }
    st_access *access =
        count == 0 ? NULL : st_access_of_all(query, tests, count, goal->visits, &rest, &rest_count);
    if (query->status != STRATA_OK) return query->status;
    bool looks = goal->visits || rest_count != 0;
    bool obvious = access != NULL && (access->entries < 2 || (goal->counting && !looks && !access->copies &&
                                                              access->kind == ST_ACCESS_RANGES));
    uint64_t best = 0;
    if (!obvious && (access != NULL || goal->sorted != NULL)) {
        st_table_state state;
        strata_status status = st_table_state_load(query->view->txn, query->spec->table, &state, query->error);
        if (status != STRATA_OK) return status;
        uint64_t hits = access == NULL ? st_plan_hits(state.rows, count) : st_plan_hits(access->entries, rest_count);
        bool known = access != NULL && rest_count == 0; /* otherwise hits may stand at the very end */
        best = scan_cost(goal, state.rows, known || count == 0 ? hits : 0);
        if (access != NULL && access_cost(goal, access, looks) < best) best = access_cost(goal, access, looks);
        else access = NULL;
    }
    if (access != NULL) {
        out->method = ST_METHOD_INDEX;
        out->access = access;
        strata_status status = st_plan_all(query, rest, rest_count, &out->rest);
        if (status != STRATA_OK) return status;
    }
    if (obvious || goal->sorted == NULL) return STRATA_OK;
    st_plan ordered, *otherwise = st_access_alloc(query, sizeof *otherwise);
    uint64_t cost = best;
    if (otherwise == NULL) return query->status;
    *otherwise = *out;
    strata_status status = st_plan_in_order(query, goal, tests, count, &ordered, &cost);
    if (status == STRATA_OK) {
        *out = ordered;
        out->otherwise = otherwise;
    }
    return status < 0 ? status : STRATA_OK;
}

strata_status st_plan_make(st_query *query, const st_goal *goal, st_plan *out) {
    uint32_t count = query->condition == NULL ? 0 : st_tests_count(query->condition, STRATA_AND);
    st_test **tests = count > 1 ? st_access_alloc(query, count * sizeof *tests) : &query->condition;
    *out = (st_plan){ .method = ST_METHOD_SCAN, .rest = query->condition };
    if (tests == NULL) return query->status;
    if (count > 1) (void)st_tests_gather(query->condition, STRATA_AND, tests);
    strata_status status = choose(query, goal, tests, count, out);
    if (status == STRATA_OK) st_explain_plan(query, out);
    return status;
}
