/* SPDX-License-Identifier: MIT
 * ranges.c -- comparisons as ranges of an index. */
#include <stdlib.h>

#include "base/status.h"
#include "value/mixed.h"
#include "plan/access.h"
#include "value/mixed_order.h"

/* ---- Bounds ----------------------------------------------------------- */

static int compare_bounds(strata_bytes a, uint64_t a_key, strata_bytes b, uint64_t b_key) {
    int order = st_compare(a, b);
    return order != 0 ? order : a_key < b_key ? -1 : a_key > b_key;
}

/* Does nothing lie between the bounds of a range? */
static bool is_empty(const st_posting_range *range) {
    return range->low.data != NULL && range->high.data != NULL &&
           compare_bounds(range->low, range->low_key, range->high, range->high_key) >= 0;
}

/* Copies a bound to the query's memory. */
static bool keep(st_query *query, const void *bytes, size_t size, strata_bytes *out) {
    uint8_t *copy = st_arena_alloc(&query->memory, size == 0 ? 1 : size);
    if (copy == NULL) {
        st_query_fail(query, st_no_memory(query->error, "planning a query"));
        return false;
    }
    if (size != 0) memcpy(copy, bytes, size);
    *out = (strata_bytes){ copy, size };
    return true;
}

static bool keep_value(st_query *query, const st_asked *asked, const strata_value *value, strata_bytes *out,
                       bool *truncated) {
    st_key key;
    st_key_encode(asked->column->type, asked->field.nullable, value, &key);
    *truncated = key.truncated;
    return keep(query, key.bytes, key.size, out);
}

/* The bytes behind all those that begin with some bytes. */
static bool keep_behind(st_query *query, strata_bytes begin, strata_bytes *out) {
    if (!keep(query, begin.data, begin.size, out)) return false;
    uint8_t *p = (uint8_t *)(uintptr_t)out->data;
    while (out->size > 0 && p[out->size - 1] == 255) out->size--;
    if (out->size == 0) *out = (strata_bytes){ NULL, 0 };
    else p[out->size - 1]++;
    return true;
}

/* Behind the nulls, if there can be any: every other value begins with 1. */
static bool keep_not_null(st_query *query, const st_asked *asked, strata_bytes *out) {
    *out = (strata_bytes){ NULL, 0 };
    return !asked->field.nullable || keep(query, "\1", 1, out);
}

static bool make_ranges(st_query *query, size_t count, st_served *out) {
    out->ranges = st_arena_alloc(&query->memory, (count == 0 ? 1 : count) * sizeof *out->ranges);
    out->range_count = count;
    if (out->ranges == NULL) st_query_fail(query, st_no_memory(query->error, "planning a query"));
    return out->ranges != NULL;
}

static int by_low(const void *a, const void *b) {
    return st_compare(((const st_posting_range *)a)->low, ((const st_posting_range *)b)->low);
}

/* ---- One value or several --------------------------------------------- */

static bool add_point(st_query *query, const st_asked *asked, const strata_value *value, st_served *out) {
    strata_bytes bytes;
    bool truncated;
    if (asked->column->type == STRATA_LINK) { /* a link index has plain keys */
        uint8_t key[8];
        st_store_big64(key, value->as.link);
        if (!keep(query, key, 8, &bytes)) return false;
    } else {
        if (!keep_value(query, asked, value, &bytes, &truncated)) return false;
        if (truncated) out->exact = false;
    }
    out->ranges[out->range_count++] = st_posting_range_of(bytes);
    return true;
}

static bool points_of(st_query *query, const st_asked *asked, st_served *out) {
    const strata_node *node = asked->node;
    if (!make_ranges(query, node->value_count, out)) return false;
    out->range_count = 0;
    out->points = true;
    for (uint32_t i = 0; i < node->value_count; i++) {
        const strata_value *value = node->values + i;
        bool link = asked->column->type == STRATA_LINK;
        if (value->type == STRATA_NULL && link) return false; /* no index has them */
        if (value->type == STRATA_NULL && !asked->field.nullable) continue;
        if (asked->column->type == STRATA_DATE && value->type == STRATA_DATE && value->as.real != value->as.real) {
            continue; /* NaN equals nothing */
        }
        if (!add_point(query, asked, value, out)) return false;
    }
    if (out->range_count > 1) qsort(out->ranges, out->range_count, sizeof *out->ranges, by_low);
    size_t kept = 0;
    for (size_t i = 0; i < out->range_count; i++) {
        if (kept != 0 && st_compare(out->ranges[kept - 1].low, out->ranges[i].low) == 0) continue;
        out->ranges[kept++] = out->ranges[i];
    }
    out->range_count = kept;
    return true;
}

/* ---- From one bound to another ---------------------------------------- */

/* A number of the type that the column holds. */
static strata_value number_value(const st_asked *asked, bool high) {
    const st_demand *d = asked->demand;
    if (d->kind == ST_KIND_INT) return strata_int(high ? d->high : d->low);
    return strata_date(high ? d->real_high : d->real_low);
}

static bool number_range(st_query *query, const st_asked *asked, st_posting_range *out) {
    bool truncated;
    strata_value low = number_value(asked, false), high = number_value(asked, true);
    return keep_value(query, asked, &low, &out->low, &truncated) &&
           keep_value(query, asked, &high, &out->high, &truncated);
}

/* Of a long string an index knows the first bytes and a hash, so that a bound goes round all strings that begin like
 * it, and the rows decide. `bytes` ends with 0 1 and the hash. */
static bool bound_of_long(st_query *query, strata_bytes bytes, bool high, strata_bytes *out) {
    strata_bytes begin = { bytes.data, bytes.size - 8 };
    if (!high) {
        *out = begin;
        return true;
    }
    return keep_behind(query, begin, out);
}

static bool bytes_range(st_query *query, const st_asked *asked, st_posting_range *out, bool *exact) {
    strata_bytes bytes;
    bool truncated;
    strata_operator op = asked->demand->op;
    if (!keep_value(query, asked, asked->node->values, &bytes, &truncated)) return false;
    if (truncated) *exact = false;
    if (op == STRATA_GREATER || op == STRATA_GREATER_EQUAL) {
        if (truncated) return bound_of_long(query, bytes, false, &out->low);
        out->low = bytes;
        if (op == STRATA_GREATER) out->low_key = UINT64_MAX;
        return true;
    }
    if (!keep_not_null(query, asked, &out->low)) return false;
    if (truncated) {
        out->high_key = 0;
        return bound_of_long(query, bytes, true, &out->high);
    }
    out->high = bytes;
    out->high_key = op == STRATA_LESS ? 0 : UINT64_MAX;
    return true;
}

static bool prefix_range(st_query *query, const st_asked *asked, st_posting_range *out, bool *exact) {
    strata_bytes bytes;
    bool truncated;
    if (!keep_value(query, asked, asked->node->values, &bytes, &truncated)) return false;
    if (truncated) {
        *exact = false;
        bytes.size -= 8; /* the hash; strings that begin so have the same bytes before it */
    } else {
        bytes.size -= 2; /* the end of the string */
    }
    out->low = bytes;
    out->high_key = 0;
    return keep_behind(query, bytes, &out->high);
}

/* Of mixed values only those compare that are of the same group, which keys begin with. */
static bool mixed_range(st_query *query, const st_asked *asked, st_served *out) {
    const strata_value *low = asked->node->values, *high = low;
    strata_operator op = asked->demand->op;
    bool from = op == STRATA_GREATER || op == STRATA_GREATER_EQUAL || op == STRATA_BETWEEN, truncated;
    bool to = op == STRATA_LESS || op == STRATA_LESS_EQUAL || op == STRATA_BETWEEN;
    uint8_t group = st_mixed_group(low), next = (uint8_t)(group + 1);
    st_posting_range *range = out->ranges;
    if (op == STRATA_BETWEEN) high++;
    if (!st_mixed_alike(low, high)) {
        out->range_count = 0;
        return true;
    }
    range->high_key = 0;
    if (!keep(query, &group, 1, &range->low) || !keep(query, &next, 1, &range->high)) return false;
    if (from) {
        if (!keep_value(query, asked, low, &range->low, &truncated)) return false;
        if (truncated) out->exact = false;
        if (truncated) (void)bound_of_long(query, range->low, false, &range->low);
        else if (op == STRATA_GREATER) range->low_key = UINT64_MAX;
    }
    if (!to) return true;
    if (!keep_value(query, asked, high, &range->high, &truncated)) return false;
    if (truncated) out->exact = false;
    if (truncated) return bound_of_long(query, range->high, true, &range->high);
    range->high_key = op == STRATA_LESS ? 0 : UINT64_MAX;
    return true;
}

/* ---- The whole -------------------------------------------------------- */

static bool one_range(st_query *query, const st_asked *asked, st_served *out) {
    if (!make_ranges(query, 1, out)) return false;
    st_posting_range *range = out->ranges;
    *range = (st_posting_range){ .high_key = UINT64_MAX };
    const st_demand *d = asked->demand;
    if (d->kind == ST_KIND_MIXED) return mixed_range(query, asked, out);
    if (d->kind == ST_KIND_BYTES) {
        return d->op == STRATA_BEGINS_WITH ? prefix_range(query, asked, range, &out->exact)
                                           : bytes_range(query, asked, range, &out->exact);
    }
    bool any = d->kind == ST_KIND_INT ? d->low <= d->high : d->real_low <= d->real_high;
    if (any) return number_range(query, asked, range);
    out->range_count = 0;
    return true;
}

/* What meets the comparison without its negation. */
static bool positive_ranges(st_query *query, const st_asked *asked, st_served *out) {
    if (st_is_equality(asked->node->op)) return points_of(query, asked, out);
    if (asked->demand->op == STRATA_FALSE) return true; /* nothing meets it: no range */
    if (!one_range(query, asked, out)) return false;
    if (out->range_count == 1 && is_empty(out->ranges)) out->range_count = 0; /* BETWEEN the wrong way round */
    return true;
}

/* Such as a null: nothing has a key before one of zeros. */
static bool is_least(const st_posting_range *range) {
    const uint8_t *low = range->low.data;
    for (size_t i = 0; i < range->low.size; i++) {
        if (low[i] != 0) return false;
    }
    return range->low_key == 0;
}

/* What lies before, between and behind the ranges. Of long strings the index cannot say. */
static bool turn_round(st_query *query, st_served *served) {
    const st_posting_range *ranges = served->ranges;
    size_t count = served->range_count;
    if (!served->exact || !make_ranges(query, count + 1, served)) return false;
    st_posting_range next = { .high_key = UINT64_MAX };
    served->range_count = 0;
    served->points = false;
    for (size_t i = 0; i < count; i++) {
        next.high = ranges[i].low;
        next.high_key = ranges[i].low_key;
        if (next.high.data != NULL && !(i == 0 && is_least(ranges))) served->ranges[served->range_count++] = next;
        next = (st_posting_range){ .low = ranges[i].high, .low_key = ranges[i].high_key, .high_key = UINT64_MAX };
        if (next.low.data == NULL) return true;
    }
    served->ranges[served->range_count++] = next;
    return true;
}

bool st_ranges_of(st_query *query, const st_asked *asked, st_served *out) {
    *out = (st_served){ .exact = true };
    const st_column *column = asked->column;
    const st_demand *d = asked->demand;
    strata_operator op = asked->node->op;
    if (d->fold || op == STRATA_ENDS_WITH || op == STRATA_CONTAINS || op > STRATA_BETWEEN) return false;
    if (op == STRATA_BEGINS_WITH && d->kind == ST_KIND_MIXED) return false; /* strings and data lie apart */
    bool link = column->type == STRATA_LINK;
    if (link ? column->link_id == 0 : column->index_id == 0 || column->collection != STRATA_SINGLE) return false;
    out->set = link ? (st_posting_set){ ST_LINKS, column->link_id } : (st_posting_set){ ST_INDEX, column->index_id };
    out->copies = link && column->collection != STRATA_SINGLE;
    bool turned = d->negate != asked->opposite;
    if (turned && link) return false; /* the index has no nulls */
    return positive_ranges(query, asked, out) && (!turned || turn_round(query, out));
}

/* ---- Ranges and ranges ------------------------------------------------ */

static int compare_lows(const st_posting_range *a, const st_posting_range *b) {
    if (a->low.data == NULL || b->low.data == NULL) return (int)(a->low.data != NULL) - (int)(b->low.data != NULL);
    return compare_bounds(a->low, a->low_key, b->low, b->low_key);
}

static int compare_highs(const st_posting_range *a, const st_posting_range *b) {
    if (a->high.data == NULL || b->high.data == NULL) return (int)(a->high.data == NULL) - (int)(b->high.data == NULL);
    return compare_bounds(a->high, a->high_key, b->high, b->high_key);
}

/* Is there nothing between the end of `a` and the beginning of `b`, or do they overlap? */
static bool touches(const st_posting_range *a, const st_posting_range *b) {
    return a->high.data == NULL || b->low.data == NULL || compare_bounds(a->high, a->high_key, b->low, b->low_key) >= 0;
}

size_t st_ranges_meet(const st_posting_range *a, size_t a_count, const st_posting_range *b, size_t b_count,
                      st_posting_range *out) {
    size_t count = 0;
    for (size_t i = 0, k = 0; i < a_count && k < b_count;) {
        const st_posting_range *low = compare_lows(&a[i], &b[k]) > 0 ? &a[i] : &b[k];
        const st_posting_range *high = compare_highs(&a[i], &b[k]) < 0 ? &a[i] : &b[k];
        st_posting_range both = { low->low, high->high, low->low_key, high->high_key };
        if (!is_empty(&both)) out[count++] = both;
        if (high == &a[i]) i++;
        else k++;
    }
    return count;
}

static int by_bounds(const void *a, const void *b) { return compare_lows(a, b); }

size_t st_ranges_unite(st_posting_range *ranges, size_t count) {
    size_t kept = 0;
    if (count > 1) qsort(ranges, count, sizeof *ranges, by_bounds);
    for (size_t i = 0; i < count; i++) {
        st_posting_range *last = kept == 0 ? NULL : &ranges[kept - 1];
        if (last == NULL || !touches(last, &ranges[i])) {
            ranges[kept++] = ranges[i];
        } else if (compare_highs(last, &ranges[i]) < 0) {
            last->high = ranges[i].high;
            last->high_key = ranges[i].high_key;
        }
    }
    return kept;
}
