/* SPDX-License-Identifier: MIT
 * classes.c -- which objects agree in all of some keys. */
#include "query/classes.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/status.h"

enum { FIRST_SLOTS = 64 };

void st_classes_begin(st_classes *classes, st_query *query, st_reach *keys, uint32_t key_count) {
    *classes = (st_classes){ .query = query, .keys = keys, .key_count = key_count, .last = UINT32_MAX };
    classes->numbers = key_count == 1 && keys[0].kind != ST_KIND_BYTES;
}

void st_classes_free(st_classes *classes) {
    free(classes->items);
    free(classes->slots);
    st_buffer_free(&classes->wanted);
    st_arena_free(&classes->memory);
    *classes = (st_classes){ 0 };
}

static bool no_memory(st_classes *classes) {
    st_query_fail(classes->query, st_no_memory(classes->query->error, "telling values apart"));
    return false;
}

/* ---- The table -------------------------------------------------------- */

static uint64_t spread(uint64_t number) { return st_hash_end(number); }

static uint64_t hash_bytes(const uint8_t *p, size_t size) {
    uint64_t hash = size * UINT64_C(0x9e3779b97f4a7c15);
    for (; size >= 8; p += 8, size -= 8) hash = (hash ^ strata_load64(p)) * UINT64_C(0xff51afd7ed558ccd) ^ hash >> 29;
    return st_hash_more(hash, p, size);
}

static void place_item(st_classes *c, uint32_t number) {
    size_t at = spread(c->items[number].hash + c->items[number].null) & (c->slot_count - 1);
    while (c->slots[at] != 0) at = (at + 1) & (c->slot_count - 1);
    c->slots[at] = number + 1;
}

static bool grow_slots(st_classes *c) {
    size_t wanted = c->slot_count == 0 ? FIRST_SLOTS : 2 * c->slot_count;
    uint32_t *slots = c->count > UINT32_MAX - 8 ? NULL : calloc(wanted, sizeof *slots);
    if (slots == NULL) return no_memory(c);
    free(c->slots);
    c->slots = slots;
    c->slot_count = wanted;
    for (uint32_t i = 0; i < c->count; i++) place_item(c, i);
    return true;
}

static bool is_item(const st_class *a, const st_class *b) {
    return a->hash == b->hash && a->null == b->null && a->size == b->size &&
           (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static bool find_item(st_classes *c, const st_class *wanted, uint32_t *out, bool *is_new) {
    *is_new = false;
    if (c->last < c->count && is_item(&c->items[c->last], wanted)) { /* neighbours often agree */
        *out = c->last;
        return true;
    }
    if (c->slot_count == 0 && !grow_slots(c)) return false;
    size_t at = spread(wanted->hash + wanted->null) & (c->slot_count - 1);
    for (; c->slots[at] != 0; at = (at + 1) & (c->slot_count - 1)) {
        *out = c->last = c->slots[at] - 1;
        if (is_item(&c->items[*out], wanted)) return true;
    }
    if (c->count == c->capacity) {
        void *items = c->items;
        if (!st_array_grow(&items, &c->capacity, c->count, sizeof *c->items)) return no_memory(c);
        c->items = items;
    }
    st_class *item = &c->items[c->count];
    *item = *wanted;
    if (wanted->size != 0) {
        uint8_t *copy = st_arena_alloc(&c->memory, wanted->size);
        if (copy == NULL) return no_memory(c);
        memcpy(copy, wanted->bytes, wanted->size);
        item->bytes = copy;
    }
    c->slots[at] = c->count + 1;
    *out = c->last = c->count++;
    *is_new = true;
    return (size_t)c->count * 3 <= c->slot_count * 2 || grow_slots(c);
}

/* ---- Rows ------------------------------------------------------------- */

/* Appends what tells values of a key apart; values of several keys never run into each other. */
static bool append_key(st_classes *c, st_reach *key, uint32_t slot, st_reached reached) {
    uint8_t head[9] = { (uint8_t)reached };
    strata_bytes bytes = { NULL, 0 };
    bool lasting;
    if (reached != ST_REACHED_VALUE) return st_buffer_append(&c->wanted, head, 1) || no_memory(c);
    if (key->kind == ST_KIND_BYTES && !st_reach_bytes(c->query, key, slot, &bytes, &lasting)) return false;
    uint64_t number = key->kind == ST_KIND_BYTES ? bytes.size : st_reach_number(key, slot);
    memcpy(head + 1, &number, sizeof number);
    if (!st_buffer_append(&c->wanted, head, sizeof head)) return no_memory(c);
    return bytes.size == 0 || st_buffer_append(&c->wanted, bytes.data, bytes.size) || no_memory(c);
}

bool st_classes_find(st_classes *c, const st_place *place, bool as_null, uint32_t *out, bool *is_new) {
    uint32_t slot = 0;
    c->wanted.size = 0;
    for (uint32_t i = 0; i < c->key_count; i++) {
        st_reached reached = st_reach_cell(c->query, &c->keys[i], place, &slot);
        if (c->query->status != STRATA_OK || (reached == ST_REACHED_NOTHING && !as_null)) return false;
        if (reached == ST_REACHED_NOTHING) reached = ST_REACHED_NULL;
        if (c->numbers) {
            st_class wanted = { .null = reached == ST_REACHED_NULL };
            if (!wanted.null) wanted.hash = st_reach_number(&c->keys[i], slot);
            return find_item(c, &wanted, out, is_new);
        }
        if (!append_key(c, &c->keys[i], slot, reached)) return false;
    }
    if (c->wanted.size > UINT32_MAX) return no_memory(c);
    st_class wanted = { hash_bytes(c->wanted.data, c->wanted.size), c->wanted.data, (uint32_t)c->wanted.size, false };
    return find_item(c, &wanted, out, is_new);
}
