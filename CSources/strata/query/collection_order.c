/* SPDX-License-Identifier: MIT
 * collection_order.c -- the values of one collection in their order. */
#include <stdlib.h>

#include "base/interrupt.h"
#include "base/sort.h"
#include "base/status.h"
#include "collection/source.h"
#include "condition/key_reader.h"
#include "write/collection_open.h"

/* The values being sorted; what they are sorted by is read once. */
typedef struct sorting {
    st_query query;        /* of which only the view, error, steps, buffers and memory are used */
    st_query *steps;       /* that query, also for who must not change the rest */
    const st_column *column;
    bool numbers;          /* values are numbers, not bytes */
    bool descending;
    size_t count, null_count;
    st_sort_item *items;   /* the values, then the nulls; behind them room for as many, to sort with */
    strata_bytes *bytes;   /* by position */
} sorting;

static strata_status no_memory(sorting *s) { return st_no_memory(s->query.error, "ordering a collection"); }

/* ---- Reading ---------------------------------------------------------- */

/* The first bytes as a number. Values that agree in it have to be compared. */
static uint64_t first_bytes(strata_bytes bytes) {
    uint8_t padded[8] = { 0 };
    if (bytes.size >= 8) return st_load_big64(bytes.data);
    if (bytes.size != 0) memcpy(padded, bytes.data, bytes.size);
    return st_load_big64(padded);
}

/* The bytes that a value is sorted by; copied, unless they lie in a block and `stay` there. */
static strata_status sort_bytes(sorting *s, const strata_value *value, bool stay, strata_bytes *out) {
    bool mixed = s->column->type == STRATA_MIXED;
    if (!st_key_reader_bytes_of(&s->query, value, mixed, out)) return s->query.status;
    if (stay && !mixed && (value->type == STRATA_STRING || value->type == STRATA_DATA)) return STRATA_OK;
    uint8_t *copy = st_arena_alloc(&s->query.memory, out->size == 0 ? 1 : out->size);
    if (copy == NULL) return no_memory(s);
    if (out->size != 0) memcpy(copy, out->data, out->size);
    out->data = copy;
    return STRATA_OK;
}

static strata_status add_element(sorting *s, const st_source *source, const strata_value *element,
                                 uint64_t position) {
    strata_value value;
    bool stay = !st_is_overflow(element);
    if (element->type == STRATA_NULL) {
        s->items[s->count - ++s->null_count] = (st_sort_item){ 0, position };
        return STRATA_OK;
    }
    if (!stay && !st_query_step(&s->query, ST_STEPS_OF_LARGE)) return s->query.status;
    strata_status status = st_element_value(s->query.view, s->column, source->object, element, &s->query.scratch,
                                            &value, s->query.error);
    if (status != STRATA_OK) return status;
    uint64_t number;
    if (s->numbers) {
        number = st_key_reader_number_of(&value);
    } else {
        status = sort_bytes(s, &value, stay, &s->bytes[position]);
        number = status == STRATA_OK ? first_bytes(s->bytes[position]) : 0;
    }
    s->items[position - s->null_count] = (st_sort_item){ s->descending ? ~number : number, position };
    return status;
}

static strata_status read_elements(sorting *s, const st_source *source) {
    strata_value batch[ST_SOURCE_BATCH];
    strata_status status = STRATA_OK;
    uint32_t column = st_element_columns(s->column) - 1;
    for (uint64_t from = 0; from < source->count && status == STRATA_OK; from += ST_SOURCE_BATCH) {
        uint64_t count = source->count - from < ST_SOURCE_BATCH ? source->count - from : ST_SOURCE_BATCH;
        status = st_source_values(source, column, from, count, batch, s->query.error);
        if (status == STRATA_OK && !st_query_step(&s->query, (uint32_t)count)) status = s->query.status;
        for (uint64_t i = 0; i < count && status == STRATA_OK; i++)
            status = add_element(s, source, &batch[i], from + i);
    }
    return status;
}

/* ---- Sorting ---------------------------------------------------------- */

static bool stands_before(const void *context, uint64_t a, uint64_t b) {
    const sorting *s = context;
    if (!st_query_step(s->steps, 1)) return false;
    int order = st_compare(s->bytes[a], s->bytes[b]);
    return s->descending ? order > 0 : order < 0;
}

static void sort_values(sorting *s) {
    size_t count = s->count - s->null_count;
    st_sort_item *scratch = s->items + s->count;
    st_sort_items(s->items, scratch, count);
    for (size_t from = 0, to; from < count && !s->numbers; from = to) {
        for (to = from + 1; to < count && s->items[to].order == s->items[from].order;) to++;
        st_sort_stretch(s->items + from, scratch, to - from, stands_before, s);
    }
}

static bool same_value(const sorting *s, const st_sort_item *a, const st_sort_item *b) {
    return a->order == b->order && (s->numbers || st_compare(s->bytes[a->index], s->bytes[b->index]) == 0);
}

/* Drops all but the first of equal values. `*values` is how many values there are, `*nulls` how many nulls. */
static void drop_equal(sorting *s, size_t *values, size_t *nulls) {
    size_t kept = 0;
    for (size_t i = 0; i < *values; i++) {
        if (kept == 0 || !same_value(s, &s->items[kept - 1], &s->items[i])) s->items[kept++] = s->items[i];
    }
    *values = kept;
    if (*nulls > 1) *nulls = 1;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void put_positions(sorting *s, uint32_t options, strata_keys *out) {
    size_t values = s->count - s->null_count, nulls = s->null_count, at = 0;
    sort_values(s);
    if ((options & STRATA_DISTINCT) != 0) drop_equal(s, &values, &nulls);
    if (!s->descending) at = nulls;
    for (size_t i = 0; i < values; i++) out->data[at + i] = s->items[i].index;
    at = s->descending ? values : 0;
    for (size_t i = 0; i < nulls; i++) out->data[at + i] = s->items[s->count - 1 - i].index;
    out->count = values + nulls;
    if ((options & STRATA_UNSORTED) != 0) st_sort_array(out->data, (size_t)out->count, sizeof *out->data, by_number);
}

static strata_status order_values(sorting *s, const st_source *source, uint32_t options, strata_keys *out) {
    s->count = source->count > SIZE_MAX / 64 ? 0 : (size_t)source->count;
    if (source->count != s->count) return no_memory(s);
    if (s->count == 0) return STRATA_OK;
    s->items = malloc(2 * s->count * sizeof *s->items);
    s->bytes = s->numbers ? NULL : malloc(s->count * sizeof *s->bytes);
    out->data = malloc(s->count * sizeof *out->data);
    if (s->items == NULL || (s->bytes == NULL && !s->numbers) || out->data == NULL) return no_memory(s);
    strata_status status = read_elements(s, source);
    if (status == STRATA_OK) put_positions(s, options, out);
    return status == STRATA_OK ? s->query.status : status;
}

static bool is_number(strata_type type) {
    return type == STRATA_BOOL || type == STRATA_INT || type == STRATA_FLOAT || type == STRATA_DOUBLE ||
           type == STRATA_DATE;
}

strata_status strata_collection_order(strata_row *row, uint32_t column, uint32_t options, strata_keys *out,
                                      strata_error *error) {
    st_source source;
    *out = (strata_keys){ NULL, 0 };
    strata_status status = st_source_open(row, column, &source, error);
    if (status != STRATA_OK) return status;
    if (source.column->type == STRATA_LINK) {
        return st_fail(error, STRATA_TYPE, 0, "%s is a %s of objects; sort them by a query", source.column->name,
                       st_collection_name(source.column->collection));
    }
    sorting s = { .query = { .view = source.view, .error = error }, .column = source.column,
                  .numbers = is_number(source.column->type),
                  .descending = (options & (STRATA_DESCENDING | STRATA_UNSORTED)) == STRATA_DESCENDING };
    s.steps = &s.query;
    status = st_interrupt_check(source.view->interrupt, 0, error);
    if (status == STRATA_OK) status = order_values(&s, &source, options, out);
    if (status != STRATA_OK) strata_keys_free(out);
    st_query_report(&s.query);
    free(s.items);
    free(s.bytes);
    st_buffer_free(&s.query.scratch);
    st_buffer_free(&s.query.folded);
    st_arena_free(&s.query.memory);
    return status;
}
