/* SPDX-License-Identifier: MIT
 * found_records.c -- the best copies of records of the main tree. */
#include "upkeep/found_records.h"

#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/status.h"

static const uint8_t ROOT_KEY[8] = { 0, 'c', 'a', 't', 0, 0, 0, 0 };

static bool is_better(const st_find *find, const st_found_record *kept) {
    if (find->rank != kept->rank) return find->rank < kept->rank;
    return find->version > kept->version;
}

static uint32_t hash_of(const uint8_t key[8]) {
    return (uint32_t)(strata_load64(key) * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

static st_found_record *find_key(const st_found_records *records, const uint8_t key[8]) {
    const st_hash_table *table = &records->by_key;
    uint32_t hash = hash_of(key);
    if (table->size == 0) return NULL;
    for (size_t at = hash & (table->size - 1); table->slots[at].position != 0; at = (at + 1) & (table->size - 1)) {
        st_found_record *item = &records->items[table->slots[at].position - 1];
        if (table->slots[at].hash == hash && memcmp(item->key, key, 8) == 0) return item;
    }
    return NULL;
}

static st_found_record *add(st_found_records *records, const uint8_t key[8]) {
    if (records->count >= UINT32_MAX / 2 || !st_hash_table_reserve(&records->by_key)) return NULL;
    if (!st_array_grow((void **)&records->items, &records->capacity, records->count, sizeof *records->items))
        return NULL;
    st_found_record *added = &records->items[records->count++];
    *added = (st_found_record){ .rank = ST_PAGE_REACHED };
    memcpy(added->key, key, 8);
    st_hash_table_add(&records->by_key, hash_of(key), records->count - 1);
    return added;
}

/* A copy that is not larger than the one before takes its place. */
static bool set_value(st_found_records *records, st_found_record *record, strata_bytes value) {
    if (value.size > record->room || record->bytes == NULL) {
        record->bytes = st_arena_alloc(&records->bytes, value.size + 1);
        record->room = value.size;
    }
    if (record->bytes == NULL) return false;
    memcpy(record->bytes, value.data, value.size);
    record->value = (strata_bytes){ record->bytes, value.size };
    return true;
}

strata_status st_found_records_take(void *context, const st_find *find, strata_error *error) {
    st_found_records *records = context;
    if (find->tree != ST_META) return STRATA_OK;
    bool is_header = memcmp(find->key.data, st_header_key, ST_HEADER_KEY_SIZE) == 0;
    if (is_header && find->version == 0) return STRATA_OK; /* damaged */
    st_found_record *record = find_key(records, find->key.data);
    if (record != NULL && !is_better(find, record)) return STRATA_OK;
    if (record == NULL) record = add(records, find->key.data);
    if (record == NULL || !set_value(records, record, find->value)) return st_no_memory(error, "salvaging a store");
    record->rank = find->rank;
    record->version = find->version;
    record->page = find->page;
    return STRATA_OK;
}

bool st_found_records_add(st_found_records *records, const uint8_t key[8], strata_bytes value) {
    st_found_record *record = find_key(records, key);
    if (record == NULL) record = add(records, key);
    return record != NULL && set_value(records, record, value);
}

const st_found_record *st_found_records_get(const st_found_records *records, const uint8_t key[8]) {
    return find_key(records, key);
}

const st_found_record *st_found_records_of_table(const st_found_records *records, const char kind[3], uint32_t table) {
    uint8_t key[8] = { 0, (uint8_t)kind[0], (uint8_t)kind[1], (uint8_t)kind[2] };
    st_store_big32(key + 4, table);
    return find_key(records, key);
}

bool st_found_records_complete(const st_found_records *records) {
    const st_found_record *root = find_key(records, ROOT_KEY);
    if (root == NULL || root->value.size < 8 || find_key(records, st_header_key) == NULL) return false;
    uint32_t tables = strata_load32((const uint8_t *)root->value.data + 4);
    if (tables > STRATA_MAX_TABLES) return false;
    for (uint32_t t = 0; t < tables; t++)
        if (st_found_records_of_table(records, "tab", t) == NULL) return false;
    return true;
}

void st_found_records_free(st_found_records *records) {
    free(records->items);
    st_hash_table_free(&records->by_key);
    st_arena_free(&records->bytes);
    *records = (st_found_records){ 0 };
}
