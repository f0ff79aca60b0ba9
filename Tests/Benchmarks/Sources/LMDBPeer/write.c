/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "rows.h"

/* ---- Rows ------------------------------------------------------------- */

static void put(store *s, database in, uint64_t key, const void *data, size_t size, unsigned flags) {
    MDB_val k = lmdb_word(&key), value = { size, (void *)(uintptr_t)data };
    lmdb_must(mdb_cursor_put(s->cursors[in], &k, &value, flags));
}
static void put_entry(store *s, database in, uint64_t key, uint64_t object, unsigned flags) {
    put(s, in, key, &object, sizeof object, flags);
}

static bench_dog put_dog(store *s, uint64_t index) {
    bench_dog dog = bench_make_dog(index);
    char buffer[sizeof(dog_row) + sizeof dog.name];
    dog_row row = { .id = dog.id, .name_size = (uint16_t)dog.name_size };
    memcpy(buffer, &row, sizeof row);
    memcpy(buffer + sizeof row, dog.name, dog.name_size);
    put(s, DOGS, lmdb_key(index), buffer, sizeof row + dog.name_size, MDB_APPEND);
    return dog;
}

static bench_person put_person(store *s, uint64_t index) {
    bench_person person = bench_make_person(s->n, index);
    char buffer[sizeof(person_row) + BENCH_NAME_SIZE + BENCH_EMAIL_SIZE];
    uint16_t email_size = person.has_email ? BENCH_EMAIL_SIZE : 0;
    person_row row = { person.id, person.age, person.created, person.score, lmdb_key(person.dog),
                       BENCH_NAME_SIZE, email_size, person.has_email };
    memcpy(buffer, &row, sizeof row);
    memcpy(buffer + sizeof row, person.name, BENCH_NAME_SIZE);
    memcpy(buffer + sizeof row + BENCH_NAME_SIZE, person.email, email_size);
    put(s, PERSONS, lmdb_key(index), buffer, sizeof row + BENCH_NAME_SIZE + email_size, MDB_APPEND);
    return person;
}

/* ---- Bulk insert ------------------------------------------------------ */

typedef struct entry {
    uint64_t key, object;
} entry;

/** Sorts by key, a byte at a time from the lowest one up, in as many passes as the largest key has bytes. */
static void sort_entries(entry *entries, entry *spare, uint64_t count) {
    uint64_t all = 0;
    for (uint64_t i = 0; i < count; i++) all |= entries[i].key;
    entry *from = entries, *to = spare;
    for (unsigned shift = 0; shift < 64 && all >> shift != 0; shift += 8) {
        uint64_t starts[257] = { 0 };
        for (uint64_t i = 0; i < count; i++) starts[(from[i].key >> shift & 255) + 1]++;
        for (unsigned b = 0; b < 256; b++) starts[b + 1] += starts[b];
        for (uint64_t i = 0; i < count; i++) to[starts[from[i].key >> shift & 255]++] = from[i];
        entry *other = from;
        from = to;
        to = other;
    }
    if (from != entries) memcpy(entries, from, (size_t)count * sizeof *entries);
}

/** Appending in order is many times as fast as inserting each entry where it belongs. */
static void put_entries(store *s, database in, entry *entries, entry *spare) {
    unsigned flags = in == PERSON_IDS ? MDB_APPEND : MDB_APPENDDUP;
    sort_entries(entries, spare, s->n);
    for (uint64_t i = 0; i < s->n; i++) put_entry(s, in, entries[i].key, entries[i].object, flags);
}

double lmdb_insert_all(store *s) {
    size_t size = (size_t)s->n * sizeof(entry);
    entry *ids = malloc(size), *ages = malloc(size), *owned = malloc(size), *spare = malloc(size);
    if (ids == NULL || ages == NULL || owned == NULL || spare == NULL) bench_fail("lmdb", "entries", "no memory");
    lmdb_begin(s);
    for (uint64_t i = 0; i < bench_dogs(s->n); i++)
        put_entry(s, DOG_IDS, (uint64_t)put_dog(s, i).id, lmdb_key(i), MDB_APPEND);
    for (uint64_t i = 0; i < s->n; i++) {
        bench_person person = put_person(s, i);
        uint64_t object = lmdb_key(i);
        ids[i] = (entry){ (uint64_t)person.id, object };
        ages[i] = (entry){ (uint64_t)person.age, object };
        owned[i] = (entry){ lmdb_key(person.dog), object };
    }
    put_entries(s, PERSON_IDS, ids, spare);
    put_entries(s, AGES, ages, spare);
    put_entries(s, OWNED, owned, spare);
    lmdb_commit(s);
    free(ids);
    free(ages);
    free(owned);
    free(spare);
    return (double)(s->n + bench_dogs(s->n));
}

/* ---- Changes ---------------------------------------------------------- */

double lmdb_commit_persons(store *s, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index = s->n + s->committed++;
        lmdb_begin(s);
        bench_person person = put_person(s, index);
        put_entry(s, PERSON_IDS, (uint64_t)person.id, lmdb_key(index), MDB_NOOVERWRITE);
        put_entry(s, AGES, (uint64_t)person.age, lmdb_key(index), 0);
        put_entry(s, OWNED, lmdb_key(person.dog), lmdb_key(index), 0);
        lmdb_commit(s);
    }
    return (double)count;
}

/** Copies the row, which the next change of the store may move, changes it and puts it back. */
static void change(store *s, uint64_t index, const double *score, const int64_t *age, int64_t *out_old_age) {
    uint64_t key = lmdb_key(index);
    MDB_val k = lmdb_word(&key), value;
    char buffer[sizeof(person_row) + BENCH_NAME_SIZE + BENCH_EMAIL_SIZE];
    person_row row;
    lmdb_must(mdb_cursor_get(s->cursors[PERSONS], &k, &value, MDB_SET));
    memcpy(buffer, value.mv_data, value.mv_size);
    memcpy(&row, buffer, sizeof row);
    *out_old_age = row.age;
    if (score != NULL) row.score = *score;
    if (age != NULL) row.age = *age;
    memcpy(buffer, &row, sizeof row);
    value.mv_data = buffer;
    lmdb_must(mdb_cursor_put(s->cursors[PERSONS], &k, &value, MDB_CURRENT));
}

static void remove_entry(store *s, database in, uint64_t key, uint64_t object) {
    MDB_val k = lmdb_word(&key), value = lmdb_word(&object);
    lmdb_must(mdb_cursor_get(s->cursors[in], &k, &value, MDB_GET_BOTH));
    lmdb_must(mdb_cursor_del(s->cursors[in], 0));
}

double lmdb_update_scores(store *s, uint64_t count) {
    int64_t old_age;
    lmdb_begin(s);
    for (uint64_t j = 0; j < count; j++) {
        double score = bench_new_score(j);
        change(s, bench_choose(STREAM_CHANGED, s->n, j), &score, NULL, &old_age);
    }
    lmdb_commit(s);
    return (double)count;
}

double lmdb_update_ages(store *s, uint64_t count) {
    int64_t old_age;
    lmdb_begin(s);
    for (uint64_t j = 0; j < count; j++) {
        uint64_t index = bench_choose(STREAM_AGED, s->n, j);
        int64_t age = bench_new_age(j);
        change(s, index, NULL, &age, &old_age);
        if (old_age == age) continue;
        remove_entry(s, AGES, (uint64_t)old_age, lmdb_key(index));
        put_entry(s, AGES, (uint64_t)age, lmdb_key(index), 0);
    }
    lmdb_commit(s);
    return (double)count;
}

double lmdb_delete_persons(store *s, uint64_t count) {
    const uint32_t *deleted = bench_deleted(s->n);
    lmdb_begin(s);
    for (uint64_t j = 0; j < count; j++) {
        uint64_t object = lmdb_key(deleted[j]), id;
        person_row row;
        memcpy(&row, lmdb_get(s, PERSONS, object), sizeof row);
        lmdb_must(mdb_cursor_del(s->cursors[PERSONS], 0));
        id = (uint64_t)row.id;
        (void)lmdb_get(s, PERSON_IDS, id);
        lmdb_must(mdb_cursor_del(s->cursors[PERSON_IDS], 0));
        remove_entry(s, AGES, (uint64_t)row.age, object);
        remove_entry(s, OWNED, row.dog, object);
    }
    lmdb_commit(s);
    return (double)count;
}
