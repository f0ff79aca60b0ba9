/* SPDX-License-Identifier: MIT
 * order.c -- sorting the rows of a result. */
#include "query/order.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "base/sort.h"

enum { THIN_OUT = 4096, FIRST_CAPACITY = 1024 };

static void no_memory(st_order *order) {
    (void)st_query_no_memory(order->query, "sorting a result");
}

/* ---- Columns ---------------------------------------------------------- */

bool st_order_begin(st_order *order, st_query *query, const strata_sort *keys, uint32_t key_count, uint64_t limit) {
    *order = (st_order){ .query = query, .limit = limit > SIZE_MAX / 4 ? SIZE_MAX : (size_t)limit };
    order->columns = calloc(key_count, sizeof *order->columns);
    if (order->columns == NULL) {
        no_memory(order);
        return false;
    }
    order->column_count = key_count;
    for (uint32_t i = 0; i < key_count; i++) {
        st_order_column *c = order->columns + i;
        strata_status status = st_key_reader_make(query, "sort", keys[i].path, keys[i].path_length, 0, &c->reader);
        if (!st_query_note(query, status)) return false;
        c->descending = keys[i].descending;
    }
    return true;
}

void st_order_free(st_order *order) {
    if (order->columns == NULL) return;
    for (uint32_t i = 0; i < order->column_count; i++) {
        free(order->columns[i].numbers);
        free(order->columns[i].bytes);
        free(order->columns[i].ranks);
    }
    free(order->columns);
    free(order->keys);
    st_arena_free(&order->memory);
    *order = (st_order){ 0 };
}

void st_order_reset(st_order *order) {
    order->count = order->first;
    order->bounded = false;
    if (order->first == 0) st_arena_reset(&order->memory); /* otherwise the bookmark lies there */
}

static bool grow_array(void **items, size_t capacity, size_t item) {
    void *grown = realloc(*items, capacity * item);
    if (grown == NULL) return false;
    *items = grown;
    return true;
}

static bool is_bytes(const st_order_column *c) { return c->reader.kind == ST_KIND_BYTES; }

/* Whether so many rows may be kept: their keys, what they are sorted by, and the items that are sorted. */
static bool may_keep(st_order *order, size_t capacity) {
    uint64_t each = sizeof *order->keys + 2 * sizeof(st_sort_item);
    for (uint32_t i = 0; i < order->column_count; i++) each += is_bytes(&order->columns[i]) ? sizeof(strata_bytes) : 8;
    st_query *query = order->query;
    strata_status status = st_interrupt_check_bytes(query->view->interrupt, each * capacity, query->error);
    if (status != STRATA_OK) st_query_fail(query, status);
    return status == STRATA_OK;
}

static bool grow(st_order *order) {
    size_t capacity = order->capacity == 0 ? FIRST_CAPACITY : 2 * order->capacity;
    if (!may_keep(order, capacity)) return false;
    void *items = order->keys;
    bool done = capacity < SIZE_MAX / 64 && grow_array(&items, capacity, sizeof *order->keys);
    order->keys = items;
    for (uint32_t i = 0; i < order->column_count && done; i++) {
        st_order_column *c = order->columns + i;
        if (is_bytes(c)) {
            items = c->bytes;
            done = grow_array(&items, capacity, sizeof *c->bytes);
            c->bytes = items;
        } else {
            items = c->numbers;
            done = grow_array(&items, capacity, sizeof *c->numbers);
            c->numbers = items;
        }
        if (!done || !c->reader.may_be_null) continue;
        items = c->ranks;
        done = grow_array(&items, capacity, 1);
        c->ranks = items;
    }
    if (done) order->capacity = capacity;
    else no_memory(order);
    return done;
}

/* ---- Comparing rows --------------------------------------------------- */

static int compare_column(const st_order_column *c, uint64_t a, uint64_t b) {
    if (c->reader.may_be_null) {
        int order = (int)c->ranks[a] - (int)c->ranks[b];
        if (order != 0) return c->descending ? -order : order;
        if (c->ranks[a] != ST_READ_VALUE) return 0;
    }
    if (!is_bytes(c)) return c->numbers[a] < c->numbers[b] ? -1 : c->numbers[a] > c->numbers[b];
    int order = st_compare(c->bytes[a], c->bytes[b]);
    return c->descending ? -order : order;
}

int st_order_compare(const st_order *order, size_t a, size_t b) {
    for (uint32_t i = 0; i < order->column_count; i++) {
        int compared = compare_column(order->columns + i, a, b);
        if (compared != 0) return compared;
    }
    return 0;
}

/* The columns, from number `from` on, that rows are still to be sorted by. */
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

enum { SHORT_STRETCH = 64, DEEPEST = 64, RANKS = 3 };

/* Eight bytes from `offset` on as a number; those behind the end count as 0. */
static uint64_t bytes_number(const st_order_column *c, uint64_t row, size_t offset) {
    strata_bytes b = c->bytes[row];
    const uint8_t *p = b.data;
    uint64_t number = 0;
    if (b.size >= offset + 8) {
        number = st_load_big64(p + offset);
    } else {
        for (size_t i = offset; i < b.size; i++) number |= (uint64_t)p[i] << (56 - 8 * (i - offset));
    }
    return c->descending ? ~number : number;
}

uint64_t st_order_word(const st_order *order, size_t row) {
    const st_order_column *c = order->columns;
    uint64_t rank = c->reader.may_be_null ? c->ranks[row] : ST_READ_VALUE, number = 0;
    if (rank == ST_READ_VALUE) number = is_bytes(c) ? bytes_number(c, row, 0) : c->numbers[row];
    if (!c->reader.may_be_null) return number;
    return (c->descending ? RANKS - 1 - rank : rank) << 62 | number >> 2;
}

static void sort_rows(const st_order *order, st_sort_item *items, st_sort_item *scratch, size_t count, uint32_t column,
                      size_t offset);

/* Sorts rows that are equal in all columns before this one, and in this one up to the bytes at `offset`. */
static void sort_alike(const st_order *order, st_sort_item *items, st_sort_item *scratch, size_t count, uint32_t column,
                       size_t offset) {
    const st_order_column *c = order->columns + column;
    bool complete = !is_bytes(c);
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

/* Divides the rows into those with a null, with a value and with nothing in a column; sorts all but those with a value
 * by the columns behind it, and returns where those are. */
static st_sort_item *divide_by_rank(const st_order *order, st_sort_item *items, st_sort_item *scratch, size_t *count,
                                  uint32_t column) {
    const st_order_column *c = order->columns + column;
    size_t counts[RANKS] = { 0 }, starts[RANKS], at = 0;
    if (!c->reader.may_be_null) return items;
    for (size_t i = 0; i < *count; i++) counts[c->ranks[items[i].index]]++;
    if (counts[ST_READ_VALUE] == *count) return items;
    for (size_t i = 0; i < RANKS; i++) {
        size_t rank = c->descending ? RANKS - 1 - i : i;
        starts[rank] = at;
        at += counts[rank];
    }
    for (size_t i = 0; i < *count; i++) scratch[starts[c->ranks[items[i].index]]++] = items[i];
    memcpy(items, scratch, *count * sizeof *items);
    for (size_t rank = 0; rank < RANKS; rank++) { /* starts are now ends */
        if (rank == ST_READ_VALUE || counts[rank] < 2 || column + 1 == order->column_count) continue;
        sort_rows(order, items + starts[rank] - counts[rank], scratch, counts[rank], column + 1, 0);
    }
    *count = counts[ST_READ_VALUE];
    return items + starts[ST_READ_VALUE] - *count;
}

/* Sorts rows by a column, from a byte on if it is of bytes, and then by the columns behind it. */
static void sort_rows(const st_order *order, st_sort_item *items, st_sort_item *scratch, size_t count, uint32_t column,
                      size_t offset) {
    const st_order_column *c = order->columns + column;
    if (!st_query_step(order->query, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX - 1)) return;
    if (offset == 0) items = divide_by_rank(order, items, scratch, &count, column);
    for (size_t i = 0; i < count; i++) {
        uint64_t row = items[i].index;
        items[i].order = is_bytes(c) ? bytes_number(c, row, offset) : c->numbers[row];
    }
    st_sort_items(items, scratch, count);
    if (!is_bytes(c) && column + 1 == order->column_count) return;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && items[to].order == items[from].order;) to++;
        sort_alike(order, items + from, scratch, to - from, column, offset);
    }
}

/* The rows in their order; freed by the caller. NULL if there is no memory. */
static st_sort_item *sorted_rows(const st_order *order) {
    size_t count = order->count - order->first;
    st_sort_item *items = malloc((2 * count + 1) * sizeof *items);
    if (items == NULL) return NULL;
    for (size_t i = 0; i < count; i++) items[i] = (st_sort_item){ 0, order->first + i };
    if (count != 0) sort_rows(order, items, items + count, count, 0, 0);
    return items;
}

/* ---- Thinning out ----------------------------------------------------- */

static int by_index(const void *a, const void *b) {
    uint64_t x = ((const st_sort_item *)a)->index, y = ((const st_sort_item *)b)->index;
    return x < y ? -1 : x > y;
}

static void move_row(st_order *order, size_t from, size_t to) {
    order->keys[to] = order->keys[from];
    for (uint32_t n = 0; n < order->column_count; n++) {
        st_order_column *c = order->columns + n;
        if (is_bytes(c)) c->bytes[to] = c->bytes[from];
        else c->numbers[to] = c->numbers[from];
        if (c->reader.may_be_null) c->ranks[to] = c->ranks[from];
    }
}

/* Drops all rows but the first `limit` ones, which stay in the order in which they were added, and notes the last of
 * them: further rows must come before it. */
static void thin_out(st_order *order) {
    st_sort_item *items = sorted_rows(order);
    if (items == NULL) {
        no_memory(order);
        return;
    }
    uint64_t last = items[order->limit - 1].index;
    st_sort_array(items, order->limit, sizeof *items, by_index);
    for (size_t i = 0; i < order->limit; i++) {
        if (items[i].index == last) order->worst = order->first + i;
        move_row(order, items[i].index, order->first + i); /* a row only moves towards the front */
    }
    order->count = order->first + order->limit;
    order->bounded = true;
    free(items);
}

static bool make_room(st_order *order) {
    size_t rows = order->count - order->first;
    if (rows >= THIN_OUT && rows / 2 >= order->limit) thin_out(order);
    return order->query->status == STRATA_OK && (order->count < order->capacity || grow(order));
}

/* ---- Adding rows ------------------------------------------------------ */

static uint64_t number_of(const st_order_column *c, uint32_t slot) {
    uint64_t number = st_key_reader_number(&c->reader, slot);
    return c->descending ? ~number : number;
}

/* Replaces bytes by a copy in the memory of the order. */
static void copy_bytes(st_order *order, strata_bytes *bytes) {
    uint8_t *copy = st_arena_alloc(&order->memory, bytes->size == 0 ? 1 : bytes->size);
    if (copy == NULL) no_memory(order);
    else if (bytes->size != 0) memcpy(copy, bytes->data, bytes->size);
    *bytes = (strata_bytes){ copy, copy == NULL ? 0 : bytes->size };
}

/* Reads what a row is sorted by into the slot behind the other rows. True if the bytes have to be copied. */
static bool read_column(st_order *order, st_order_column *c, const st_stored_row *row) {
    uint32_t slot = 0;
    size_t at = order->count;
    bool lasting = true;
    st_key_read read = st_key_reader_find(order->query, &c->reader, row, &slot);
    if (c->reader.may_be_null) c->ranks[at] = (uint8_t)read;
    if (!is_bytes(c)) {
        c->numbers[at] = read == ST_READ_VALUE ? number_of(c, slot) : 0;
        return false;
    }
    c->bytes[at] = (strata_bytes){ NULL, 0 };
    if (read == ST_READ_VALUE) (void)st_key_reader_bytes(order->query, &c->reader, slot, &c->bytes[at], &lasting);
    return !lasting;
}

/* Reads the columns of a row until it is known that the row is not wanted; true if it is wanted. */
static bool read_row(st_order *order, const st_stored_row *row, uint64_t key) {
    int before = order->bounded ? 0 : -1; /* how the row compares with the worst one, as far as is known */
    int behind = order->first == 0 ? 1 : 0; /* and with the bookmark */
    for (uint32_t i = 0; i < order->column_count; i++) {
        st_order_column *c = order->columns + i;
        bool must_copy = read_column(order, c, row);
        if (order->query->status != STRATA_OK) return false;
        if (before == 0) before = compare_column(c, order->count, order->worst);
        if (behind == 0) behind = compare_column(c, order->count, 0);
        if (before > 0 || behind < 0) return false;
        if (must_copy) copy_bytes(order, &c->bytes[order->count]);
    }
    return before < 0 && (behind > 0 || key > order->keys[0]);
}

void st_order_add(st_order *order, const st_stored_row *row, uint64_t key) {
    if (!make_room(order) || !read_row(order, row, key)) return;
    order->keys[order->count++] = key;
}

/* Adds the rows of a block for the simplest order: by one column of numbers, without nulls and links. */
static void add_numbers(st_order *order, const st_vector *v, const uint8_t *keep) {
    st_order_column *c = order->columns;
    st_vector_prefetch(v);
    for (uint32_t slot = 0; slot < v->rows; slot++) {
        if (keep[slot] == 0) continue;
        uint64_t number = number_of(c, slot);
        if (order->bounded && number >= c->numbers[order->worst]) continue;
        uint64_t key = strata_block_key(v->block, slot);
        if (order->first != 0 && (number < c->numbers[0] || (number == c->numbers[0] && key <= order->keys[0]))) {
            continue;
        }
        if (!make_room(order)) return;
        c->numbers[order->count] = number;
        order->keys[order->count++] = key;
    }
}

void st_order_add_block(st_order *order, const uint8_t *block, size_t size, const uint8_t *keep) {
    st_order_column *first = order->columns;
    if (order->column_count == 1 && !is_bytes(first) && !first->reader.may_be_null) {
        if (!st_key_reader_open(order->query, &first->reader, block, size)) return;
        add_numbers(order, &first->reader.vector, keep);
        return;
    }
    st_stored_row row = { block, size, 0 };
    uint32_t rows = strata_block_rows(block);
    for (; row.slot < rows && order->query->status == STRATA_OK; row.slot++) {
        if (keep[row.slot] != 0) st_order_add(order, &row, strata_block_key(block, row.slot));
    }
}

bool st_order_after(st_order *order, const strata_bookmark *bookmark) {
    /* Even in a column without nulls a bookmark may have one, which then comes before all values. */
    for (uint32_t i = 0; i < order->column_count; i++) {
        order->columns[i].reader.may_be_null |= bookmark->values[i].type == STRATA_NULL;
    }
    if (!make_room(order)) return false;
    for (uint32_t i = 0; i < order->column_count; i++) {
        st_order_column *c = order->columns + i;
        const strata_value *value = bookmark->values + i;
        bool nothing = value->type == STRATA_LINK && value->as.link == 0, null = value->type == STRATA_NULL;
        if (c->reader.may_be_null) {
            c->ranks[0] = (uint8_t)(nothing ? ST_READ_NOTHING : null ? ST_READ_NULL : ST_READ_VALUE);
        }
        if (!is_bytes(c)) {
            uint64_t number = nothing || null ? 0 : st_key_reader_number_of(value);
            c->numbers[0] = c->descending ? ~number : number;
            continue;
        }
        c->bytes[0] = (strata_bytes){ NULL, 0 };
        if (nothing || null) continue;
        bool mixed = c->reader.column->type == STRATA_MIXED;
        if (!st_key_reader_bytes_of(order->query, value, mixed, &c->bytes[0])) return false;
        copy_bytes(order, &c->bytes[0]);
    }
    order->keys[0] = bookmark->key;
    order->count = order->first = 1;
    return order->query->status == STRATA_OK;
}

size_t st_order_finish(st_order *order, uint64_t *out, uint64_t *words) {
    st_sort_item *items = sorted_rows(order);
    if (items == NULL) {
        no_memory(order);
        return 0;
    }
    size_t count = order->count - order->first;
    if (order->limit < count) count = order->limit;
    for (size_t i = 0; i < count; i++) out[i] = order->keys[items[i].index];
    for (size_t i = 0; i < count && words != NULL; i++) words[i] = st_order_word(order, items[i].index);
    free(items);
    return count;
}
