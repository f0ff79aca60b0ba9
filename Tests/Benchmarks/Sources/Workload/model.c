/* SPDX-License-Identifier: MIT
 *
 * model.c -- see model.h. Nothing here is measured.
 */
#include "model.h"

#include <stdlib.h>

enum { DELETED = 255 };

static void put_person(bench_model *model, uint64_t index) {
    bench_person person = bench_make_person(model->n, index);
    model->ages[index] = (uint8_t)person.age;
    model->scores[index] = person.score;
    model->dogs[index] = (uint32_t)person.dog;
}

void bench_model_init(bench_model *model, uint64_t n) {
    size_t room = (size_t)n + BENCH_COMMITS + 3 * BENCH_LOGGED; /* with those that commits add */
    *model = (bench_model){ n, n, malloc(room), malloc(room * sizeof(double)), malloc(room * sizeof(uint32_t)) };
    if (model->ages == NULL || model->scores == NULL || model->dogs == NULL) bench_fail("model", "arrays", "no memory");
    for (uint64_t i = 0; i < n; i++) put_person(model, i);
    bench_choices_make(n);
}

void bench_model_free(bench_model *model) {
    free(model->ages);
    free(model->scores);
    free(model->dogs);
}

static void delete_persons(bench_model *model) {
    const uint32_t *deleted = bench_deleted(model->n);
    for (uint64_t j = 0; j < bench_changes(model->n); j++) model->ages[deleted[j]] = DELETED;
}

static void add_persons(bench_model *model, uint64_t count) {
    for (; count > 0; count--) put_person(model, model->count++);
}

void bench_model_change(bench_model *model, bench_workload workload) {
    uint64_t n = model->n, changes = bench_changes(n);
    switch (workload) {
    case BENCH_UPDATE_SCORES:
        for (uint64_t j = 0; j < changes; j++) model->scores[bench_choose(STREAM_CHANGED, n, j)] = bench_new_score(j);
        return;
    case BENCH_UPDATE_AGES:
        for (uint64_t j = 0; j < changes; j++)
            model->ages[bench_choose(STREAM_AGED, n, j)] = (uint8_t)bench_new_age(j);
        return;
    case BENCH_DELETE: delete_persons(model); return;
    case BENCH_COMMIT: add_persons(model, BENCH_COMMITS); return;
    case BENCH_LOGGED_COMMIT:
    case BENCH_WRITERS_COMMIT:
    case BENCH_RELAXED_COMMIT: add_persons(model, BENCH_LOGGED); return;
    default: return;
    }
}

/* ---- Answers ---------------------------------------------------------- */

typedef struct ranked {
    double score;
    uint8_t age;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    double x = ((const ranked *)a)->score, y = ((const ranked *)b)->score;
    return (x > y) - (x < y);
}

/** Rank, counted from 1, times age, over the first `limit` persons by score. */
static double sum_of_ranks(const bench_model *model, uint64_t limit) {
    ranked *all = malloc((size_t)model->count * sizeof *all);
    double sum = 0;
    if (all == NULL) bench_fail("model", "sorting", "no memory");
    uint64_t count = 0;
    for (uint64_t i = 0; i < model->count; i++)
        if (model->ages[i] != DELETED) all[count++] = (ranked){ model->scores[i], model->ages[i] };
    qsort(all, count, sizeof *all, compare_ranked);
    for (uint64_t i = 0; i < limit && i < count; i++) sum += (double)(i + 1) * all[i].age;
    free(all);
    return sum;
}

static double squares_of_backlinks(const bench_model *model) {
    uint32_t *counts = calloc((size_t)bench_dogs(model->n), sizeof *counts);
    double sum = 0;
    if (counts == NULL) bench_fail("model", "backlinks", "no memory");
    for (uint64_t i = 0; i < model->count; i++)
        if (model->ages[i] != DELETED) counts[model->dogs[i]]++;
    for (uint64_t d = 0; d < bench_dogs(model->n); d++) sum += (double)counts[d] * counts[d];
    free(counts);
    return sum;
}

static bool name_contains_part(uint64_t index) {
    char digits[8] = { 0 };
    bench_digits(digits, 7, index);
    return strstr(digits, BENCH_PART) != NULL;
}

/** What one person adds to the answer of a workload that looks at all of them. */
static double contribution(const bench_model *model, bench_workload workload, uint64_t i) {
    uint8_t age = model->ages[i];
    switch (workload) {
    case BENCH_OBSERVE:
    case BENCH_SCAN_DOUBLE: return model->scores[i] > BENCH_SCORE;
    case BENCH_SCAN_EQUAL: return i == bench_wanted(model->n);
    case BENCH_SCAN_CONTAINS: return name_contains_part(i);
    case BENCH_INDEX_COUNT: return age == BENCH_AGE;
    case BENCH_INDEX_VISIT: return age == BENCH_AGE ? model->scores[i] : 0;
    case BENCH_INDEX_RANGE: return age >= BENCH_AGE_FROM && age < BENCH_AGE_TO;
    case BENCH_ITERATE: return age;
    default: return model->scores[i];
    }
}

static double sum_over_all(const bench_model *model, bench_workload workload) {
    double sum = 0;
    for (uint64_t i = 0; i < model->count; i++)
        if (model->ages[i] != DELETED) sum += contribution(model, workload, i);
    return sum;
}

static uint64_t text_of_name(uint64_t n, uint64_t index) {
    bench_person person = bench_make_person(n, index);
    return bench_text(person.name, BENCH_NAME_SIZE);
}

static uint64_t sum_of_ages(const bench_model *model, uint64_t from, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = from; j < from + count; j++) {
        uint8_t age = model->ages[bench_choose(STREAM_LOOKUP, model->n, j)];
        sum += age == DELETED ? 0 : age;
    }
    return sum;
}

static uint64_t sum_of_names(uint64_t n, bench_stream stream, uint64_t from, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = from; j < from + count; j++) sum += text_of_name(n, bench_choose(stream, n, j));
    return sum;
}

static uint64_t sum_of_emails(uint64_t n, uint64_t count) {
    const uint32_t *emailed = bench_emailed(n);
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        bench_person person = bench_make_person(n, emailed[j]);
        sum += bench_text(person.email, BENCH_EMAIL_SIZE);
    }
    return sum;
}

static uint64_t names_of_dogs(const bench_model *model, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t j = 0; j < count; j++) {
        bench_dog dog = bench_make_dog(model->dogs[bench_choose(STREAM_KNOWN, model->n, j)]);
        sum += bench_text(dog.name, dog.name_size);
    }
    return sum;
}

static double sum_of_properties(const bench_model *model, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < BENCH_LIVE; i++) sum += model->ages[bench_choose(STREAM_LIVE, model->n, i)];
    return (double)(sum * (count / BENCH_LIVE));
}

uint64_t bench_expect_batch(const bench_model *model, bench_workload workload, uint64_t from, uint64_t count) {
    return workload == BENCH_READERS ? sum_of_ages(model, from, count)
                                     : sum_of_names(model->n, STREAM_KNOWN, from, count);
}

static double sum_of_gets(uint64_t n, uint64_t count) {
    double sum = 0;
    for (uint64_t j = 0; j < count; j++) sum += (double)bench_element(bench_choose(STREAM_POSITION, n, j));
    return sum;
}

double bench_expect(const bench_model *model, bench_workload workload, uint64_t count) {
    uint64_t n = model->n;
    switch (workload) {
    case BENCH_BULK_INSERT: return (double)(n + bench_dogs(n));
    case BENCH_LOOKUP:
        return (double)(sum_of_ages(model, 0, count) + sum_of_names(n, STREAM_LOOKUP, 0, count));
    case BENCH_OWN_STRING: return (double)sum_of_names(n, STREAM_KNOWN, 0, count);
    case BENCH_LONG_STRING: return (double)sum_of_emails(n, count);
    case BENCH_LINK_STRING: return (double)names_of_dogs(model, count);
    case BENCH_BACKLINKS: return squares_of_backlinks(model);
    case BENCH_PROPERTY:
    case BENCH_PLAIN: return sum_of_properties(model, count);
    case BENCH_SORT: return sum_of_ranks(model, UINT64_MAX);
    case BENCH_TOP: return sum_of_ranks(model, BENCH_FIRST);
    case BENCH_LIST_GET: return sum_of_gets(n, count);
    case BENCH_LIST_INSERT: return (double)(n + count) + (double)bench_element(n + count - 1);
    case BENCH_UPDATE_SCORES:
    case BENCH_UPDATE_AGES:
    case BENCH_DELETE:
    case BENCH_COMMIT:
    case BENCH_LOGGED_COMMIT:
    case BENCH_WRITERS_COMMIT:
    case BENCH_RELAXED_COMMIT:
    case BENCH_OBSERVE_CHANGE:
    case BENCH_LIST_APPEND: return (double)count;
    default: return sum_over_all(model, workload);
    }
}
