/* SPDX-License-Identifier: MIT
 * family.c -- observers that look at the same tables and columns, and differ in the object or in one value. */
#include "observe/family.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/status.h"
#include "observe/roots.h"

enum { FEW = 16 /* buckets: it takes less to ask them all */ };

/* The home of an object that may be in the state of anybody. */
#define ANY UINT32_MAX

/* ---- The family ------------------------------------------------------- */

st_family *st_family_make(const strata_observer *like, const st_buffer *name) {
    st_family *family = calloc(1, sizeof *family + name->size);
    if (family == NULL) return NULL;
    uint8_t *bytes = (uint8_t *)(family + 1);
    memcpy(bytes, name->data, name->size);
    family->named.bytes = bytes;
    family->named.size = name->size;
    family->by = like->by;
    if (like->kind->concerns(like, &family->concerns, &family->beyond)) return family;
    st_family_free(family);
    return NULL;
}

void st_family_free(st_family *f) {
    st_concerns_free(&f->concerns);
    st_concerns_free(&f->beyond);
    st_names_free(&f->buckets);
    st_key_map_free(&f->homes);
    free(f->numbered);
    free(f);
}

/* Some observer; all of a family look at the same. */
static strata_observer *anybody(const st_family *f) {
    uint32_t i = 0;
    while (f->numbered[i] == NULL) i++;
    return f->numbered[i]->first;
}

bool st_family_refresh(st_family *f) {
    st_concerns concerns = { 0 }, beyond = { 0 };
    const strata_observer *like = anybody(f);
    bool done = like->kind->concerns(like, &concerns, &beyond);
    st_concerns_free(done ? &f->concerns : &concerns);
    st_concerns_free(done ? &f->beyond : &beyond);
    if (done) f->concerns = concerns, f->beyond = beyond;
    return done;
}

size_t st_family_memory(const st_family *f) {
    size_t concerns = (f->concerns.capacity + f->beyond.capacity) * sizeof *f->concerns.items;
    size_t buckets = f->buckets.slot_count * sizeof *f->buckets.slots + f->number_capacity * sizeof *f->numbered;
    return sizeof *f + f->named.size + concerns + buckets + st_key_map_memory(&f->homes);
}

/* ---- Buckets ---------------------------------------------------------- */

static bool number(st_family *f, st_bucket *bucket) {
    uint32_t i = f->number_count;
    if (f->free_count != 0) {
        for (i = 0; f->numbered[i] != NULL;) i++;
        f->free_count--;
    } else {
        if (!st_array_grow((void **)&f->numbered, &f->number_capacity, f->number_count, sizeof *f->numbered))
            return false;
        f->number_count++;
    }
    f->numbered[i] = bucket;
    bucket->number = i + 1;
    return true;
}

static void free_number(st_family *f, uint32_t number) {
    f->numbered[number - 1] = NULL;
    f->free_count++;
}

static st_bucket *make_bucket(st_family *f, const st_buffer *name) {
    st_bucket *bucket = malloc(sizeof *bucket + name->size);
    if (bucket == NULL) return NULL;
    uint8_t *bytes = (uint8_t *)(bucket + 1);
    if (name->size != 0) memcpy(bytes, name->data, name->size);
    *bucket = (st_bucket){ .named = { .bytes = bytes, .size = name->size }, .family = f };
    if (number(f, bucket)) {
        if (st_names_add(&f->buckets, &bucket->named)) return bucket;
        free_number(f, bucket->number);
    }
    free(bucket);
    return NULL;
}

static st_bucket *find_bucket(const st_family *f, const st_buffer *name) {
    return (st_bucket *)st_names_find(&f->buckets, name->data, name->size); /* `named` is its first field */
}

/* The bytes by which the bucket of an observer is found. */
static bool name_bucket(const strata_observer *o, st_buffer *out) {
    switch (o->by) {
    case ST_BY_KEY: return st_buffer_append(out, &o->key, sizeof o->key);
    case ST_BY_VALUE: return st_constant_name(o->constant.value, out);
    default: return true;
    }
}

bool st_family_add(st_family *f, strata_observer *o) {
    st_buffer name = { NULL, 0, 0 };
    st_bucket *bucket = NULL;
    if (name_bucket(o, &name)) {
        bucket = find_bucket(f, &name);
        if (bucket == NULL) bucket = make_bucket(f, &name);
    }
    st_buffer_free(&name);
    if (bucket == NULL) return false;
    o->bucket = bucket;
    o->previous_alike = bucket->last;
    if (bucket->last == NULL) bucket->first = o;
    else bucket->last->next_alike = o;
    bucket->last = o;
    if (f->homes.count == 0) return true;
    uint64_t *keys;
    size_t count;
    if (o->kind->keys(o, &keys, &count)) {
        st_family_claim(o, keys, count);
        free(keys);
    } else {
        st_key_map_free(&f->homes);
    }
    return true;
}

/* Forgets the homes of objects that were in the state of an observer, the last one of its bucket. */
static void leave_homes(st_family *f, const strata_observer *o) {
    uint64_t *keys;
    size_t count;
    if (f->homes.count == 0 || !o->kind->keys(o, &keys, &count)) return;
    for (size_t i = 0; i < count; i++)
        if (st_key_map_get(&f->homes, keys[i]) == o->bucket->number) st_key_map_remove(&f->homes, keys[i]);
    free(keys);
}

void st_family_remove(strata_observer *o) {
    st_bucket *bucket = o->bucket;
    st_family *f = bucket->family;
    if (o->previous_alike == NULL) bucket->first = o->next_alike;
    else o->previous_alike->next_alike = o->next_alike;
    if (o->next_alike == NULL) bucket->last = o->previous_alike;
    else o->next_alike->previous_alike = o->previous_alike;
    if (bucket->first == NULL) {
        leave_homes(f, o);
        st_names_remove(&f->buckets, &bucket->named);
        free_number(f, bucket->number);
        free(bucket);
        if (f->buckets.count <= FEW / 2) st_key_map_free(&f->homes);
    }
    o->bucket = NULL;
}

/* ---- Homes ------------------------------------------------------------ */

bool st_family_has_homes(const strata_observer *o) {
    return o->bucket != NULL && o->bucket->family->homes.slot_count != 0;
}

void st_family_claim(strata_observer *o, const uint64_t *keys, size_t count) {
    if (!st_family_has_homes(o)) return;
    st_family *f = o->bucket->family;
    for (size_t i = 0; i < count; i++) {
        uint32_t home = st_key_map_get(&f->homes, keys[i]);
        if (home == o->bucket->number || home == ANY) continue;
        if (st_key_map_set(&f->homes, keys[i], home == 0 ? o->bucket->number : ANY)) continue;
        st_key_map_free(&f->homes); /* from then on everybody is asked, until there is memory */
        return;
    }
}

/* Notes the homes of all objects in the states of observers. False if there is no memory. */
static bool make_homes(st_family *f) {
    bool done = st_key_map_set(&f->homes, UINT64_MAX, ANY); /* no object; so that there are homes */
    for (uint32_t i = 0; i < f->number_count && done; i++) {
        strata_observer *o = f->numbered[i] == NULL ? NULL : f->numbered[i]->first;
        for (; o != NULL && done; o = o->next_alike) {
            uint64_t *keys;
            size_t count;
            done = o->kind->keys(o, &keys, &count);
            if (!done) break;
            st_family_claim(o, keys, count);
            free(keys);
            done = f->homes.count != 0;
        }
    }
    if (!done) st_key_map_free(&f->homes);
    return done;
}

/* ---- Who is concerned ------------------------------------------------- */

/* A search for whom a change set concerns. */
typedef struct search {
    st_family *family;
    st_walker *walker;
    st_due *due;
    uint64_t seen;
    st_key_set keys; /* of the objects that it concerns */
    st_buffer name;
} search;

static void mark_bucket(search *s, const st_bucket *bucket) {
    for (strata_observer *o = bucket == NULL ? NULL : bucket->first; o != NULL; o = o->next_alike)
        st_due_mark(s->due, o, s->seen);
}

static void mark_all(search *s) {
    for (uint32_t i = 0; i < s->family->number_count; i++) mark_bucket(s, s->family->numbered[i]);
}

static strata_status no_memory(const search *s) { return st_no_memory(s->walker->error, "looking for observers"); }

static strata_status mark_keys(search *s) {
    for (size_t i = 0; i < s->keys.count; i++) {
        s->name.size = 0;
        if (!st_buffer_append(&s->name, &s->keys.items[i], sizeof s->keys.items[i])) return no_memory(s);
        mark_bucket(s, find_bucket(s->family, &s->name));
    }
    return STRATA_OK;
}

/* Marks those of the value that an object has, which becomes its home, and those of the one that it had. */
static strata_status mark_object(search *s, const strata_observer *like, uint64_t key) {
    st_family *f = s->family;
    uint32_t home = st_key_map_get(&f->homes, key), now = 0;
    bool known;
    if (home == ANY) mark_all(s);
    else if (home != 0) mark_bucket(s, f->numbered[home - 1]);
    s->name.size = 0;
    ++*s->walker->rows_visited;
    strata_status status = st_constant_name_of(&like->constant, like->view, like->table, key, &s->name, &known,
                                               s->walker->error);
    if (status != STRATA_OK) return status;
    const st_bucket *bucket = known && s->name.size != 0 ? find_bucket(f, &s->name) : NULL;
    if (!known) {
        mark_all(s);
        now = ANY;
    } else if (bucket != NULL) {
        mark_bucket(s, bucket);
        now = bucket->number;
    }
    if (now == 0) st_key_map_remove(&f->homes, key);
    else if (!st_key_map_set(&f->homes, key, now)) return no_memory(s);
    return STRATA_OK;
}

static strata_status mark_values(search *s, const strata_observer *like) {
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < s->keys.count && status == STRATA_OK; i++)
        status = mark_object(s, like, s->keys.items[i]);
    return status;
}

/* Whether there are so few that they are asked without looking for them. */
static bool ask_all(search *s, const st_change_set *changes, const st_concerns *changed) {
    st_family *f = s->family;
    if (f->by == ST_BY_CLASS || changes->whole || st_concerns_meet(changed, &f->beyond)) return true;
    if (f->buckets.count <= FEW && f->homes.count == 0) return true;
    return f->by == ST_BY_VALUE && f->homes.count == 0 && !make_homes(f);
}

static strata_status search_all(search *s, const st_change_set *changes, const st_concerns *changed) {
    st_family *f = s->family;
    bool all = ask_all(s, changes, changed), unknown = false;
    strata_observer *like = anybody(f);
    strata_status status = STRATA_OK;
    if (!all) status = like->kind->find(like, s->walker, changes, &s->keys, &unknown);
    if (status != STRATA_OK) return status;
    if (all || unknown) {
        st_key_map_free(&f->homes); /* nobody knows to whose value an object went */
        mark_all(s);
        return STRATA_OK;
    }
    return f->by == ST_BY_KEY ? mark_keys(s) : mark_values(s, like);
}

strata_status st_family_find(st_family *f, st_walker *walker, const st_change_set *changes,
                             const st_concerns *changed, st_due *due, uint64_t seen) {
    if (!changes->whole && !st_concerns_meet(changed, &f->concerns)) return STRATA_OK;
    search s = { .family = f, .walker = walker, .due = due, .seen = seen };
    strata_status status = search_all(&s, changes, changed);
    st_key_set_free(&s.keys);
    st_buffer_free(&s.name);
    return status;
}
