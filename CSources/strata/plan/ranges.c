/* SPDX-License-Identifier: MIT
 * ranges.c -- comparisons as ranges of an index. */
#include "plan/ranges.h"


#include "base/arena.h"
#include "base/sort.h"
#include "value/key.h"
#include "value/mixed.h"
#include "value/mixed_order.h"
#include "value/operator.h"

/* ---- Bounds ----------------------------------------------------------- */

static int compare_bounds(strata_bytes a, uint64_t a_key, strata_bytes b, uint64_t b_key) {
    int order = st_compare(a, b);
    return order != 0 ? order : a_key < b_key ? -1 : a_key > b_key;
}

/* Is there nothing between the bounds of a range? */
static bool is_empty(const st_posting_range *range) {
    return range->low.data != NULL && range->high.data != NULL &&
           compare_bounds(range->low, range->low_key, range->high, range->high_key) >= 0;
}

/* Copies bytes to the memory of the query. */
static bool copy_bytes(st_query *query, const void *bytes, size_t size, strata_bytes *out) {
    uint8_t *copy = st_arena_alloc(&query->memory, size == 0 ? 1 : size);
    if (copy == NULL) {
        return st_query_no_memory(query, "planning a query");
    }
    if (size != 0) memcpy(copy, bytes, size);
    *out = (strata_bytes){ copy, size };
    return true;
}

static bool copy_key(st_query *query, const st_index_probe *probe, const strata_value *value, strata_bytes *out,
                       bool *truncated) {
    st_key key;
    st_key_encode(&query->view->hash_key, probe->column->type, probe->field.nullable, value, &key);
    *truncated = key.truncated;
    return copy_bytes(query, key.bytes, key.size, out);
}

/* The least bytes that come behind all bytes which begin with `begin`; NULL if there are none. */
static bool copy_successor(st_query *query, strata_bytes begin, strata_bytes *out) {
    if (!copy_bytes(query, begin.data, begin.size, out)) return false;
    uint8_t *p = (uint8_t *)(uintptr_t)out->data;
    while (out->size > 0 && p[out->size - 1] == 255) out->size--;
    if (out->size == 0) *out = (strata_bytes){ NULL, 0 };
    else p[out->size - 1]++;
    return true;
}

/* The bound behind the nulls, if there can be any: the keys of all other values begin with 1. */
static bool copy_not_null(st_query *query, const st_index_probe *probe, strata_bytes *out) {
    *out = (strata_bytes){ NULL, 0 };
    return !probe->field.nullable || copy_bytes(query, "\1", 1, out);
}

static bool make_ranges(st_query *query, size_t count, st_index_match *out) {
    out->ranges = st_arena_alloc(&query->memory, (count == 0 ? 1 : count) * sizeof *out->ranges);
    out->range_count = count;
    if (out->ranges == NULL) (void)st_query_no_memory(query, "planning a query");
    return out->ranges != NULL;
}

/* ---- One value or several --------------------------------------------- */

static bool add_point(st_query *query, const st_index_probe *probe, const strata_value *value, st_index_match *out) {
    strata_bytes bytes;
    bool truncated;
    if (probe->column->type == STRATA_LINK) { /* in an index of links, values are plain object keys */
        uint8_t key[8];
        st_store_big64(key, value->as.link);
        if (!copy_bytes(query, key, 8, &bytes)) return false;
    } else {
        if (!copy_key(query, probe, value, &bytes, &truncated)) return false;
        if (truncated) out->exact = false;
    }
    out->ranges[out->range_count++] = st_posting_range_of(bytes);
    return true;
}

static bool points_of(st_query *query, const st_index_probe *probe, st_index_match *out) {
    const strata_node *node = probe->node;
    if (!make_ranges(query, node->value_count, out)) return false;
    out->range_count = 0;
    out->points = true;
    for (uint32_t i = 0; i < node->value_count; i++) {
        const strata_value *value = node->values + i;
        bool link = probe->column->type == STRATA_LINK;
        if (value->type == STRATA_NULL && link) return false; /* an index of links has no nulls */
        if (value->type == STRATA_NULL && !probe->field.nullable) continue;
        if (probe->column->type == STRATA_DATE && value->type == STRATA_DATE && value->as.real != value->as.real) {
            continue; /* NaN equals nothing */
        }
        if (!add_point(query, probe, value, out)) return false;
    }
    out->range_count = st_ranges_distinct(out->ranges, out->range_count);
    return true;
}

/* ---- From one bound to another ---------------------------------------- */

/* A bound of the comparison, as a value of the kind that the column holds. */
static strata_value number_value(const st_index_probe *probe, bool high) {
    const st_comparison *c = probe->comparison;
    if (c->kind == ST_KIND_INT) return strata_int(high ? c->high : c->low);
    return strata_date(high ? c->real_high : c->real_low);
}

static bool number_range(st_query *query, const st_index_probe *probe, st_posting_range *out) {
    bool truncated;
    strata_value low = number_value(probe, false), high = number_value(probe, true);
    return copy_key(query, probe, &low, &out->low, &truncated) &&
           copy_key(query, probe, &high, &out->high, &truncated);
}

/* For a long string an index has its first bytes and a hash. So a bound is put before or behind all strings that begin
 * like it, and the rows are looked at. `bytes` ends with 0 1 and the hash. */
static bool bound_of_long(st_query *query, strata_bytes bytes, bool high, strata_bytes *out) {
    strata_bytes begin = { bytes.data, bytes.size - 8 };
    if (!high) {
        *out = begin;
        return true;
    }
    return copy_successor(query, begin, out);
}

static bool bytes_range(st_query *query, const st_index_probe *probe, st_posting_range *out, bool *exact) {
    strata_bytes bytes;
    bool truncated;
    strata_operator op = probe->comparison->op;
    if (!copy_key(query, probe, probe->node->values, &bytes, &truncated)) return false;
    if (truncated) *exact = false;
    if (op == STRATA_GREATER || op == STRATA_GREATER_EQUAL) {
        if (truncated) return bound_of_long(query, bytes, false, &out->low);
        out->low = bytes;
        if (op == STRATA_GREATER) out->low_key = UINT64_MAX;
        return true;
    }
    if (!copy_not_null(query, probe, &out->low)) return false;
    if (truncated) {
        out->high_key = 0;
        return bound_of_long(query, bytes, true, &out->high);
    }
    out->high = bytes;
    out->high_key = op == STRATA_LESS ? 0 : UINT64_MAX;
    return true;
}

static bool prefix_range(st_query *query, const st_index_probe *probe, st_posting_range *out, bool *exact) {
    strata_bytes bytes;
    bool truncated;
    if (!copy_key(query, probe, probe->node->values, &bytes, &truncated)) return false;
    if (truncated) {
        *exact = false;
        bytes.size -= 8; /* the hash: what stands before it is the beginning of all strings that begin so */
    } else {
        bytes.size -= 2; /* the end of the string */
    }
    out->low = bytes;
    out->high_key = 0;
    return copy_successor(query, bytes, &out->high);
}

/* Mixed values compare only with values of their own group, with which their keys begin. */
static bool mixed_range(st_query *query, const st_index_probe *probe, st_index_match *out) {
    const strata_value *low = probe->node->values, *high = low;
    strata_operator op = probe->comparison->op;
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
    if (!copy_bytes(query, &group, 1, &range->low) || !copy_bytes(query, &next, 1, &range->high)) return false;
    if (from) {
        if (!copy_key(query, probe, low, &range->low, &truncated)) return false;
        if (truncated) out->exact = false;
        if (truncated) (void)bound_of_long(query, range->low, false, &range->low);
        else if (op == STRATA_GREATER) range->low_key = UINT64_MAX;
    }
    if (!to) return true;
    if (!copy_key(query, probe, high, &range->high, &truncated)) return false;
    if (truncated) out->exact = false;
    if (truncated) return bound_of_long(query, range->high, true, &range->high);
    range->high_key = op == STRATA_LESS ? 0 : UINT64_MAX;
    return true;
}

/* ---- The whole -------------------------------------------------------- */

static bool one_range(st_query *query, const st_index_probe *probe, st_index_match *out) {
    if (!make_ranges(query, 1, out)) return false;
    st_posting_range *range = out->ranges;
    *range = (st_posting_range){ .high_key = UINT64_MAX };
    const st_comparison *c = probe->comparison;
    if (c->kind == ST_KIND_MIXED) return mixed_range(query, probe, out);
    if (c->kind == ST_KIND_BYTES) {
        return c->op == STRATA_BEGINS_WITH ? prefix_range(query, probe, range, &out->exact)
                                           : bytes_range(query, probe, range, &out->exact);
    }
    bool any = c->kind == ST_KIND_INT ? c->low <= c->high : c->real_low <= c->real_high;
    if (any) return number_range(query, probe, range);
    out->range_count = 0;
    return true;
}

/* The ranges of what meets the comparison before it is negated. */
static bool positive_ranges(st_query *query, const st_index_probe *probe, st_index_match *out) {
    if (st_is_equality(probe->node->op)) return points_of(query, probe, out);
    if (probe->comparison->op == STRATA_FALSE) return true; /* it holds for nothing: there is no range */
    if (!one_range(query, probe, out)) return false;
    if (out->range_count == 1 && is_empty(out->ranges)) out->range_count = 0; /* BETWEEN 2 and 1 */
    return true;
}

/* Does the range begin at the least key there can be, such as that of a null? */
static bool is_least(const st_posting_range *range) {
    const uint8_t *low = range->low.data;
    for (size_t i = 0; i < range->low.size; i++) {
        if (low[i] != 0) return false;
    }
    return range->low_key == 0;
}

/* Replaces the ranges by what lies before, between and behind them. That is not possible if they are not exact, as with
 * long strings. */
static bool invert(st_query *query, st_index_match *match) {
    const st_posting_range *ranges = match->ranges;
    size_t count = match->range_count;
    if (!match->exact || !make_ranges(query, count + 1, match)) return false;
    st_posting_range next = { .high_key = UINT64_MAX };
    match->range_count = 0;
    match->points = false;
    for (size_t i = 0; i < count; i++) {
        next.high = ranges[i].low;
        next.high_key = ranges[i].low_key;
        if (next.high.data != NULL && !(i == 0 && is_least(ranges))) match->ranges[match->range_count++] = next;
        next = (st_posting_range){ .low = ranges[i].high, .low_key = ranges[i].high_key, .high_key = UINT64_MAX };
        if (next.low.data == NULL) return true;
    }
    match->ranges[match->range_count++] = next;
    return true;
}

bool st_ranges_of(st_query *query, const st_index_probe *probe, st_index_match *out) {
    *out = (st_index_match){ .exact = true };
    const st_column *column = probe->column;
    const st_comparison *c = probe->comparison;
    strata_operator op = probe->node->op;
    if (c->fold || op == STRATA_ENDS_WITH || op == STRATA_CONTAINS || op > STRATA_BETWEEN) return false;
    if (op == STRATA_BEGINS_WITH && c->kind == ST_KIND_MIXED) return false; /* strings and data stand apart */
    bool link = column->type == STRATA_LINK;
    if (link ? column->link_id == 0 : column->index_id == 0 || column->collection != STRATA_SINGLE) return false;
    out->set = link ? (st_posting_set){ ST_LINKS, column->link_id } : (st_posting_set){ ST_INDEX, column->index_id };
    out->copies = link && column->collection != STRATA_SINGLE;
    bool inverted = c->negate != probe->opposite;
    if (inverted && link) return false; /* an index of links has no nulls */
    return positive_ranges(query, probe, out) && (!inverted || invert(query, out));
}

/* ---- Lists of ranges -------------------------------------------------- */

static int compare_lows(const st_posting_range *a, const st_posting_range *b) {
    if (a->low.data == NULL || b->low.data == NULL) return (int)(a->low.data != NULL) - (int)(b->low.data != NULL);
    return compare_bounds(a->low, a->low_key, b->low, b->low_key);
}

static int compare_highs(const st_posting_range *a, const st_posting_range *b) {
    if (a->high.data == NULL || b->high.data == NULL) return (int)(a->high.data == NULL) - (int)(b->high.data == NULL);
    return compare_bounds(a->high, a->high_key, b->high, b->high_key);
}

/* Do they overlap, or is there nothing between the end of `a` and the beginning of `b`? */
static bool touches(const st_posting_range *a, const st_posting_range *b) {
    return a->high.data == NULL || b->low.data == NULL || compare_bounds(a->high, a->high_key, b->low, b->low_key) >= 0;
}

size_t st_ranges_intersect(const st_posting_range *a, size_t a_count, const st_posting_range *b, size_t b_count,
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

static int by_low(const void *a, const void *b) {
    return st_compare(((const st_posting_range *)a)->low, ((const st_posting_range *)b)->low);
}

size_t st_ranges_distinct(st_posting_range *ranges, size_t count) {
    size_t distinct = 0;
    st_sort_array(ranges, count, sizeof *ranges, by_low);
    for (size_t i = 0; i < count; i++) {
        if (distinct != 0 && by_low(&ranges[distinct - 1], &ranges[i]) == 0) continue;
        ranges[distinct++] = ranges[i];
    }
    return distinct;
}

static int by_bounds(const void *a, const void *b) { return compare_lows(a, b); }

size_t st_ranges_union(st_posting_range *ranges, size_t count) {
    size_t kept = 0;
    st_sort_array(ranges, count, sizeof *ranges, by_bounds);
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
