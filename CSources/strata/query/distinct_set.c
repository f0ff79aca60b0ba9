/* SPDX-License-Identifier: MIT
 * distinct_set.c -- the distinct keys of rows: a hash table. */
#include "query/distinct_set.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"

enum { FIRST_SLOTS = 64 };

void st_distinct_set_begin(st_distinct_set *set, st_query *query, st_key_reader *readers, uint32_t reader_count) {
    *set = (st_distinct_set){ .query = query, .readers = readers, .reader_count = reader_count, .last = UINT32_MAX };
    set->numbers = reader_count == 1 && readers[0].kind != ST_KIND_BYTES;
}

void st_distinct_set_free(st_distinct_set *set) {
    free(set->items);
    free(set->slots);
    st_buffer_free(&set->wanted);
    st_arena_free(&set->memory);
    *set = (st_distinct_set){ 0 };
}

static bool no_memory(st_distinct_set *set) {
    return st_query_no_memory(set->query, "telling values apart");
}

/* ---- The hash table --------------------------------------------------- */

/* The slot at which the search for a key begins. */
static size_t first_slot(const st_distinct_set *c, const st_distinct_key *key) {
    uint64_t hash = c->numbers ? st_hash_number(&st_hash_key_of_process, key->hash + key->null) : key->hash;
    return hash & (c->slot_count - 1);
}

static void insert_item(st_distinct_set *c, uint32_t number) {
    size_t at = first_slot(c, &c->items[number]);
    while (c->slots[at] != 0) at = (at + 1) & (c->slot_count - 1);
    c->slots[at] = number + 1;
}

static bool grow_slots(st_distinct_set *c) {
    size_t wanted = c->slot_count == 0 ? FIRST_SLOTS : 2 * c->slot_count;
    uint32_t *slots = c->count > UINT32_MAX - 8 ? NULL : calloc(wanted, sizeof *slots);
    if (slots == NULL) return no_memory(c);
    free(c->slots);
    c->slots = slots;
    c->slot_count = wanted;
    for (uint32_t i = 0; i < c->count; i++) insert_item(c, i);
    return true;
}

static bool is_item(const st_distinct_key *a, const st_distinct_key *b) {
    return a->hash == b->hash && a->null == b->null && a->size == b->size &&
           (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}

static bool find_item(st_distinct_set *c, const st_distinct_key *wanted, uint32_t *out, bool *is_new) {
    *is_new = false;
    if (c->last < c->count && is_item(&c->items[c->last], wanted)) { /* rows beside each other often agree */
        *out = c->last;
        return true;
    }
    if (c->slot_count == 0 && !grow_slots(c)) return false;
    size_t at = first_slot(c, wanted);
    for (; c->slots[at] != 0; at = (at + 1) & (c->slot_count - 1)) {
        *out = c->last = c->slots[at] - 1;
        if (is_item(&c->items[*out], wanted)) return true;
    }
    if (c->count == c->capacity) {
        void *items = c->items;
        if (!st_array_grow(&items, &c->capacity, c->count, sizeof *c->items)) return no_memory(c);
        c->items = items;
    }
    st_distinct_key *item = &c->items[c->count];
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

/* Appends the bytes of one value to the key. Each value begins with its size, so that no two keys of several values
 * have the same bytes. */
static bool append_key(st_distinct_set *c, st_key_reader *key, uint32_t slot, st_key_read read) {
    uint8_t head[9] = { (uint8_t)read };
    strata_bytes bytes = { NULL, 0 };
    bool lasting;
    if (read != ST_READ_VALUE) return st_buffer_append(&c->wanted, head, 1) || no_memory(c);
    if (key->kind == ST_KIND_BYTES && !st_key_reader_bytes(c->query, key, slot, &bytes, &lasting)) return false;
    uint64_t number = key->kind == ST_KIND_BYTES ? bytes.size : st_key_reader_number(key, slot);
    memcpy(head + 1, &number, sizeof number);
    if (!st_buffer_append(&c->wanted, head, sizeof head)) return no_memory(c);
    return bytes.size == 0 || st_buffer_append(&c->wanted, bytes.data, bytes.size) || no_memory(c);
}

bool st_distinct_set_find(st_distinct_set *c, const st_stored_row *row, bool as_null, uint32_t *out, bool *is_new) {
    uint32_t slot = 0;
    c->wanted.size = 0;
    for (uint32_t i = 0; i < c->reader_count; i++) {
        st_key_read read = st_key_reader_find(c->query, &c->readers[i], row, &slot);
        if (c->query->status != STRATA_OK || (read == ST_READ_NOTHING && !as_null)) return false;
        if (read == ST_READ_NOTHING) read = ST_READ_NULL;
        if (c->numbers) {
            st_distinct_key wanted = { .null = read == ST_READ_NULL };
            if (!wanted.null) wanted.hash = st_key_reader_number(&c->readers[i], slot);
            return find_item(c, &wanted, out, is_new);
        }
        if (!append_key(c, &c->readers[i], slot, read)) return false;
    }
    if (c->wanted.size > UINT32_MAX) return no_memory(c);
    uint64_t hash = st_hash(&st_hash_key_of_process, c->wanted.data, c->wanted.size);
    st_distinct_key wanted = { hash, c->wanted.data, (uint32_t)c->wanted.size, false };
    return find_item(c, &wanted, out, is_new);
}
