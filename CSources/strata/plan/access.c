/* SPDX-License-Identifier: MIT
 * access.c -- access paths: counted, merged and joined. */
#include "plan/access.h"

#include "base/arena.h"
#include "plan/ranges.h"

void *st_access_alloc(st_query *query, size_t size) {
    void *memory = st_arena_alloc(&query->memory, size == 0 ? 1 : size);
    if (memory == NULL) (void)st_query_no_memory(query, "planning a query");
    return memory;
}

/* ---- Costs ------------------------------------------------------------ */

bool st_access_count(st_query *query, st_access *access) {
    if (access->counted) return true;
    access->entries = 0;
    for (size_t i = 0; i < access->range_count; i++) {
        uint64_t count;
        if (!st_query_step(query, 1)) return false;
        strata_status status =
            st_postings_count(query->view->txn, access->set, &access->ranges[i], &count, query->error);
        if (!st_query_note(query, status)) return false;
        if (access->entries < UINT64_MAX / 4) access->entries += count; /* more there are only in a damaged file */
    }
    bool in_order = access->points && access->range_count == 1;
    access->cost = st_cost_times(access->range_count, ST_COST_RANGE) +
                   st_cost_times(access->entries, in_order ? ST_COST_ENTRY : ST_COST_MIXED);
    access->counted = true;
    return true;
}

/* ---- Ranges of one index ---------------------------------------------- */

/* Copies items. If there are none, there may be no address of them. */
static void copy(void *to, const void *from, size_t size) {
    if (size != 0) memcpy(to, from, size);
}

bool st_access_same_index(const st_access *a, const st_access *b) {
    return a->kind == ST_ACCESS_RANGES && b->kind == ST_ACCESS_RANGES && a->set.tree == b->set.tree &&
           a->set.id == b->set.id;
}

bool st_access_narrow(st_query *query, st_access *access, const st_posting_range *ranges, size_t count) {
    st_posting_range *narrowed = st_access_alloc(query, (access->range_count + count) * sizeof *narrowed);
    if (narrowed == NULL) return false;
    access->range_count = st_ranges_intersect(access->ranges, access->range_count, ranges, count, narrowed);
    access->ranges = narrowed;
    access->counted = false;
    return true;
}

bool st_access_merge(st_query *query, st_access *access, strata_operator op, const st_access *more) {
    bool both = op == STRATA_AND;
    size_t count = access->range_count + more->range_count;
    st_posting_range *ranges = st_access_alloc(query, count * sizeof *ranges);
    st_test *label = st_tests_join(query, op, access->label, more->label);
    if (ranges == NULL || label == NULL) return false;
    if (both) {
        count = st_ranges_intersect(access->ranges, access->range_count, more->ranges, more->range_count, ranges);
    } else {
        copy(ranges, access->ranges, access->range_count * sizeof *ranges);
        copy(ranges + access->range_count, more->ranges, more->range_count * sizeof *ranges);
        count = st_ranges_union(ranges, count);
    }
    access->ranges = ranges;
    access->range_count = count;
    access->label = label;
    access->exact = access->exact && more->exact;
    access->points = both ? access->points || more->points : access->points && more->points;
    access->counted = false;
    return true;
}

/* ---- Several accesses ------------------------------------------------- */

st_access *st_access_join(st_query *query, st_access_kind kind, st_access **inputs, uint32_t count) {
    if (count == 1 && kind != ST_ACCESS_LINKED) return inputs[0];
    st_access *access = st_access_alloc(query, sizeof *access);
    if (access == NULL) return NULL;
    *access = (st_access){ .kind = kind, .exact = true, .counted = true, .table = query->table, .inputs = inputs,
                           .input_count = count };
    for (uint32_t i = 0; i < count; i++) {
        const st_access *input = inputs[i];
        access->cost += input->cost;
        access->exact = access->exact && input->exact;
        if (kind == ST_ACCESS_UNION) access->entries += input->entries;
        else if (i == 0 || input->entries < access->entries) access->entries = input->entries;
    }
    if (kind == ST_ACCESS_UNION) access->cost += st_cost_times(access->entries, ST_COST_MIXED);
    return access;
}

/* ---- Tests ------------------------------------------------------------ */

uint32_t st_tests_count(const st_test *test, strata_operator op) {
    if (test->op != op) return 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < test->child_count; i++) count += st_tests_count(test->children[i], op);
    return count;
}

uint32_t st_tests_gather(st_test *test, strata_operator op, st_test **out) {
    if (test->op != op) {
        out[0] = test;
        return 1;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < test->child_count; i++) count += st_tests_gather(test->children[i], op, out + count);
    return count;
}

st_test *st_tests_join(st_query *query, strata_operator op, st_test *a, st_test *b) {
    if (a == NULL) return b;
    uint32_t first = st_tests_count(a, op), count = first + st_tests_count(b, op);
    st_test *test = st_access_alloc(query, sizeof *test), **children = st_access_alloc(query, count * sizeof *children);
    if (test == NULL || children == NULL) return NULL;
    (void)st_tests_gather(a, op, children);
    (void)st_tests_gather(b, op, children + first);
    *test = (st_test){ .op = op, .children = children, .child_count = count };
    return test;
}
