/* SPDX-License-Identifier: MIT
 * groups.c -- groups of rows that agree in their keys, and measures of each group. */
#include "query/groups.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/status.h"
#include "value/mixed.h"
#include "value/mixed_order.h"

static strata_status no_memory(st_query *query) { return st_no_memory(query->error, "grouping a result"); }

static bool fail_no_memory(st_groups *g) {
    st_query_fail(g->query, no_memory(g->query));
    return false;
}

/* ---- Groups ----------------------------------------------------------- */

static bool is_of_rows(const st_key_reader *measured) { return measured->column == NULL; }

static bool grow(void **items, size_t *capacity, size_t used, size_t more, size_t size) {
    while (*capacity - used < more) {
        if (!st_array_grow(items, capacity, *capacity, size)) return false;
    }
    return true;
}

/* Adds an empty group. `measures` are given for the first one; others are made like it. */
static bool add_group(st_groups *g, const strata_measure *measures) {
    void *values = g->values, *totals = g->totals;
    bool done = grow(&values, &g->value_capacity, g->count * g->key_count, g->key_count, sizeof *g->values) &&
                grow(&totals, &g->total_capacity, g->count * g->measure_count, g->measure_count, sizeof *g->totals);
    g->values = values;
    g->totals = totals;
    if (!done) return fail_no_memory(g);
    st_total *total = g->totals + g->count * g->measure_count;
    for (uint32_t i = 0; i < g->measure_count; i++, total++) {
        if (measures != NULL) {
            *total = st_total_begin(is_of_rows(&g->measured[i]) ? STRATA_NULL : g->measured[i].column->type,
                                    measures[i].aggregate);
        } else {
            *total = st_total_begin(g->totals[i].type, g->totals[i].aggregate);
        }
    }
    g->count++;
    return true;
}

static strata_status make_measure(st_query *query, const strata_measure *measure, st_key_reader *out) {
    *out = (st_key_reader){ 0 };
    if (measure->aggregate == STRATA_COUNT && measure->path_length == 0) return STRATA_OK;
    strata_status status = st_key_reader_make(query, "measure", measure->path, measure->path_length,
                                              ST_KEY_READER_LINKS, out);
    if (status != STRATA_OK || st_total_fits(out->column->type, measure->aggregate)) return status;
    static const char *const names[] = { "measure", "count", "minimum", "maximum", "sum", "average" };
    uint32_t name = (uint32_t)measure->aggregate;
    return st_fail(query->error, STRATA_TYPE, 0, "%s of %s holds %s values, which have no %s", out->column->name,
                   query->table->name, st_type_name(out->column->type), names[name <= STRATA_AVERAGE ? name : 0]);
}

strata_status st_groups_begin(st_groups *g, st_query *query, const strata_sort *keys, uint32_t key_count,
                             const strata_measure *measures, uint32_t measure_count) {
    *g = (st_groups){ .query = query, .key_count = key_count, .measure_count = measure_count, .most = SIZE_MAX,
                      .most_bytes = SIZE_MAX };
    if ((key_count != 0 && keys == NULL) || (measure_count != 0 && measures == NULL)) {
        return st_fail(query->error, STRATA_MISUSE, 0, "groups of %s have keys or measures without an address",
                       query->table->name);
    }
    if (key_count > STRATA_MAX_SORT_KEYS || measure_count > STRATA_MAX_SORT_KEYS) {
        return st_fail(query->error, STRATA_MISUSE, 0, "groups of %s have %u keys and %u measures; there may be %d of "
                       "each", query->table->name, key_count, measure_count, STRATA_MAX_SORT_KEYS);
    }
    g->keys = st_arena_alloc(&g->memory, (key_count + 1) * sizeof *g->keys);
    g->measured = st_arena_alloc(&g->memory, (measure_count + 1) * sizeof *g->measured);
    if (g->keys == NULL || g->measured == NULL) return no_memory(query);
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < key_count && status == STRATA_OK; i++) {
        status = st_key_reader_make(query, "group", keys[i].path, keys[i].path_length, ST_KEY_READER_LINKS,
                                    &g->keys[i]);
    }
    for (uint32_t i = 0; i < measure_count && status == STRATA_OK; i++) {
        status = make_measure(query, &measures[i], &g->measured[i]);
    }
    if (status != STRATA_OK) return status;
    st_distinct_set_begin(&g->distinct, query, g->keys, key_count);
    if (!add_group(g, measures)) return query->status; /* with keys it is only the model of others */
    if (key_count != 0) g->count = 0;
    return STRATA_OK;
}

void st_groups_free(st_groups *g) {
    st_distinct_set_free(&g->distinct);
    st_arena_free(&g->bytes);
    st_arena_free(&g->memory);
    free(g->values);
    free(g->totals);
    *g = (st_groups){ 0 };
}

bool st_groups_visits(const st_groups *g) {
    for (uint32_t i = 0; i < g->measure_count; i++) {
        if (!is_of_rows(&g->measured[i])) return true;
    }
    return g->key_count != 0;
}

/* ---- Rows ------------------------------------------------------------- */

static bool has_bytes(strata_type type) {
    return type == STRATA_STRING || type == STRATA_DATA || type == STRATA_NESTED;
}

/* Copies the values of the keys of a row, the first one of its group. */
static bool copy_values(st_groups *g, const st_stored_row *row, strata_value *values) {
    for (uint32_t i = 0; i < g->key_count; i++) {
        uint32_t slot = 0;
        values[i] = strata_null();
        if (st_key_reader_find(g->query, &g->keys[i], row, &slot) != ST_READ_VALUE) continue;
        if (!st_key_reader_value(g->query, &g->keys[i], slot, &values[i])) return false;
        if (!has_bytes(values[i].type)) continue;
        strata_bytes bytes = values[i].as.bytes;
        uint8_t *copy = st_arena_alloc(&g->bytes, bytes.size == 0 ? 1 : bytes.size);
        if (copy == NULL) return fail_no_memory(g);
        if (bytes.size != 0) memcpy(copy, bytes.data, bytes.size);
        values[i].as.bytes.data = copy;
        g->byte_count += bytes.size;
    }
    return true;
}

static void add_measure(st_groups *g, const st_stored_row *row, uint32_t measure, st_total *total) {
    st_key_reader *measured = &g->measured[measure];
    uint32_t slot = 0;
    if (is_of_rows(measured)) {
        total->count++;
        return;
    }
    if (st_key_reader_find(g->query, measured, row, &slot) != ST_READ_VALUE) return;
    if (total->aggregate == STRATA_COUNT) {
        total->count++;
    } else if (measured->kind == ST_KIND_INT) {
        st_total_add_int(total, st_vector_int(&measured->vector, slot));
    } else if (measured->kind == ST_KIND_REAL && total->aggregate >= STRATA_SUM) {
        total->real += st_vector_real(&measured->vector, slot);
        total->count++;
    } else {
        strata_value value;
        if (st_key_reader_value(g->query, measured, slot, &value)) st_total_add(total, &value);
    }
}

/* Adds the number of the first key to the histogram. */
static void add_number(st_groups *g, const st_stored_row *row) {
    uint32_t slot = 0;
    if (st_key_reader_find(g->query, g->keys, row, &slot) != ST_READ_VALUE) return;
    st_histogram_add(g->histogram, st_key_reader_number(g->keys, slot), 1);
}

/* Forgets all groups, of which there are too many. */
static void forget(st_groups *g) {
    st_distinct_set_free(&g->distinct);
    st_arena_free(&g->bytes);
    free(g->values);
    free(g->totals);
    g->values = NULL;
    g->totals = NULL;
    g->count = g->value_capacity = g->total_capacity = g->byte_count = 0;
    g->too_many = true;
}

void st_groups_add(st_groups *g, const st_stored_row *row) {
    uint32_t number = 0;
    bool is_new = false;
    if (g->histogram != NULL) add_number(g, row);
    if (g->too_many) return;
    if (g->key_count != 0) {
        if (!st_distinct_set_find(&g->distinct, row, true, &number, &is_new)) return;
        if (is_new && (g->count == g->most || g->byte_count > g->most_bytes)) {
            forget(g);
            return;
        }
        if (is_new && !add_group(g, NULL)) return;
        if (is_new && !copy_values(g, row, g->values + (size_t)number * g->key_count)) return;
    }
    st_total *totals = g->totals + (size_t)number * g->measure_count;
    for (uint32_t i = 0; i < g->measure_count; i++) add_measure(g, row, i, &totals[i]);
}

void st_groups_add_count(st_groups *g, uint64_t count) {
    for (uint32_t i = 0; i < g->measure_count; i++) g->totals[i].count += count;
}

/* ---- Blocks ----------------------------------------------------------- */

/* The sum of the rows that are kept: four sums side by side, whose additions do not wait for each other. */
static double sum_doubles(const uint8_t *values, const uint8_t *keep, uint32_t rows) {
    double sums[4] = { 0, 0, 0, 0 };
    uint32_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        double four[4];
        memcpy(four, values + 8 * (size_t)i, sizeof four);
        for (uint32_t k = 0; k < 4; k++) sums[k] += keep[i + k] != 0 ? four[k] : 0;
    }
    for (; i < rows; i++) {
        double one;
        memcpy(&one, values + 8 * (size_t)i, sizeof one);
        sums[0] += keep[i] != 0 ? one : 0;
    }
    return sums[0] + sums[1] + (sums[2] + sums[3]);
}

static double sum_floats(const uint8_t *values, const uint8_t *keep, uint32_t rows) {
    double sum = 0;
    for (uint32_t i = 0; i < rows; i++) {
        float one;
        memcpy(&one, values + 4 * (size_t)i, sizeof one);
        sum += keep[i] != 0 ? (double)one : 0;
    }
    return sum;
}

/* A block has too few rows for ints of 4 bytes to overflow. */
static inline int64_t sum_ints_of(const uint8_t *values, uint32_t width, const uint8_t *keep, uint32_t rows) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < rows; i++) {
        sum += strata_load_signed(values + (size_t)i * width, width) & (0 - (int64_t)keep[i]);
    }
    return sum;
}

/* The upper and the lower halves of the ints are added up apart, so that nothing overflows. */
static st_i128 sum_long_ints(const uint8_t *values, const uint8_t *keep, uint32_t rows) {
    int64_t high = 0, low = 0;
    for (uint32_t i = 0; i < rows; i++) {
        int64_t value = strata_load_signed(values + (size_t)i * 8, 8) & (0 - (int64_t)keep[i]);
        high += value >> 32;
        low += value & UINT32_MAX;
    }
    return (st_i128)high * (INT64_C(1) << 32) + low;
}

static st_i128 sum_ints(const st_vector *v, const uint8_t *keep) {
    switch (v->width) {
    case 1: return sum_ints_of(v->values, 1, keep, v->rows);
    case 2: return sum_ints_of(v->values, 2, keep, v->rows);
    case 4: return sum_ints_of(v->values, 4, keep, v->rows);
    default: return sum_long_ints(v->values, keep, v->rows);
    }
}

static uint64_t count_rows(const uint8_t *keep, uint32_t rows) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < rows; i++) count += keep[i];
    return count;
}

/* Finds the least or the greatest number of a block; only that one is read as a value. */
static void add_extreme(st_groups *g, const st_key_reader *measured, const uint8_t *keep, st_total *total) {
    uint64_t flip = total->aggregate == STRATA_MIN ? 0 : UINT64_MAX, best = 0;
    uint32_t found = UINT32_MAX;
    strata_value value;
    for (uint32_t i = 0; i < measured->vector.rows; i++) {
        uint64_t number = keep[i] == 0 ? UINT64_MAX : st_key_reader_number(measured, i) ^ flip;
        if (keep[i] == 0 || (found != UINT32_MAX && number >= best)) continue;
        best = number;
        found = i;
    }
    if (found != UINT32_MAX && st_key_reader_value(g->query, measured, found, &value)) st_total_add(total, &value);
}

static void add_sum(const st_vector *v, const uint8_t *keep, st_total *total) {
    if (v->packing == ST_PACK_DOUBLE) {
        total->real += sum_doubles(v->values, keep, v->rows);
    } else if (v->packing == ST_PACK_FLOAT) {
        total->real += sum_floats(v->values, keep, v->rows);
    } else {
        total->whole += sum_ints(v, keep);
    }
}

/* Adds the column of a block as a whole. False if its rows have to be added one by one, such as when there are
 * nulls. */
static bool add_vector(st_groups *g, const st_key_reader *measured, const uint8_t *keep, st_total *total) {
    const st_vector *v = &measured->vector;
    bool counts = total->aggregate == STRATA_COUNT;
    st_vector_prefetch(v);
    if (v->nulls != NULL || (v->values == NULL && v->nullable) || measured->column->type == STRATA_LINK) return false;
    if (!counts && measured->kind == ST_KIND_BYTES) return false;
    if (total->aggregate == STRATA_MIN || total->aggregate == STRATA_MAX) {
        add_extreme(g, measured, keep, total);
        return true;
    }
    if (!counts && v->values != NULL) add_sum(v, keep, total);
    total->count += count_rows(keep, v->rows);
    return true;
}

static void add_column(st_groups *g, uint32_t measure, const uint8_t *block, size_t size, const uint8_t *keep) {
    st_key_reader *measured = &g->measured[measure];
    st_total *total = &g->totals[measure];
    uint32_t rows = strata_block_rows(block);
    if (is_of_rows(measured)) {
        total->count += count_rows(keep, rows);
        return;
    }
    if (measured->path_length == 1 &&
        (!st_key_reader_open(g->query, measured, block, size) || add_vector(g, measured, keep, total))) {
        return;
    }
    st_stored_row row = { block, size, 0 };
    for (; row.slot < rows && g->query->status == STRATA_OK; row.slot++) {
        if (keep[row.slot] != 0) add_measure(g, &row, measure, total);
    }
}

void st_groups_add_block(st_groups *g, const uint8_t *block, size_t size, const uint8_t *keep) {
    if (g->key_count == 0) {
        for (uint32_t i = 0; i < g->measure_count; i++) add_column(g, i, block, size, keep);
        return;
    }
    st_stored_row row = { block, size, 0 };
    uint32_t rows = strata_block_rows(block);
    for (; row.slot < rows && g->query->status == STRATA_OK; row.slot++) {
        if (keep[row.slot] != 0) st_groups_add(g, &row);
    }
}

/* ---- The end ---------------------------------------------------------- */

/* Compares values of one type; null comes first. */
static int compare_values(const strata_value *a, const strata_value *b) {
    if (a->type == STRATA_NULL || b->type == STRATA_NULL) {
        return (int)(a->type != STRATA_NULL) - (int)(b->type != STRATA_NULL);
    }
    return st_mixed_compare(a, b);
}

static bool stands_before(const void *context, uint64_t a, uint64_t b) {
    const st_groups *g = context;
    if (!st_query_step(g->query, 1)) return false;
    const strata_value *x = g->values + a * g->key_count, *y = g->values + b * g->key_count;
    for (uint32_t i = 0; i < g->key_count; i++) {
        int order = compare_values(&x[i], &y[i]);
        if (order != 0) return order < 0;
    }
    return false;
}

/* The numbers of the groups in the order of their keys; freed by the caller. NULL if there is no memory. */
static st_sort_item *sorted_groups(const st_groups *g) {
    st_sort_item *items = g->count > SIZE_MAX / 64 ? NULL : malloc((2 * g->count + 1) * sizeof *items);
    if (items == NULL) return NULL;
    for (size_t i = 0; i < g->count; i++) items[i] = (st_sort_item){ 0, i };
    st_sort_stretch(items, items + g->count, g->count, stands_before, g);
    return items;
}

static uint8_t *put_keys(const st_groups *g, uint64_t number, strata_value *out, uint8_t *bytes) {
    for (uint32_t i = 0; i < g->key_count; i++) {
        out[i] = g->values[number * g->key_count + i];
        if (!has_bytes(out[i].type)) continue;
        memcpy(bytes, out[i].as.bytes.data, out[i].as.bytes.size);
        out[i].as.bytes.data = bytes;
        bytes += out[i].as.bytes.size;
    }
    return bytes;
}

strata_status st_groups_finish(st_groups *g, strata_groups *out) {
    uint32_t width = g->key_count + g->measure_count;
    st_sort_item *items = sorted_groups(g);
    bool fits = width == 0 || g->count < SIZE_MAX / 4 / sizeof(strata_value) / width;
    size_t size = fits ? g->count * width * sizeof(strata_value) : 0;
    strata_value *values = items == NULL || !fits ? NULL : malloc(size + g->byte_count + 1);
    if (values == NULL) {
        free(items);
        return no_memory(g->query);
    }
    uint8_t *bytes = (uint8_t *)values + size;
    if (g->query->status != STRATA_OK) { /* interrupted while sorting */
        free(items);
        free(values);
        return g->query->status;
    }
    *out = (strata_groups){ .count = g->count, .width = width, .values = values, .memory = values };
    for (size_t i = 0; i < g->count; i++, values += width) {
        const st_total *totals = g->totals + items[i].index * g->measure_count;
        bytes = put_keys(g, items[i].index, values, bytes);
        for (uint32_t k = 0; k < g->measure_count; k++) values[g->key_count + k] = st_total_result(&totals[k]);
    }
    free(items);
    return STRATA_OK;
}

void strata_groups_free(strata_groups *groups) {
    if (groups == NULL) return;
    free(groups->memory);
    *groups = (strata_groups){ 0 };
}
