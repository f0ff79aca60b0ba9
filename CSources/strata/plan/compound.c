/* SPDX-License-Identifier: MIT
 * compound.c -- comparisons as ranges of a compound index. */
#include "plan/compound.h"

#include "plan/ranges.h"
#include "write/index.h"

enum { MOST_RANGES = 256 }; /* with more, walking them does not pay */

/* The comparisons that are matched, and what they leave of the index. */
typedef struct builder {
    st_query *query;
    st_test *const *tests;
    uint32_t count;
    const st_index *index;
    struct {
        const strata_value *values; /* the column equals one of them */
        uint32_t count;
        const st_test *test;
    } equal[STRATA_MAX_INDEX_COLUMNS];
    uint32_t equal_count;
    size_t range_count;             /* how many combinations the values of `equal` have */
    bool nothing;                   /* no object can meet all comparisons */
    st_compound_probe next;        /* bounds of the column behind the equal ones */
    strata_value low, high;
} builder;

static bool no_memory(st_query *query) { return st_query_no_memory(query, "planning a query"); }

/* ---- Equality --------------------------------------------------------- */

/* Does the test compare the column at that position of the index with constants, neither folded nor negated? */
static bool is_plain(const builder *b, const st_test *test, uint32_t position) {
    if (test->op < STRATA_EQUAL || test->right != NULL) return false;
    if (test->comparison.negate || test->comparison.fold != 0) return false;
    return test->column == &b->query->table->columns[b->index->columns[position]];
}

static bool can_be(const st_test *test, const strata_value *value) {
    if (value->type == STRATA_NULL) return test->field.nullable || test->column->type == STRATA_LINK;
    return value->type != STRATA_DATE || value->as.real == value->as.real; /* NaN equals nothing */
}

/* Uses an equality, or else the shortest IN, of the next column. False if there is none that could be used. */
static bool use_equal(builder *b) {
    uint32_t position = b->equal_count;
    const st_test *best = NULL;
    for (uint32_t i = 0; i < b->count; i++) {
        const st_test *test = b->tests[i];
        if (test->op != STRATA_EQUAL && test->op != STRATA_IN) continue;
        if (!is_plain(b, test, position)) continue;
        if (best == NULL || test->node->value_count < best->node->value_count) best = test;
    }
    if (best == NULL || best->node->value_count * b->range_count > MOST_RANGES) return false;
    strata_value *values = st_arena_alloc(&b->query->memory, (best->node->value_count + 1) * sizeof *values);
    if (values == NULL) return no_memory(b->query);
    uint32_t count = 0;
    for (uint32_t i = 0; i < best->node->value_count; i++)
        if (can_be(best, &best->node->values[i])) values[count++] = best->node->values[i];
    b->equal[position].values = values;
    b->equal[position].count = count;
    b->equal[position].test = best;
    b->equal_count++;
    b->range_count *= count;
    if (count == 0) b->nothing = true;
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

static void raise_low(builder *b, const strata_value *low, bool open) {
    int order = b->next.low == NULL ? -1 : compare_values(&b->low, low);
    if (order > 0 || (order == 0 && b->next.low_open)) return;
    b->low = *low;
    b->next.low = &b->low;
    b->next.low_open = open;
}

static void lower_high(builder *b, const strata_value *high, bool open) {
    int order = b->next.high == NULL ? 1 : compare_values(&b->high, high);
    if (order < 0 || (order == 0 && b->next.high_open)) return;
    b->high = *high;
    b->next.high = &b->high;
    b->next.high_open = open;
}

static bool use_bounds(builder *b, const st_test *test) {
    const st_comparison *comparison = &test->comparison;
    strata_operator op = test->op;
    bool range = (op >= STRATA_LESS && op <= STRATA_GREATER_EQUAL) || op == STRATA_BETWEEN;
    if (!range) return false;
    if (comparison->op == STRATA_FALSE) {
        b->nothing = true;
    } else if (comparison->kind == ST_KIND_INT || comparison->kind == ST_KIND_REAL) {
        bool ints = comparison->kind == ST_KIND_INT;
        strata_value low = ints ? strata_int(comparison->low) : strata_date(comparison->real_low);
        strata_value high = ints ? strata_int(comparison->high) : strata_date(comparison->real_high);
        raise_low(b, &low, false);
        lower_high(b, &high, false);
    } else {
        const strata_value *values = test->node->values;
        bool from = op == STRATA_GREATER || op == STRATA_GREATER_EQUAL || op == STRATA_BETWEEN;
        if (from) raise_low(b, values, op == STRATA_GREATER);
        if (op == STRATA_BETWEEN) lower_high(b, values + 1, false);
        else if (!from) lower_high(b, values, op == STRATA_LESS);
    }
    return true;
}

/* Uses a prefix, or else all bounds, of the column behind the equal ones, and notes which tests these are. */
static bool use_next(builder *b, st_test_use *uses) {
    uint32_t position = b->equal_count;
    bool any = false;
    if (position == b->index->column_count) return false;
    for (uint32_t i = 0; i < b->count; i++) {
        const st_test *test = b->tests[i];
        if (test->op != STRATA_BEGINS_WITH || !is_plain(b, test, position)) continue;
        uses[i] = ST_USED_EXACTLY;
        if (test->comparison.op == STRATA_FALSE) b->nothing = true;
        else b->next.prefix = &test->node->values[0].as.bytes;
        return true;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        if (!is_plain(b, b->tests[i], position) || !use_bounds(b, b->tests[i])) continue;
        uses[i] = ST_USED_EXACTLY;
        any = true;
    }
    if (b->next.low != NULL && b->next.high != NULL && compare_values(&b->low, &b->high) > 0) b->nothing = true;
    return any;
}

/* ---- The whole -------------------------------------------------------- */

/* One range for every combination of equal values. Values that an IN has twice make the same range twice, which is
 * dropped here. */
static bool make_ranges(builder *b, st_compound *out, uint32_t *inexact) {
    st_query *query = b->query;
    strata_value equal[STRATA_MAX_INDEX_COLUMNS];
    out->ranges = st_arena_alloc(&query->memory, (b->range_count + 1) * sizeof *out->ranges);
    if (out->ranges == NULL) return no_memory(query);
    b->next.equal = equal;
    b->next.equal_count = b->equal_count;
    for (size_t combination = 0; combination < b->range_count; combination++) {
        size_t rest = combination;
        uint32_t bits;
        for (uint32_t i = 0; i < b->equal_count; i++) {
            equal[i] = b->equal[i].values[rest % b->equal[i].count];
            rest /= b->equal[i].count;
        }
        if (!st_index_range(&query->memory, &query->view->hash_key, query->table, b->index, &b->next,
                            &out->ranges[combination], &bits))
            return no_memory(query);
        *inexact |= bits;
    }
    out->range_count = st_ranges_distinct(out->ranges, b->range_count);
    return true;
}

bool st_compound_ranges(st_query *query, const st_index *index, st_test *const *tests, uint32_t count,
                        st_compound *out) {
    builder b = { .query = query, .tests = tests, .count = count, .index = index, .range_count = 1 };
    uint32_t inexact = 0;
    *out = (st_compound){ .index = index, .use_count = count };
    out->uses = st_arena_alloc(&query->memory, (count + 1) * sizeof *out->uses);
    if (out->uses == NULL) return no_memory(query);
    for (uint32_t i = 0; i < count; i++) out->uses[i] = ST_UNUSED;
    while (b.equal_count < index->column_count && use_equal(&b)) continue;
    bool next = use_next(&b, out->uses);
    if (query->status != STRATA_OK || (b.equal_count == 0 && !next)) return false;
    for (; out->equal < b.equal_count && b.equal[out->equal].count == 1; out->equal++)
        out->values[out->equal] = b.equal[out->equal].values[0];
    out->columns = b.equal_count + next;
    if (b.nothing) b.range_count = 0;
    if (!make_ranges(&b, out, &inexact)) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position = b.equal_count; /* tests that are used already are of this column */
        for (uint32_t k = 0; k < b.equal_count; k++)
            if (b.equal[k].test == tests[i]) position = k, out->uses[i] = ST_USED_EXACTLY;
        if (out->uses[i] != ST_UNUSED && (inexact >> position & 1) != 0) out->uses[i] = ST_USED;
    }
    return true;
}
