/* SPDX-License-Identifier: MIT */
#include "store.h"

static void insert_dog(store *s, uint64_t index) {
    bench_dog dog = bench_make_dog(index);
    sqlite3_stmt *row = sqlite_with(s, INSERT_DOG, dog.id);
    sqlite_must(s, sqlite3_bind_text(row, 2, dog.name, (int)dog.name_size, SQLITE_STATIC), SQLITE_OK);
    sqlite_step(s, INSERT_DOG);
}

static void insert_person(store *s, uint64_t index) {
    bench_person person = bench_make_person(s->n, index);
    sqlite3_stmt *row = sqlite_with(s, INSERT_PERSON, person.id);
    int failures = sqlite3_bind_text(row, 2, person.name, BENCH_NAME_SIZE, SQLITE_STATIC);
    failures |= sqlite3_bind_int64(row, 3, person.age);
    failures |= sqlite3_bind_double(row, 4, person.score);
    if (person.has_email) failures |= sqlite3_bind_text(row, 5, person.email, BENCH_EMAIL_SIZE, SQLITE_STATIC);
    else failures |= sqlite3_bind_null(row, 5);
    failures |= sqlite3_bind_int64(row, 6, (int64_t)person.dog + 1);
    failures |= sqlite3_bind_int64(row, 7, person.created);
    sqlite_must(s, failures, SQLITE_OK);
    sqlite_step(s, INSERT_PERSON);
}

double sqlite_insert_all(store *s) {
    sqlite_step(s, BEGIN_WRITE);
    for (uint64_t i = 0; i < bench_dogs(s->n); i++) insert_dog(s, i);
    for (uint64_t i = 0; i < s->n; i++) insert_person(s, i);
    sqlite_step(s, COMMIT);
    return (double)(s->n + bench_dogs(s->n));
}

double sqlite_commit_persons(store *s, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        sqlite_step(s, BEGIN_WRITE);
        insert_person(s, s->n + s->committed++);
        sqlite_step(s, COMMIT);
    }
    return (double)count;
}

double sqlite_update_scores(store *s, uint64_t count) {
    sqlite_step(s, BEGIN_WRITE);
    for (uint64_t j = 0; j < count; j++) {
        int64_t id = bench_person_id(bench_choose(STREAM_CHANGED, s->n, j));
        sqlite_must(s, sqlite3_bind_double(sqlite_with(s, UPDATE_SCORE, id), 2, bench_new_score(j)), SQLITE_OK);
        sqlite_step(s, UPDATE_SCORE);
    }
    sqlite_step(s, COMMIT);
    return (double)count;
}

double sqlite_update_ages(store *s, uint64_t count) {
    sqlite_step(s, BEGIN_WRITE);
    for (uint64_t j = 0; j < count; j++) {
        int64_t id = bench_person_id(bench_choose(STREAM_AGED, s->n, j));
        sqlite_must(s, sqlite3_bind_int64(sqlite_with(s, UPDATE_AGE, id), 2, bench_new_age(j)), SQLITE_OK);
        sqlite_step(s, UPDATE_AGE);
    }
    sqlite_step(s, COMMIT);
    return (double)count;
}

double sqlite_delete_persons(store *s, uint64_t count) {
    const uint32_t *deleted = bench_deleted(s->n);
    sqlite_step(s, BEGIN_WRITE);
    for (uint64_t j = 0; j < count; j++) {
        (void)sqlite_with(s, DELETE_PERSON, bench_person_id(deleted[j]));
        sqlite_step(s, DELETE_PERSON);
    }
    sqlite_step(s, COMMIT);
    return (double)count;
}
