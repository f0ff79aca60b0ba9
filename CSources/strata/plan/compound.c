/* SPDX-License-Identifier: MIT
 * compound.c -- comparisons as ranges of a compound index. */
#include "plan/compound.h"

#include <stdlib.h>

#include "base/status.h"

enum { MOST_RANGES = 256 }; /* more are not worth the walk */

/* The comparisons, and what the columns of the index are to be. */
typedef struct demands {
    st_query *query;
    st_test *const *tests;
    uint32_t count;
    const st_index *index;
    struct {
        const strata_value *values; /* any of them */
        uint32_t count;
        const st_test *test;
    } equal[STRATA_MAX_INDEX_COLUMNS];
    uint32_t equal_count;
    size_t range_count;             /* the values of `equal` combined */
    bool nothing;                   /* no object can meet them all */
    st_index_demand next;           /* of the column behind the equal ones */
    strata_value low, high;
} demands;

static bool out_of_memory(st_query *query) {
    st_query_fail(query, st_no_memory(query->error, "planning a query"));
    return false;
}

/* ---- Equality --------------------------------------------------------- */

/* Compares the column with values, as they are. */
static bool is_plain(const demands *d, const st_test *test, uint32_t position) {
    if (test->op < STRATA_EQUAL || test->right != NULL || test->demand.negate || test->demand.fold != 0) return false;
    return test->column == &d->query->table->columns[d->index->columns[position]];
}

static bool can_be(const st_test *test, const strata_value *value) {
    if (value->type == STRATA_NULL) return test->field.nullable || test->column->type == STRATA_LINK;
    return value->type != STRATA_DATE || value->as.real == value->as.real; /* NaN equals nothing */
}

/* Takes an equality, or else the shortest IN, of a column. False if there is none that could be taken. */
static bool take_equal(demands *d) {
    uint32_t position = d->equal_count;
    const st_test *best = NULL;
    for (uint32_t i = 0; i < d->count; i++) {
        const st_test *test = d->tests[i];
        if (test->op != STRATA_EQUAL && test->op != STRATA_IN) continue;
        if (!is_plain(d, test, position)) continue;
        if (best == NULL || test->node->value_count < best->node->value_count) best = test;
    }
    if (best == NULL || best->node->value_count * d->range_count > MOST_RANGES) return false;
    strata_value *values = st_arena_alloc(&d->query->memory, (best->node->value_count + 1) * sizeof *values);
    if (values == NULL) return out_of_memory(d->query);
    uint32_t count = 0;
    for (uint32_t i = 0; i < best->node->value_count; i++)
        if (can_be(best, &best->node->values[i])) values[count++] = best->node->values[i];
    d->equal[position].values = values;
    d->equal[position].count = count;
    d->equal[position].test = best;
    d->equal_count++;
    d->range_count *= count;
    if (count == 0) d->nothing = true;
    return true;
}

/* ---- The next column -------------------------------------------------- */

static int compare_values(const strata_value *a, const strata_value *b) {
    switch (a->type) {
    case STRATA_INT: return a->as.integer < b->as.integer ? -1 : a->as.integer > b->as.integer;
    case STRATA_DATE: return a->as.real < b->as.real ? -1 : a->as.real > b->as.real;
    case STRATA_STRING: return st_compare(a->as.bytes, b->as.bytes);
    default: return memcmp(a->as.fixed, b->as.fixed, a->type == STRATA_UUID ? 16 : 12);
    }
}

static void raise_low(demands *d, const strata_value *low, bool open) {
    int order = d->next.low == NULL ? -1 : compare_values(&d->low, low);
    if (order > 0 || (order == 0 && d->next.low_open)) return;
    d->low = *low;
    d->next.low = &d->low;
    d->next.low_open = open;
}

static void lower_high(demands *d, const strata_value *high, bool open) {
    int order = d->next.high == NULL ? 1 : compare_values(&d->high, high);
    if (order < 0 || (order == 0 && d->next.high_open)) return;
    d->high = *high;
    d->next.high = &d->high;
    d->next.high_open = open;
}

static bool take_bounds(demands *d, const st_test *test) {
    const st_demand *demand = &test->demand;
    strata_operator op = test->op;
    bool range = (op >= STRATA_LESS && op <= STRATA_GREATER_EQUAL) || op == STRATA_BETWEEN;
    if (!range) return false;
    if (demand->op == STRATA_FALSE) {
        d->nothing = true;
    } else if (demand->kind == ST_KIND_INT || demand->kind == ST_KIND_REAL) {
        bool ints = demand->kind == ST_KIND_INT;
        strata_value low = ints ? strata_int(demand->low) : strata_date(demand->real_low);
        strata_value high = ints ? strata_int(demand->high) : strata_date(demand->real_high);
        raise_low(d, &low, false);
        lower_high(d, &high, false);
    } else {
        const strata_value *values = test->node->values;
        bool from = op == STRATA_GREATER || op == STRATA_GREATER_EQUAL || op == STRATA_BETWEEN;
        if (from) raise_low(d, values, op == STRATA_GREATER);
        if (op == STRATA_BETWEEN) lower_high(d, values + 1, false);
        else if (!from) lower_high(d, values, op == STRATA_LESS);
    }
    return true;
}

/* Takes a prefix, or else all bounds, of the column behind the equal ones, marking them. */
static bool take_next(demands *d, st_taken *taken) {
    uint32_t position = d->equal_count;
    bool any = false;
    if (position == d->index->column_count) return false;
    for (uint32_t i = 0; i < d->count; i++) {
        const st_test *test = d->tests[i];
        if (test->op != STRATA_BEGINS_WITH || !is_plain(d, test, position)) continue;
        taken[i] = ST_TAKEN_EXACTLY;
        if (test->demand.op == STRATA_FALSE) d->nothing = true;
        else d->next.prefix = &test->node->values[0].as.bytes;
        return true;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        if (!is_plain(d, d->tests[i], position) || !take_bounds(d, d->tests[i])) continue;
        taken[i] = ST_TAKEN_EXACTLY;
        any = true;
    }
    if (d->next.low != NULL && d->next.high != NULL && compare_values(&d->low, &d->high) > 0) d->nothing = true;
    return any;
}

/* ---- The whole -------------------------------------------------------- */

static int by_low(const void *a, const void *b) {
    return st_compare(((const st_posting_range *)a)->low, ((const st_posting_range *)b)->low);
}

/* One range for every combination of equal values; equal ones of an IN make equal ranges, which are dropped. */
static bool make_ranges(demands *d, st_compound *out, uint32_t *inexact) {
    st_query *query = d->query;
    strata_value equal[STRATA_MAX_INDEX_COLUMNS];
    out->ranges = st_arena_alloc(&query->memory, (d->range_count + 1) * sizeof *out->ranges);
    if (out->ranges == NULL) return out_of_memory(query);
    d->next.equal = equal;
    d->next.equal_count = d->equal_count;
    for (size_t combination = 0; combination < d->range_count; combination++) {
        size_t rest = combination;
        uint32_t bits;
        for (uint32_t i = 0; i < d->equal_count; i++) {
            equal[i] = d->equal[i].values[rest % d->equal[i].count];
            rest /= d->equal[i].count;
        }
        if (!st_index_range(&query->memory, query->table, d->index, &d->next, &out->ranges[combination], &bits))
            return out_of_memory(query);
        *inexact |= bits;
    }
    if (d->range_count > 1) qsort(out->ranges, d->range_count, sizeof *out->ranges, by_low);
    for (size_t i = 0; i < d->range_count; i++) {
        if (i > 0 && by_low(&out->ranges[i - 1], &out->ranges[i]) == 0) continue;
        out->ranges[out->range_count++] = out->ranges[i];
    }
    return true;
}

bool st_compound_ranges(st_query *query, const st_index *index, st_test *const *tests, uint32_t count,
                        st_compound *out) {
    demands d = { .query = query, .tests = tests, .count = count, .index = index, .range_count = 1 };
    uint32_t inexact = 0;
    *out = (st_compound){ .index = index, .taken_count = count };
    out->taken = st_arena_alloc(&query->memory, (count + 1) * sizeof *out->taken);
    if (out->taken == NULL) return out_of_memory(query);
    for (uint32_t i = 0; i < count; i++) out->taken[i] = ST_NOT_TAKEN;
    while (d.equal_count < index->column_count && take_equal(&d)) continue;
    bool next = take_next(&d, out->taken);
    if (query->status != STRATA_OK || (d.equal_count == 0 && !next)) return false;
    for (; out->equal < d.equal_count && d.equal[out->equal].count == 1; out->equal++)
        out->values[out->equal] = d.equal[out->equal].values[0];
    out->columns = d.equal_count + next;
    if (d.nothing) d.range_count = 0;
    if (!make_ranges(&d, out, &inexact)) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position = d.equal_count; /* that of a test which is taken already */
        for (uint32_t k = 0; k < d.equal_count; k++)
            if (d.equal[k].test == tests[i]) position = k, out->taken[i] = ST_TAKEN_EXACTLY;
        if (out->taken[i] != ST_NOT_TAKEN && (inexact >> position & 1) != 0) out->taken[i] = ST_TAKEN;
    }
    return true;
}
