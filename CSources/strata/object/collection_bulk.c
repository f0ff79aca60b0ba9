/* SPDX-License-Identifier: MIT
 *
 * collection_bulk.c -- inserting many elements into a set, or entries into a map, at once.
 *
 * They are checked, sorted, looked up in order, copied, and then inserted in runs: those that go between the same two
 * elements move what is behind them once.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "base/status.h"
#include "collection/source_search.h"
#include "object/map.h"
#include "value/mixed_order.h"
#include "write/element_write.h"
#include "write/value_check.h"

typedef struct bulk {
    st_change change;
    st_source source;
    const strata_bytes *keys; /* of a map: those that were given */
    strata_value *values;     /* those that were given; from copy() on in order */
    strata_value *elements;   /* copies of the values */
    strata_value *names;      /* of a map: copies of the keys */
    st_sort_item *items;      /* index: of a key or value. order: first its rank, then where it goes, see target_of() */
    st_sort_item *scratch;
    size_t count;             /* of items: duplicates, and what a set has already, are dropped */
} bulk;

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "changing a set or map"); }

static strata_status make_room(bulk *b, uint64_t count, strata_error *error) {
    size_t each = 3 * sizeof *b->values + 2 * sizeof *b->items;
    uint8_t *room = count > SIZE_MAX / each ? NULL : malloc((size_t)count * each);
    if (room == NULL) return no_memory(error);
    b->count = (size_t)count;
    b->items = (st_sort_item *)(void *)room;
    b->scratch = b->items + count;
    b->values = (strata_value *)(void *)(b->scratch + count);
    b->elements = b->values + count;
    b->names = b->elements + count;
    return STRATA_OK;
}

/* ---- Order ------------------------------------------------------------ */

static int order_of(const bulk *b, size_t i, size_t j) {
    int order = 0;
    if (b->keys != NULL) return st_compare(b->keys[i], b->keys[j]);
    if (b->change.column->type == STRATA_MIXED) return st_mixed_compare(&b->values[i], &b->values[j]);
    /* This cannot fail: none is an overflow value yet. */
    const st_change *c = &b->change;
    (void)st_element_order(c->view, c->column, c->origin, &b->values[i], &b->values[j], &order, NULL);
    return order;
}

static bool stands_before(const void *context, uint64_t a, uint64_t b) {
    return order_of(context, (size_t)a, (size_t)b) < 0;
}

static uint64_t first_bytes(strata_bytes bytes) {
    uint8_t word[8] = { 0 };
    if (bytes.size != 0) memcpy(word, bytes.data, bytes.size < sizeof word ? bytes.size : sizeof word);
    return st_load_big64(word);
}

/* A number whose order never contradicts that of the elements: most are sorted by it alone. */
static uint64_t rough_order(const bulk *b, size_t i) {
    const strata_value *value = &b->values[i];
    if (b->keys != NULL) return first_bytes(b->keys[i]);
    if (b->change.column->type == STRATA_MIXED) return 0;
    switch (value->type) {
    case STRATA_BOOL: return value->as.boolean;
    case STRATA_INT: return (uint64_t)value->as.integer ^ UINT64_C(1) << 63;
    case STRATA_LINK: return value->as.link;
    case STRATA_FLOAT: return st_key_order_real((double)value->as.single);
    case STRATA_DOUBLE:
    case STRATA_DATE: return st_key_order_real(value->as.real);
    case STRATA_STRING:
    case STRATA_DATA: return first_bytes(value->as.bytes);
    case STRATA_UUID:
    case STRATA_OBJECT_ID: return st_load_big64(value->as.fixed);
    case STRATA_DECIMAL:
    case STRATA_MIXED:
    case STRATA_NESTED:
    case STRATA_NULL: break;
    }
    return 0;
}

/* Sorts, and drops duplicates: the first of equal ones stays in a set, the last one in a map. */
static void sort(bulk *b) {
    for (size_t i = 0; i < b->count; i++) b->items[i] = (st_sort_item){ rough_order(b, i), i };
    st_sort_items(b->items, b->scratch, b->count);
    for (size_t i = 0, same; i < b->count; i += same) {
        for (same = 1; i + same < b->count && b->items[i + same].order == b->items[i].order;) same++;
        if (same > 1) st_sort_stretch(b->items + i, b->scratch, same, stands_before, b);
    }
    size_t left = 0;
    for (size_t i = 0; i < b->count; i++) {
        bool equal = left > 0 && order_of(b, (size_t)b->items[left - 1].index, (size_t)b->items[i].index) == 0;
        if (!equal) b->items[left++] = b->items[i];
        else if (b->keys != NULL) b->items[left - 1] = b->items[i];
    }
    b->count = left;
}

/* ---- Targets ---------------------------------------------------------- *
 * Where an item goes: at a position of the collection as it is, either before the element there or over it.
 */

static uint64_t target_of(uint64_t position, bool replaces) { return position << 1 | replaces; }
static uint64_t target_position(uint64_t target) { return target >> 1; }
static bool target_replaces(uint64_t target) { return (target & 1) != 0; }

/* Compares a key or value with the one at a position. */
static strata_status compare_at(const bulk *b, const strata_value *wanted, uint64_t position, int *out,
                                strata_error *error) {
    strata_value element;
    strata_status status = st_source_values(&b->source, 0, position, 1, &element, error);
    if (status != STRATA_OK) return status;
    if (b->keys == NULL) {
        const st_change *c = &b->change;
        return st_element_order(c->view, c->column, c->origin, wanted, &element, out, error);
    }
    *out = st_compare(wanted->as.bytes, element.as.bytes);
    return STRATA_OK;
}

/* Finds the target of each item; those that a set has already are dropped. */
static strata_status find_targets(bulk *b, strata_error *error) {
    uint64_t at = 0;
    size_t left = 0;
    for (size_t i = 0; i < b->count; i++) {
        size_t index = (size_t)b->items[i].index;
        strata_value wanted = b->values[index];
        if (b->keys != NULL) wanted = strata_string(b->keys[index].data, b->keys[index].size);
        int order = 1;
        strata_status status = STRATA_OK;
        if (at == b->source.count && i > 0) order = -1; /* it goes behind all elements */
        else if (i > 0) status = compare_at(b, &wanted, at, &order, error);
        if (status == STRATA_OK && order > 0) {
            status = st_source_search(&b->source, &wanted, &at, error);
            order = status == STRATA_OK ? 0 : -1;
        }
        if (status < 0) return status;
        if (order == 0 && b->keys == NULL) continue;
        b->items[left++] = (st_sort_item){ target_of(at, order == 0), index };
    }
    b->count = left;
    return STRATA_OK;
}

/* ---- Changing --------------------------------------------------------- */

/* Copies what is left, in order: keys first, since storing an overflow value may move bytes that are lent. */
static strata_status copy(bulk *b, strata_error *error) {
    const st_change *c = &b->change;
    strata_value *ordered = b->names;
    for (size_t i = 0; i < b->count; i++) ordered[i] = b->values[b->items[i].index];
    memcpy(b->values, ordered, b->count * sizeof *ordered);
    for (size_t i = 0; b->keys != NULL && i < b->count; i++) {
        if (target_replaces(b->items[i].order)) continue;
        strata_status status = st_map_copy_key(c, b->keys[b->items[i].index], &b->names[i], error);
        if (status != STRATA_OK) return status;
    }
    return st_elements_copy(c->view, c->column, c->origin, b->values, b->count, b->elements, error);
}

static strata_status apply(bulk *b, uint64_t *out_inserted, strata_error *error) {
    strata_status status = STRATA_OK;
    for (size_t i = 0, run; i < b->count && status == STRATA_OK; i += run) {
        uint64_t target = b->items[i].order, position = target_position(target) + *out_inserted;
        run = 1;
        if (target_replaces(target)) {
            status = st_change_replace(&b->change, position, &b->elements[i], error);
            continue;
        }
        while (i + run < b->count && b->items[i + run].order == target) run++;
        const strata_value *columns[2] = { b->keys == NULL ? b->elements + i : b->names + i, b->elements + i };
        status = st_change_insert(&b->change, position, columns, run, error);
        *out_inserted += run;
    }
    return status;
}

static strata_status change_all(bulk *b, const strata_value *values, uint64_t count, uint64_t *out_inserted,
                                strata_error *error) {
    const st_change *c = &b->change;
    strata_status status = st_change_check(c, values, count, error);
    for (uint64_t i = 0; b->keys != NULL && i < count && status == STRATA_OK; i++)
        status = st_map_check_key(c, b->keys[i], error);
    if (status != STRATA_OK || count == 0) return status;
    status = make_room(b, count, error);
    if (status != STRATA_OK) return status;
    memcpy(b->values, values, (size_t)count * sizeof *values);
    for (size_t i = 0; i < b->count; i++)
        if (values[i].type != STRATA_LINK) st_unmark_overflow(&b->values[i]);
    st_source_edited(c->view, c->column, c->origin, c->edit, &b->source);
    sort(b);
    status = find_targets(b, error);
    if (status != STRATA_OK) return status;
    status = copy(b, error);
    if (status == STRATA_OK) status = apply(b, out_inserted, error);
    status = st_change_end(c->view, status, error);
    if (status != STRATA_OK) *out_inserted = 0;
    return status;
}

strata_status strata_set_insert_all(strata_row *row, uint32_t column, const strata_value *values, uint64_t count,
                                    uint64_t *out_inserted, strata_error *error) {
    bulk b = { .keys = NULL };
    *out_inserted = 0;
    strata_status status = st_change_begin(row, column, STRATA_SET, &b.change, error);
    if (status == STRATA_OK) status = change_all(&b, values, count, out_inserted, error);
    free(b.items);
    return status;
}

strata_status strata_map_set_all(strata_row *row, uint32_t column, const strata_bytes *keys,
                                 const strata_value *values, uint64_t count, strata_error *error) {
    bulk b = { .keys = keys };
    uint64_t inserted = 0;
    strata_status status = st_change_begin(row, column, STRATA_MAP, &b.change, error);
    if (status == STRATA_OK && count != 0 && keys == NULL)
        status = st_no_address(b.change.table, b.change.column, "keys", error);
    if (status == STRATA_OK) status = change_all(&b, values, count, &inserted, error);
    free(b.items);
    return status;
}
