/* SPDX-License-Identifier: MIT
 * plan.c -- chooses how the rows of a query are reached. */
#include "query/plan.h"

#include "base/status.h"

/* What steps cost in relation to each other, in nanoseconds as measured once: looking at a row while scanning, at one
 * somewhere, and sorting a key that an index gave. */
enum { COST_SCANNED = 6, COST_SOUGHT = 200, COST_SORTED = 20 };

/* The comparisons of which all have to hold. */
typedef struct conjuncts {
    st_test **tests;
    st_served *served;   /* by the index of the column; no set: by none */
    bool *chosen;        /* served by the plan, exactly */
    uint32_t count, capacity;
} conjuncts;

static uint32_t count_conjuncts(const st_test *test) {
    if (test->op != STRATA_AND) return 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < test->child_count; i++) count += count_conjuncts(test->children[i]);
    return count;
}

static void gather_conjuncts(st_test *test, conjuncts *all) {
    if (test->op != STRATA_AND) {
        all->tests[all->count++] = test;
        return;
    }
    for (uint32_t i = 0; i < test->child_count; i++) gather_conjuncts(test->children[i], all);
}

static strata_status no_memory(st_query *query) { return st_no_memory(query->error, "planning a query"); }

static strata_status find_conjuncts(st_query *query, conjuncts *out) {
    uint32_t count = count_conjuncts(query->condition);
    *out = (conjuncts){ .capacity = count };
    if (count == 0) return STRATA_OK;
    out->tests = st_arena_take(&query->memory, count * sizeof *out->tests);
    out->served = st_arena_take(&query->memory, count * sizeof *out->served);
    out->chosen = st_arena_take(&query->memory, count * sizeof *out->chosen);
    if (out->tests == NULL || out->served == NULL || out->chosen == NULL) return no_memory(query);
    gather_conjuncts(query->condition, out);
    for (uint32_t i = 0; i < count; i++) {
        if (!st_ranges_of(query, out->tests[i], &out->served[i])) out->served[i] = (st_served){ 0 };
        out->chosen[i] = false;
    }
    return query->status;
}

static bool is_range(const st_served *served) {
    return served->set.id != 0 && !served->points && served->range_count == 1;
}

static bool same_set(const st_served *a, const st_served *b) {
    return a->set.tree == b->set.tree && a->set.id == b->set.id;
}

/* Ranges of the same index are taken together. */
static strata_status meet_ranges(st_query *query, const conjuncts *all, uint32_t first, st_posting_range **out) {
    *out = st_arena_take(&query->memory, sizeof **out);
    if (*out == NULL) return no_memory(query);
    **out = all->served[first].ranges[0];
    for (uint32_t i = 0; i < all->count; i++) {
        if (is_range(&all->served[i]) && same_set(&all->served[i], &all->served[first])) {
            st_ranges_meet(*out, &all->served[i].ranges[0]);
        }
    }
    return STRATA_OK;
}

static bool is_first_of_its_ranges(const conjuncts *all, uint32_t at) {
    for (uint32_t i = 0; i < at; i++) {
        if (is_range(&all->served[i]) && same_set(&all->served[i], &all->served[at])) return false;
    }
    return true;
}

static strata_status count_entries(st_query *query, st_plan *plan) {
    plan->entries = 0;
    for (size_t i = 0; i < plan->range_count; i++) {
        uint64_t count;
        strata_status status =
            st_postings_count(query->view->txn, plan->set, &plan->ranges[i], &count, query->error);
        if (status != STRATA_OK) return status;
        plan->entries += count;
    }
    return STRATA_OK;
}

static strata_status consider(st_query *query, const conjuncts *all, uint32_t at, st_plan *out) {
    const st_served *served = &all->served[at];
    *out = (st_plan){ .way = ST_WAY_INDEX, .set = served->set, .column = all->tests[at]->column,
                      .ranges = served->ranges, .range_count = served->range_count, .copies = served->copies };
    if (is_range(served)) {
        strata_status status = meet_ranges(query, all, at, &out->ranges);
        if (status != STRATA_OK) return status;
    }
    return count_entries(query, out);
}

/* Marks what the plan says exactly, and makes a test of the rest. */
static strata_status find_rest(st_query *query, conjuncts *all, uint32_t best, st_plan *plan) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const st_served *served = &all->served[i];
        bool together = i == best || (is_range(served) && is_range(&all->served[best]) &&
                                      same_set(served, &all->served[best]));
        all->chosen[i] = together && served->exact;
        if (together) {
            st_explain(query, "%s", query->stats.plan[0] == 0 ? "index " : " and ");
            st_explain_test(query, all->tests[i]);
        }
        count += !all->chosen[i];
    }
    if (count == 0) return STRATA_OK;
    st_test *rest = st_arena_take(&query->memory, sizeof *rest);
    st_test **children = st_arena_take(&query->memory, count * sizeof *children);
    if (rest == NULL || children == NULL) return no_memory(query);
    *rest = (st_test){ .op = STRATA_AND, .children = children };
    for (uint32_t i = 0; i < all->count; i++) {
        if (!all->chosen[i]) children[rest->child_count++] = all->tests[i];
    }
    plan->rest = rest->child_count == 1 ? children[0] : rest;
    return STRATA_OK;
}

/* ---- Choosing --------------------------------------------------------- */

static bool needs_rest(const conjuncts *all, uint32_t best) {
    for (uint32_t i = 0; i < all->count; i++) {
        const st_served *served = &all->served[i];
        bool together = i == best || (is_range(served) && is_range(&all->served[best]) &&
                                      same_set(served, &all->served[best]));
        if (!together || !served->exact) return true;
    }
    return false;
}

/* The order of the result is that of an index. */
static bool order_is_of(const st_query *query, const st_column *column) {
    return query->sort_count == 1 && query->sorts->path_length == 1 && column->index_id != 0 &&
           column->collection == STRATA_SINGLE && column == &query->table->columns[query->sorts->path[0].column];
}

/* Is walking the index dearer than looking at all rows? */
static strata_status is_too_dear(st_query *query, const conjuncts *all, uint32_t best, const st_plan *plan,
                                 bool counting, bool *out) {
    *out = false;
    bool visit = needs_rest(all, best) || (query->sort_count != 0 && !order_is_of(query, plan->column));
    if ((!visit && counting && !plan->copies) || plan->entries < 2) return STRATA_OK;
    uint64_t each = visit ? COST_SOUGHT : plan->range_count == 1 && all->served[best].points ? 1 : COST_SORTED;
    st_table_state state;
    strata_status status = st_table_state_load(query->view->txn, query->spec->table, &state, query->error);
    *out = plan->entries * each > state.rows * COST_SCANNED;
    return status;
}

static strata_status choose_index(st_query *query, bool counting, st_plan *out) {
    conjuncts all;
    uint32_t best = UINT32_MAX;
    bool too_dear = false;
    strata_status status = find_conjuncts(query, &all);
    for (uint32_t i = 0; i < all.count && status == STRATA_OK; i++) {
        if (all.served[i].set.id == 0) continue;
        if (is_range(&all.served[i]) && !is_first_of_its_ranges(&all, i)) continue;
        st_plan plan;
        status = consider(query, &all, i, &plan);
        if (status != STRATA_OK || (best != UINT32_MAX && plan.entries >= out->entries)) continue;
        *out = plan;
        best = i;
        if ((plan.column->flags & STRATA_COLUMN_PRIMARY) != 0 && all.served[i].points && plan.range_count == 1) break;
    }
    if (status == STRATA_OK && best != UINT32_MAX) status = is_too_dear(query, &all, best, out, counting, &too_dear);
    if (status != STRATA_OK) return status;
    if (best == UINT32_MAX || too_dear) {
        *out = (st_plan){ .way = ST_WAY_SCAN, .rest = query->condition };
        return STRATA_OK;
    }
    status = find_rest(query, &all, best, out);
    if (out->rest == NULL && !counting && order_is_of(query, out->column)) out->way = ST_WAY_IN_ORDER;
    return status;
}

strata_status st_plan_make(st_query *query, bool counting, st_plan *out) {
    strata_status status = STRATA_OK;
    *out = (st_plan){ .way = ST_WAY_SCAN, .rest = query->condition };
    if (query->condition != NULL) status = choose_index(query, counting, out);
    if (status != STRATA_OK) return status;
    if (query->condition == NULL && query->sort_count == 1 && !counting) {
        const st_column *column = &query->table->columns[query->sorts->path[0].column];
        if (order_is_of(query, column)) {
            out->way = ST_WAY_IN_ORDER;
            out->set = (st_posting_set){ ST_INDEX, column->index_id };
            out->column = column;
            out->range_count = 1;
            out->ranges = st_arena_take(&query->memory, sizeof *out->ranges);
            if (out->ranges == NULL) return no_memory(query);
            out->ranges[0] = (st_posting_range){ .high_key = UINT64_MAX };
            st_explain(query, "index %s", column->name);
        }
    }
    if (out->way == ST_WAY_SCAN) st_explain(query, "scan %s", query->table->name);
    if (out->rest != NULL) st_explain(query, out->way == ST_WAY_SCAN ? ", filter" : ", then filter");
    return STRATA_OK;
}
