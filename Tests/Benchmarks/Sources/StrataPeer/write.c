/* SPDX-License-Identifier: MIT */
#include "store.h"

static void create(store *s, uint32_t table, const strata_value *values, uint32_t count, uint64_t expected) {
    strata_error error;
    uint64_t key;
    must(strata_object_create(s->view, table, values, count, &key, &error), &error);
    if (key != expected) bench_fail("strata-c", "object keys", "they are not handed out in order");
}

static void create_dog(store *s, uint64_t index) {
    bench_dog dog = bench_make_dog(index);
    strata_value values[] = { [ID] = strata_int(dog.id), [NAME] = strata_string(dog.name, dog.name_size) };
    create(s, DOG, values, 2, key_of(index));
}

static void create_person(store *s, uint64_t index) {
    bench_person person = bench_make_person(s->n, index);
    strata_value values[] = {
        [ID] = strata_int(person.id),
        [NAME] = strata_string(person.name, BENCH_NAME_SIZE),
        [AGE] = strata_int(person.age),
        [SCORE] = strata_double(person.score),
        [EMAIL] = person.has_email ? strata_string(person.email, BENCH_EMAIL_SIZE) : strata_null(),
        [OWNED] = strata_link(key_of(person.dog)),
        [CREATED] = strata_int(person.created),
    };
    create(s, PERSON, values, sizeof values / sizeof *values, key_of(index));
}

double insert_all(store *s) {
    begin(s);
    for (uint64_t i = 0; i < bench_dogs(s->n); i++) create_dog(s, i);
    for (uint64_t i = 0; i < s->n; i++) create_person(s, i);
    commit(s);
    return (double)(s->n + bench_dogs(s->n));
}

void create_next_person(store *s) { create_person(s, s->n + s->committed++); }

double commit_persons(store *s, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        begin(s);
        create_next_person(s);
        commit(s);
    }
    return (double)count;
}

void set_person(store *s, uint64_t index, uint32_t column, strata_value value) {
    strata_error error;
    strata_row row;
    must(strata_row_bind(s->view, PERSON, key_of(index), &row, &error), &error);
    must(strata_row_set(&row, column, &value, &error), &error);
}

double update_scores(store *s, uint64_t count) {
    begin(s);
    for (uint64_t j = 0; j < count; j++)
        set_person(s, bench_choose(STREAM_CHANGED, s->n, j), SCORE, strata_double(bench_new_score(j)));
    commit(s);
    return (double)count;
}

double update_ages(store *s, uint64_t count) {
    begin(s);
    for (uint64_t j = 0; j < count; j++)
        set_person(s, bench_choose(STREAM_AGED, s->n, j), AGE, strata_int(bench_new_age(j)));
    commit(s);
    return (double)count;
}

double delete_persons(store *s, uint64_t count) {
    strata_error error;
    const uint32_t *deleted = bench_deleted(s->n);
    begin(s);
    for (uint64_t j = 0; j < count; j++)
        must(strata_object_delete(s->view, PERSON, key_of(deleted[j]), &error), &error);
    commit(s);
    return (double)count;
}
