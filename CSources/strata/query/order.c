/* SPDX-License-Identifier: MIT
 * order.c -- sorting the rows of a result. */
#include "query/order.h"

#include <stdlib.h>

#include "base/status.h"
#include "codec/decimal.h"
#include "codec/mixed.h"

enum { THIN_OUT = 4096, FIRST_CAPACITY = 1024 };

static void no_memory(st_order *order) {
    st_query_fail(order->query, st_no_memory(order->query->error, "sorting a result"));
}

/* ---- Columns ---------------------------------------------------------- */

static void make_column(st_query *query, const strata_sort *sort, st_order_column *out) {
    uint32_t table = query->spec->table;
    for (uint32_t i = 0; i + 1 < sort->path_length; i++) {
        table = query->view->catalog->tables[table].columns[sort->path[i].column].target;
    }
    const st_table *owner = &query->view->catalog->tables[table];
    uint32_t number = sort->path[sort->path_length - 1].column;
    strata_type type = owner->columns[number].type;
    *out = (st_order_column){ .sort = sort, .field = owner->fields[number], .type = type };
    out->kind = type == STRATA_BOOL || type == STRATA_INT ? ST_KIND_INT
                : type == STRATA_FLOAT || type == STRATA_DOUBLE || type == STRATA_DATE ? ST_KIND_REAL : ST_KIND_BYTES;
    out->may_be_null = out->field.nullable || sort->path_length > 1;
}

bool st_order_begin(st_order *order, st_query *query, uint64_t limit) {
    uint32_t count = query->sort_count;
    *order = (st_order){ .query = query, .limit = limit > SIZE_MAX / 4 ? 0 : (size_t)limit };
    order->columns = calloc(count, sizeof *order->columns);
    if (order->columns == NULL) {
        no_memory(order);
        return false;
    }
    order->column_count = count;
    for (uint32_t i = 0; i < count; i++) make_column(query, query->sorts + i, &order->columns[i]);
    return true;
}

void st_order_free(st_order *order) {
    for (uint32_t i = 0; i < order->column_count; i++) {
        free(order->columns[i].numbers);
        free(order->columns[i].bytes);
        free(order->columns[i].nulls);
    }
    free(order->columns);
    free(order->keys);
    *order = (st_order){ 0 };
}

static bool grow_array(void **items, size_t capacity, size_t item) {
    void *grown = realloc(*items, capacity * item);
    if (grown == NULL) return false;
    *items = grown;
    return true;
}

static bool grow(st_order *order) {
    size_t capacity = order->capacity == 0 ? FIRST_CAPACITY : 2 * order->capacity;
    void *items = order->keys;
    bool done = capacity < SIZE_MAX / 64 && grow_array(&items, capacity, sizeof *order->keys);
    order->keys = items;
    for (uint32_t i = 0; i < order->column_count && done; i++) {
        st_order_column *c = order->columns + i;
        if (c->kind == ST_KIND_BYTES) {
            items = c->bytes;
            done = grow_array(&items, capacity, sizeof *c->bytes);
            c->bytes = items;
        } else {
            items = c->numbers;
            done = grow_array(&items, capacity, sizeof *c->numbers);
            c->numbers = items;
        }
        if (!done || !c->may_be_null) continue;
        items = c->nulls;
        done = grow_array(&items, capacity, 1);
        c->nulls = items;
    }
    if (done) order->capacity = capacity;
    else no_memory(order);
    return done;
}

/* ---- Comparing rows --------------------------------------------------- */

static int compare_column(const st_order_column *c, uint64_t a, uint64_t b) {
    if (c->may_be_null && (c->nulls[a] | c->nulls[b]) != 0) {
        int order = (int)c->nulls[b] - (int)c->nulls[a];
        return c->sort->descending ? -order : order;
    }
    if (c->kind != ST_KIND_BYTES) return c->numbers[a] < c->numbers[b] ? -1 : c->numbers[a] > c->numbers[b];
    int order = st_compare(c->bytes[a], c->bytes[b]);
    return c->sort->descending ? -order : order;
}

/* Which columns a stretch of rows is still to be sorted by. */
typedef struct rest_of_order {
    const st_order *order;
    uint32_t from;
} rest_of_order;

static bool stands_before(const void *context, uint64_t a, uint64_t b) {
    const rest_of_order *rest = context;
    for (uint32_t i = rest->from; i < rest->order->column_count; i++) {
        int order = compare_column(rest->order->columns + i, a, b);
        if (order != 0) return order < 0;
    }
    return false;
}

/* ---- Sorting ---------------------------------------------------------- */

enum { SHORT_STRETCH = 64, DEEPEST = 64 };

/* The bytes from `offset` on as a number; whatever is not there counts as 0. */
static uint64_t bytes_number(const st_order_column *c, uint64_t row, size_t offset) {
    strata_bytes b = c->bytes[row];
    const uint8_t *p = b.data;
    uint64_t number = 0;
    if (b.size >= offset + 8) {
        number = st_load_big64(p + offset);
    } else {
        for (size_t i = offset; i < b.size; i++) number |= (uint64_t)p[i] << (56 - 8 * (i - offset));
    }
    return c->sort->descending ? ~number : number;
}

static void sort_rows(const st_order *order, st_sort_item *items, st_sort_item *scratch, size_t count, uint32_t column,
                      size_t offset);

/* Sorts a stretch of rows that are alike as far as they were looked at. */
static void sort_alike(const st_order *order, st_sort_item *items, st_sort_item *scratch, size_t count, uint32_t column,
                       size_t offset) {
    const st_order_column *c = order->columns + column;
    bool complete = c->kind != ST_KIND_BYTES;
    if (count < 2 || (complete && column + 1 == order->column_count)) return;
    if (count <= SHORT_STRETCH || offset >= DEEPEST) {
        rest_of_order rest = { order, complete ? column + 1 : column };
        st_sort_stretch(items, scratch, count, stands_before, &rest);
    } else if (complete) {
        sort_rows(order, items, scratch, count, column + 1, 0);
    } else {
        sort_rows(order, items, scratch, count, column, offset + 8);
    }
}

/* Brings the nulls of a column to the front, or the end if descending; returns how many there are. */
static size_t part_nulls(const st_order_column *c, st_sort_item *items, st_sort_item *scratch, size_t count) {
    size_t nulls = 0, others = 0;
    if (!c->may_be_null) return 0;
    for (size_t i = 0; i < count; i++) nulls += c->nulls[items[i].index];
    if (nulls == 0) return 0;
    size_t null_at = c->sort->descending ? count - nulls : 0, other_at = c->sort->descending ? 0 : nulls;
    for (size_t i = 0, n = 0; i < count; i++) {
        if (c->nulls[items[i].index] != 0) scratch[null_at + n++] = items[i];
        else scratch[other_at + others++] = items[i];
    }
    memcpy(items, scratch, count * sizeof *items);
    return nulls;
}

/* Sorts rows by a column from a byte on, then by the columns behind it. */
static void sort_rows(const st_order *order, st_sort_item *items, st_sort_item *scratch, size_t count, uint32_t column,
                      size_t offset) {
    const st_order_column *c = order->columns + column;
    if (offset == 0) {
        size_t nulls = part_nulls(c, items, scratch, count);
        st_sort_item *null_items = c->sort->descending ? items + count - nulls : items;
        if (!c->sort->descending) items += nulls;
        count -= nulls;
        if (nulls > 1 && column + 1 < order->column_count) sort_rows(order, null_items, scratch, nulls, column + 1, 0);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t row = items[i].index;
        items[i].order = c->kind == ST_KIND_BYTES ? bytes_number(c, row, offset) : c->numbers[row];
    }
    st_sort_items(items, scratch, count);
    if (c->kind != ST_KIND_BYTES && column + 1 == order->column_count) return;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && items[to].order == items[from].order;) to++;
        sort_alike(order, items + from, scratch, to - from, column, offset);
    }
}

/* The rows in their order; freed by the caller. NULL if there is no memory. */
static st_sort_item *sorted_rows(const st_order *order) {
    st_sort_item *items = malloc((2 * order->count + 1) * sizeof *items);
    if (items == NULL) return NULL;
    for (size_t i = 0; i < order->count; i++) items[i] = (st_sort_item){ 0, i };
    if (order->count != 0) sort_rows(order, items, items + order->count, order->count, 0, 0);
    return items;
}

/* ---- Thinning out ----------------------------------------------------- */

static int by_index(const void *a, const void *b) {
    uint64_t x = ((const st_sort_item *)a)->index, y = ((const st_sort_item *)b)->index;
    return x < y ? -1 : x > y;
}

/* Keeps the first `limit` rows, in the order of the source, and notes what a further row must not exceed. */
static void thin_out(st_order *order) {
    st_sort_item *items = sorted_rows(order);
    if (items == NULL) {
        no_memory(order);
        return;
    }
    const st_order_column *first = order->columns;
    uint64_t last = items[order->limit - 1].index;
    if (first->kind != ST_KIND_BYTES && !first->may_be_null) {
        order->bounded = true;
        order->bound = first->numbers[last];
        order->bound_included = order->column_count > 1;
    }
    qsort(items, order->limit, sizeof *items, by_index);
    for (size_t i = 0; i < order->limit; i++) {
        uint64_t from = items[i].index; /* never before i */
        order->keys[i] = order->keys[from];
        for (uint32_t n = 0; n < order->column_count; n++) {
            st_order_column *c = order->columns + n;
            if (c->kind == ST_KIND_BYTES) c->bytes[i] = c->bytes[from];
            else c->numbers[i] = c->numbers[from];
            if (c->may_be_null) c->nulls[i] = c->nulls[from];
        }
    }
    order->count = order->limit;
    free(items);
}

static bool is_out(const st_order *order, uint64_t number) {
    return order->bounded && (order->bound_included ? number > order->bound : number >= order->bound);
}

/* ---- Adding rows ------------------------------------------------------ */

static uint64_t number_of(const st_order_column *c, const st_vector *v, uint32_t slot) {
    uint64_t number = c->kind == ST_KIND_INT ? (uint64_t)st_vector_int(v, slot) ^ UINT64_C(1) << 63
                                             : st_key_order_real(st_vector_real(v, slot));
    return c->sort->descending ? ~number : number;
}

/* Copies bytes to the memory of the query. */
static void keep_bytes(st_order *order, strata_bytes bytes, strata_bytes *out) {
    uint8_t *copy = st_arena_take(&order->query->memory, bytes.size == 0 ? 1 : bytes.size);
    *out = (strata_bytes){ copy, 0 };
    if (copy == NULL) {
        no_memory(order);
        return;
    }
    if (bytes.size != 0) memcpy(copy, bytes.data, bytes.size);
    out->size = bytes.size;
}

static void take_mixed(st_order *order, const st_vector *v, uint32_t slot, strata_bytes *out) {
    st_query *query = order->query;
    strata_value value;
    if (!st_query_mixed(query, v, slot, &value)) return;
    query->folded.size = 0;
    if (!st_mixed_order(&value, &query->folded)) no_memory(order);
    else keep_bytes(order, (strata_bytes){ query->folded.data, query->folded.size }, out);
}

/* The bytes of a cell where they stay; large ones, and those that are made for the order, are copied. A failure is
 * noted in the query. */
static void take_bytes(st_order *order, const st_order_column *c, const st_vector *v, uint32_t slot,
                       strata_bytes *out) {
    *out = (strata_bytes){ NULL, 0 };
    if (c->type == STRATA_MIXED) {
        take_mixed(order, v, slot, out);
        return;
    }
    if (!st_query_bytes(order->query, v, slot, out)) return;
    if (c->type == STRATA_DECIMAL) {
        uint8_t key[ST_DECIMAL_KEY];
        st_decimal_key_encode(strata_decimal_load(out->data), key);
        keep_bytes(order, (strata_bytes){ key, sizeof key }, out);
    } else if (v->large != NULL && st_bit(v->large, slot)) {
        keep_bytes(order, *out, out);
    }
}

/* Follows the links of the path; false if it ends in a null. */
static bool follow(st_order *order, const st_order_column *c, const st_place *place, st_place *out) {
    st_query *query = order->query;
    uint32_t table = query->spec->table;
    *out = *place;
    for (uint32_t i = 0; i + 1 < c->sort->path_length; i++) {
        const st_table *owner = &query->view->catalog->tables[table];
        uint32_t number = c->sort->path[i].column;
        st_vector v;
        if (!st_query_vector(query, out->block, out->size, owner->fields[number], number, &v)) return false;
        uint64_t key = (uint64_t)st_vector_int(&v, out->slot);
        table = owner->columns[number].target;
        if (key == 0) return false;
        strata_status status = st_query_find(query, table, key, out);
        if (status < 0) st_query_fail(query, status);
        if (status != STRATA_OK) return false;
        query->stats.rows_visited++;
    }
    return true;
}

/* Reads what a row is sorted by into the place behind the others. */
static void read_column(st_order *order, st_order_column *c, const st_place *place) {
    st_place last;
    st_vector v;
    size_t at = order->count;
    bool present = follow(order, c, place, &last);
    if (present) {
        uint32_t number = c->sort->path[c->sort->path_length - 1].column;
        if (!st_query_vector(order->query, last.block, last.size, c->field, number, &v)) return;
        present = !st_vector_null(&v, last.slot);
    }
    if (c->may_be_null) c->nulls[at] = !present;
    if (c->kind == ST_KIND_BYTES) {
        c->bytes[at] = (strata_bytes){ NULL, 0 };
        if (present) take_bytes(order, c, &v, last.slot, &c->bytes[at]);
    } else {
        c->numbers[at] = present ? number_of(c, &v, last.slot) : 0;
    }
}

static bool make_room(st_order *order) {
    if (order->limit != 0 && order->count >= 2 * order->limit && order->count >= THIN_OUT) thin_out(order);
    return order->query->status == STRATA_OK && (order->count < order->capacity || grow(order));
}

void st_order_add(st_order *order, const st_place *place, uint64_t key) {
    if (!make_room(order)) return;
    read_column(order, order->columns, place);
    st_order_column *first = order->columns;
    if (first->kind != ST_KIND_BYTES && !first->may_be_null && is_out(order, first->numbers[order->count])) return;
    for (uint32_t i = 1; i < order->column_count; i++) read_column(order, order->columns + i, place);
    order->keys[order->count++] = key;
}

/* One column of numbers, without nulls and links: no need to look at it row by row. */
static void add_numbers(st_order *order, const st_vector *v, const uint8_t *mask) {
    st_order_column *c = order->columns;
    for (uint32_t slot = 0; slot < v->rows; slot++) {
        if (mask[slot] == 0) continue;
        uint64_t number = number_of(c, v, slot);
        if (is_out(order, number)) continue;
        if (!make_room(order)) return;
        c->numbers[order->count] = number;
        order->keys[order->count++] = strata_block_key(v->block, slot);
    }
}

void st_order_add_block(st_order *order, const uint8_t *block, size_t size, const uint8_t *mask) {
    const st_order_column *first = order->columns;
    if (order->column_count == 1 && first->kind != ST_KIND_BYTES && !first->may_be_null) {
        st_vector v;
        if (st_query_vector(order->query, block, size, first->field, first->sort->path[0].column, &v)) {
            add_numbers(order, &v, mask);
        }
        return;
    }
    st_place place = { block, size, 0 };
    uint32_t rows = strata_block_rows(block);
    for (; place.slot < rows && order->query->status == STRATA_OK; place.slot++) {
        if (mask[place.slot] != 0) st_order_add(order, &place, strata_block_key(block, place.slot));
    }
}

size_t st_order_finish(st_order *order, uint64_t *out) {
    st_sort_item *items = sorted_rows(order);
    if (items == NULL) {
        no_memory(order);
        return 0;
    }
    size_t count = order->limit != 0 && order->limit < order->count ? order->limit : order->count;
    for (size_t i = 0; i < count; i++) out[i] = order->keys[items[i].index];
    free(items);
    return count;
}
