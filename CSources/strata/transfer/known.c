/* SPDX-License-Identifier: MIT
 * known.c -- the objects that an import has met. */
#include "transfer/known.h"

#include <string.h>

#include "base/hash.h"
#include "base/status.h"

static st_known_object *object_at(const st_known *known, size_t position) {
    return (st_known_object *)(void *)known->objects.data + position;
}

static uint32_t hash_of_name(uint32_t table, strata_bytes name) {
    st_hash_state state;
    st_hash_begin(&state, &st_hash_key_of_process);
    st_hash_more(&state, &table, sizeof table);
    st_hash_more(&state, name.data, name.size);
    return (uint32_t)st_hash_end(&state);
}

static uint32_t hash_of_key(uint32_t table, uint64_t key) {
    return (uint32_t)st_hash_number(&st_hash_key_of_process, key << 16 ^ table);
}

st_known_object *st_known_named(const st_known *known, uint32_t table, strata_bytes name) {
    const st_hash_table *t = &known->by_name;
    if (t->size == 0) return NULL;
    uint32_t hash = hash_of_name(table, name);
    for (size_t at = hash & (t->size - 1); t->slots[at].position != 0; at = (at + 1) & (t->size - 1)) {
        if (t->slots[at].hash != hash) continue;
        st_known_object *object = object_at(known, t->slots[at].position - 1);
        if (object->table == table && object->name_size == name.size &&
            memcmp(known->names.data + object->name, name.data, name.size) == 0)
            return object;
    }
    return NULL;
}

st_known_object *st_known_key(const st_known *known, uint32_t table, uint64_t key) {
    const st_hash_table *t = &known->by_key;
    if (t->size == 0) return NULL;
    uint32_t hash = hash_of_key(table, key);
    for (size_t at = hash & (t->size - 1); t->slots[at].position != 0; at = (at + 1) & (t->size - 1)) {
        if (t->slots[at].hash != hash) continue;
        st_known_object *object = object_at(known, t->slots[at].position - 1);
        if (object->table == table && object->key == key) return object;
    }
    return NULL;
}

static strata_status no_memory(strata_error *error) { return st_no_memory(error, "noting imported objects"); }

static strata_status set_name(st_known *known, st_known_object *object, strata_bytes name, strata_error *error) {
    if (!st_hash_table_reserve(&known->by_name) || !st_buffer_append(&known->names, name.data, name.size))
        return no_memory(error);
    object->name = known->names.size - name.size;
    object->name_size = (uint32_t)name.size;
    st_hash_table_add(&known->by_name, hash_of_name(object->table, name),
                      (size_t)(object - object_at(known, 0)));
    return STRATA_OK;
}

strata_status st_known_add(st_known *known, uint32_t table, uint64_t key, strata_bytes name, st_known_state state,
                           strata_error *error) {
    st_known_object *object = st_known_key(known, table, key);
    size_t count = known->objects.size / sizeof *object;
    if (object == NULL) {
        st_known_object fresh = { .key = key, .table = table, .write = known->write, .state = state };
        if (count >= UINT32_MAX - 1)
            return st_fail(error, STRATA_TOO_LARGE, 0, "an import can name 4,294,967,294 objects at most");
        if (!st_hash_table_reserve(&known->by_key) || !st_buffer_append(&known->objects, &fresh, sizeof fresh))
            return no_memory(error);
        st_hash_table_add(&known->by_key, hash_of_key(table, key), count);
        object = object_at(known, count);
    }
    object->was_missing = st_known_was_missing(known, object);
    object->state = state;
    object->write = known->write;
    return name.size == 0 || object->name_size != 0 ? STRATA_OK : set_name(known, object, name, error);
}

bool st_known_was_missing(const st_known *known, const st_known_object *object) {
    return object->write < known->write ? object->state == ST_KNOWN_MISSING : object->was_missing;
}

void st_known_free(st_known *known) {
    st_buffer_free(&known->objects);
    st_buffer_free(&known->names);
    st_hash_table_free(&known->by_name);
    st_hash_table_free(&known->by_key);
}
