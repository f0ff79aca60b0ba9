/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include <stdlib.h>

#include "order.h"
#include "rows.h"

static inline const person_row *person_at(store *s, uint64_t key) { return lmdb_get(s, PERSONS, key); }

static inline uint64_t read_name(const person_row *row) { return bench_text(row->text, row->name_size); }

/* ---- Objects ---------------------------------------------------------- */

double lmdb_look_up(store *s, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        uint64_t id = (uint64_t)bench_person_id(bench_choose(STREAM_LOOKUP, s->n, j));
        const person_row *row = person_at(s, lmdb_load(lmdb_get(s, PERSON_IDS, id)));
        sum += (uint64_t)row->age + read_name(row);
    }
    return (double)sum;
}

static uint64_t read_names(store *s, uint64_t from, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = from; j < from + count; j++)
        sum += read_name(person_at(s, lmdb_key(bench_choose(STREAM_KNOWN, s->n, j))));
    return sum;
}

double lmdb_read_strings(store *s, uint64_t count) { return (double)read_names(s, 0, count); }

double lmdb_read_emails(store *s, uint64_t count) {
    const uint32_t *emailed = bench_emailed(s->n);
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        const person_row *row = person_at(s, lmdb_key(emailed[j]));
        sum += bench_text(row->text + row->name_size, row->email_size);
    }
    return (double)sum;
}

double lmdb_read_linked_strings(store *s, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        const person_row *person = person_at(s, lmdb_key(bench_choose(STREAM_KNOWN, s->n, j)));
        const dog_row *dog = lmdb_get(s, DOGS, person->dog);
        sum += bench_text(dog->name, dog->name_size);
    }
    return (double)sum;
}

/** How many objects a database with several values per key has under one; 0 if it has not got the key. */
static uint64_t count_under(store *s, database in, uint64_t key) {
    MDB_val k = lmdb_word(&key), value;
    size_t count = 0;
    int result = mdb_cursor_get(s->cursors[in], &k, &value, MDB_SET);
    if (result == MDB_NOTFOUND) return 0;
    lmdb_must(result);
    lmdb_must(mdb_cursor_count(s->cursors[in], &count));
    return count;
}

double lmdb_count_backlinks(store *s) {
    const uint32_t *targets = bench_targets(s->n);
    double sum = 0;
    for (uint64_t j = 0; j < bench_dogs(s->n); j++) {
        double links = (double)count_under(s, OWNED, lmdb_key(targets[j]));
        sum += links * links;
    }
    return sum;
}

double lmdb_read_property(store *s, uint64_t count) {
    const person_row *rows[BENCH_LIVE];
    int64_t sum = 0;
    for (uint64_t i = 0; i < BENCH_LIVE; i++) rows[i] = person_at(s, lmdb_key(bench_choose(STREAM_LIVE, s->n, i)));
    for (uint64_t j = 0; j < count; j += BENCH_LIVE)
        for (uint64_t i = 0; i < BENCH_LIVE; i++) {
            bench_barrier();
            sum += rows[i]->age;
        }
    return (double)sum;
}

/* ---- Walks ------------------------------------------------------------ */

/** Steps to the next row of the table; NULL behind the last one. */
static inline const person_row *next_person(store *s) {
    MDB_val key, value;
    int result = mdb_cursor_get(s->cursors[PERSONS], &key, &value, MDB_NEXT);
    if (result == MDB_NOTFOUND) return NULL;
    lmdb_must(result);
    return value.mv_data;
}
static const person_row *first_person(store *s) {
    MDB_val key, value;
    lmdb_must(mdb_cursor_get(s->cursors[PERSONS], &key, &value, MDB_FIRST));
    return value.mv_data;
}

static double count_scores(store *s) {
    uint64_t count = 0;
    for (const person_row *row = first_person(s); row != NULL; row = next_person(s)) count += row->score > BENCH_SCORE;
    return (double)count;
}

static double count_names(store *s, bool whole) {
    bench_person wanted = bench_make_person(s->n, bench_wanted(s->n));
    uint64_t count = 0;
    for (const person_row *row = first_person(s); row != NULL; row = next_person(s)) {
        if (whole) count += row->name_size == BENCH_NAME_SIZE && memcmp(row->text, wanted.name, BENCH_NAME_SIZE) == 0;
        else count += memmem(row->text, row->name_size, BENCH_PART, strlen(BENCH_PART)) != NULL;
    }
    return (double)count;
}

double lmdb_walk(store *s, bench_workload workload) {
    int64_t ages = 0;
    double scores = 0;
    switch (workload) {
    case BENCH_SCAN_DOUBLE: return count_scores(s);
    case BENCH_SCAN_EQUAL: return count_names(s, true);
    case BENCH_SCAN_CONTAINS: return count_names(s, false);
    case BENCH_ITERATE:
        for (const person_row *row = first_person(s); row != NULL; row = next_person(s)) ages += row->age;
        return (double)ages;
    default:
        for (const person_row *row = first_person(s); row != NULL; row = next_person(s)) scores += row->score;
        return scores;
    }
}

/* ---- Indexes and orders ----------------------------------------------- */

double lmdb_count_ages(store *s, uint64_t count, uint64_t from, uint64_t to) {
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++)
        for (uint64_t age = from; age < to; age++) sum += count_under(s, AGES, age);
    return (double)(sum / count);
}

double lmdb_visit_age(store *s) {
    uint64_t age = BENCH_AGE;
    MDB_val key = lmdb_word(&age), value;
    double sum = 0;
    int result = mdb_cursor_get(s->cursors[AGES], &key, &value, MDB_SET);
    for (; result == 0; result = mdb_cursor_get(s->cursors[AGES], &key, &value, MDB_NEXT_DUP))
        sum += person_at(s, lmdb_load(value.mv_data))->score;
    if (result != MDB_NOTFOUND) lmdb_must(result);
    return sum;
}

double lmdb_sort_scores(store *s) {
    entry *rows = entries_new(s->n), *spare = entries_new(s->n);
    uint64_t count = 0;
    double sum = 0;
    for (const person_row *row = first_person(s); row != NULL; row = next_person(s))
        rows[count++] = (entry){ order_of(row->score), (uintptr_t)row };
    entries_sort(rows, spare, count);
    for (uint64_t i = 0; i < count; i++)
        sum += (double)(i + 1) * (double)((const person_row *)(uintptr_t)rows[i].object)->age;
    free(rows);
    free(spare);
    return sum;
}

typedef struct ranked {
    double score;
    const person_row *row; /* in the map of the file, as long as the store reads */
} ranked;

/** Keeps the best so far in order: a row that belongs among them is rare. */
double lmdb_top_scores(store *s) {
    ranked best[BENCH_FIRST + 1];
    uint64_t count = 0;
    for (const person_row *row = first_person(s); row != NULL; row = next_person(s)) {
        double score = row->score;
        if (count == BENCH_FIRST && score >= best[count - 1].score) continue;
        uint64_t i = count;
        for (; i > 0 && best[i - 1].score > score; i--) best[i] = best[i - 1];
        best[i] = (ranked){ score, row };
        if (count < BENCH_FIRST) count++;
    }
    double sum = 0;
    for (uint64_t i = 0; i < count; i++) sum += (double)(i + 1) * (double)best[i].row->age;
    return sum;
}

/* ---- Beside a writer -------------------------------------------------- */

void *lmdb_reader_open(void *argument, bench_workload workload, uint64_t count) {
    (void)count;
    store *s = malloc(sizeof *s);
    if (s == NULL) bench_fail("lmdb", "a reader", "no memory");
    *s = *(store *)argument;
    s->reads = workload;
    lmdb_must(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &s->txn));
    lmdb_open_cursors(s);
    return s;
}

uint64_t lmdb_reader_batch(void *reader, uint64_t from, uint64_t count) {
    store *s = reader;
    uint64_t sum = 0;
    mdb_txn_reset(s->txn);
    lmdb_must(mdb_txn_renew(s->txn));
    for (int d = 0; d < DATABASES; d++) lmdb_must(mdb_cursor_renew(s->txn, s->cursors[d]));
    if (s->reads == BENCH_FRESH_STRING) return read_names(s, from, count);
    for (uint64_t j = from; j < from + count; j++) {
        uint64_t id = (uint64_t)bench_person_id(bench_choose(STREAM_LOOKUP, s->n, j));
        MDB_val key = lmdb_word(&id), value;
        int result = mdb_cursor_get(s->cursors[PERSON_IDS], &key, &value, MDB_SET);
        if (result == MDB_NOTFOUND) continue;
        lmdb_must(result);
        sum += (uint64_t)person_at(s, lmdb_load(value.mv_data))->age;
    }
    return sum;
}

void lmdb_reader_close(void *reader) {
    store *s = reader;
    for (int d = 0; d < DATABASES; d++) mdb_cursor_close(s->cursors[d]);
    mdb_txn_abort(s->txn);
    free(s);
}
