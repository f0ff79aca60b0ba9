/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "order.h"
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
    char buffer[ROW_SIZE];
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

/** Appending in order is many times as fast as inserting each entry where it belongs. */
static void put_entries(store *s, database in, entry *entries, entry *spare) {
    unsigned flags = in == PERSON_IDS ? MDB_APPEND : MDB_APPENDDUP;
    entries_sort(entries, spare, s->n);
    for (uint64_t i = 0; i < s->n; i++) put_entry(s, in, entries[i].key, entries[i].object, flags);
}

double lmdb_insert_all(store *s) {
    entry *ids = entries_new(s->n), *ages = entries_new(s->n), *owned = entries_new(s->n), *spare = entries_new(s->n);
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

/* All changes of a transaction are applied at its end, in the order of keys, and then those of each index in its own
 * order: that is many times as fast as applying each where it happens to belong. Of several changes of one row only the
 * last one counts. */

/** The numbers of the operations of a stream by the object keys that they change. */
static entry *changes_by_key(store *s, bench_stream stream, uint64_t count) {
    entry *changes = entries_new(count), *spare = entries_new(count);
    for (uint64_t j = 0; j < count; j++) changes[j] = (entry){ lmdb_key(bench_choose(stream, s->n, j)), j };
    entries_sort(changes, spare, count);
    free(spare);
    return changes;
}

/** Is the change not the last one of its row? */
static bool is_superseded(const entry *changes, uint64_t i, uint64_t count) {
    return i + 1 < count && changes[i + 1].key == changes[i].key;
}

/** Copies the row under a key, which the next change of the store may move. */
static MDB_val fetch(store *s, uint64_t key, char buffer[ROW_SIZE], person_row *out) {
    MDB_val k = lmdb_word(&key), value;
    lmdb_must(mdb_cursor_get(s->cursors[PERSONS], &k, &value, MDB_SET));
    memcpy(buffer, value.mv_data, value.mv_size);
    memcpy(out, buffer, sizeof *out);
    return (MDB_val){ value.mv_size, buffer };
}

/** Puts the row back that was fetched last. */
static void replace(store *s, uint64_t key, MDB_val value, const person_row *row) {
    MDB_val k = lmdb_word(&key);
    memcpy(value.mv_data, row, sizeof *row);
    lmdb_must(mdb_cursor_put(s->cursors[PERSONS], &k, &value, MDB_CURRENT));
}

double lmdb_update_scores(store *s, uint64_t count) {
    entry *changes = changes_by_key(s, STREAM_CHANGED, count);
    char buffer[ROW_SIZE];
    person_row row;
    lmdb_begin(s);
    for (uint64_t i = 0; i < count; i++) {
        if (is_superseded(changes, i, count)) continue;
        MDB_val value = fetch(s, changes[i].key, buffer, &row);
        row.score = bench_new_score(changes[i].object);
        replace(s, changes[i].key, value, &row);
    }
    lmdb_commit(s);
    free(changes);
    return (double)count;
}

/** Marks an entry that leaves an index, beside its object key. */
static const uint64_t leaves = (uint64_t)1 << 63;

/** Takes entries out of an index and puts others in, in its order. */
static void apply_entries(store *s, database in, entry *entries, uint64_t count) {
    entry *spare = entries_new(count);
    entries_sort(entries, spare, count);
    free(spare);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t object = entries[i].object & ~leaves;
        if (object == entries[i].object) {
            put_entry(s, in, entries[i].key, object, 0);
            continue;
        }
        MDB_val key = lmdb_word(&entries[i].key), value = lmdb_word(&object);
        lmdb_must(mdb_cursor_get(s->cursors[in], &key, &value, in == PERSON_IDS ? MDB_SET : MDB_GET_BOTH));
        lmdb_must(mdb_cursor_del(s->cursors[in], 0));
    }
}

double lmdb_update_ages(store *s, uint64_t count) {
    entry *changes = changes_by_key(s, STREAM_AGED, count), *ages = entries_new(2 * count);
    uint64_t moved = 0;
    char buffer[ROW_SIZE];
    person_row row;
    lmdb_begin(s);
    for (uint64_t i = 0; i < count; i++) {
        if (is_superseded(changes, i, count)) continue;
        uint64_t key = changes[i].key;
        int64_t age = bench_new_age(changes[i].object);
        MDB_val value = fetch(s, key, buffer, &row);
        if (row.age == age) continue;
        ages[moved++] = (entry){ (uint64_t)row.age, key | leaves };
        ages[moved++] = (entry){ (uint64_t)age, key };
        row.age = age;
        replace(s, key, value, &row);
    }
    apply_entries(s, AGES, ages, moved);
    lmdb_commit(s);
    free(changes);
    free(ages);
    return (double)count;
}

double lmdb_delete_persons(store *s, uint64_t count) {
    const uint32_t *deleted = bench_deleted(s->n);
    entry *objects = entries_new(count), *ids = entries_new(count), *ages = entries_new(count),
          *owned = entries_new(count);
    for (uint64_t j = 0; j < count; j++) objects[j] = (entry){ lmdb_key(deleted[j]), 0 };
    entries_sort(objects, ids, count);
    lmdb_begin(s);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t object = objects[i].key;
        person_row row;
        memcpy(&row, lmdb_get(s, PERSONS, object), sizeof row);
        lmdb_must(mdb_cursor_del(s->cursors[PERSONS], 0));
        ids[i] = (entry){ (uint64_t)row.id, object | leaves };
        ages[i] = (entry){ (uint64_t)row.age, object | leaves };
        owned[i] = (entry){ row.dog, object | leaves };
    }
    apply_entries(s, PERSON_IDS, ids, count);
    apply_entries(s, AGES, ages, count);
    apply_entries(s, OWNED, owned, count);
    lmdb_commit(s);
    free(objects);
    free(ids);
    free(ages);
    free(owned);
    return (double)count;
}
